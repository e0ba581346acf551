import ActorStore
import ActorStoreCommands
import Testing

@testable import TestFixtures

@Suite("Actions sent by observer rules", .timeLimit(.minutes(10)))
struct RuleActionTests {
    typealias Rules = Interceptor<Ledger.State, Ledger.Action>

    @Test("A rule's action is refused after the beginning of a shutdown, although an effect's action is reduced")
    func shutdown() async throws {
        let store = Ledger.store(
            interceptors: [.observing(.onAction { action, _ in if case .write = action { .add(1) } else { nil } })]
        )
        let goOn = Latch()
        try await store.dispatch(
            .start(
                .run { send in
                    await goOn.wait()
                    send(.write("late"))
                }
            )
        )
        try await store.dispatch(.write("early"))
        #expect(await store.state.total == 1)
        let shutdown = Task { await store.shutdown(drain: .finishEffects) }
        await until { store.phase.description == "shutting down" }
        goOn.open()
        _ = await shutdown.value
        #expect(store.snapshot == Ledger.State(total: 1, note: "late"))
        #expect(try await store.errors.all().isEmpty)
    }

    /// Numbers from 1 to 3, with a record of each request.
    private struct Numbers: AsyncSequence, AsyncIteratorProtocol, Sendable {
        let events: Collector<String>
        let mayBegin: Latch
        var number = 0

        mutating func next() async -> Int? {
            events.append("asked")
            await mayBegin.wait()
            number += 1
            return number <= 3 ? number : nil
        }

        func makeAsyncIterator() -> Numbers { self }
    }

    @Test("A rule of a sequence dispatches each action before it requests the next element")
    func sequence() async throws {
        let (events, mayBegin) = (Collector<String>(), Latch())
        let noting = Rules("noting") { action, context, next in
            try next(action)
            if case .add(let number) = action { events.append("reduced \(number)") }
        }
        let numbers = Numbers(events: events, mayBegin: mayBegin)
        let store = Ledger.store(interceptors: [.observing(.on(numbers) { .add($0) }), noting])
        let hold = await store.holdUp()
        mayBegin.open()
        await until { store.statistics.waitingActions == 1 }
        await letOtherTasksRun()
        #expect(events.elements == ["asked"])
        hold.release()
        await until { events.elements.count == 7 }
        #expect(events.elements == ["asked", "reduced 1", "asked", "reduced 2", "asked", "reduced 3", "asked"])
    }
}
