import ActorStore
import Testing

@testable import TestFixtures

@Suite("Stores for the duration of a closure", .timeLimit(.minutes(10)))
struct WithStoreTests {
    struct Broken: Error {}

    @Test("withStore returns the result of its body after the effects have finished and the store has ended")
    func returns() async throws {
        var escaped: Store<Ledger.State, Ledger.Action>?
        let answer = try await withStore(initialState: Ledger.State(), reducer: Ledger()) { store in
            escaped = store
            try await store.dispatch(.start(.run { send in send(.add(7)) }))
            return "answer"
        }
        let store = try #require(escaped)
        #expect(answer == "answer")
        #expect(store.snapshot.total == 7)
        #expect(store.phase.description == "ended")
        #expect(store.send(.add(1)) == .refused(.shutDown))
    }

    @Test("withStore cancels its effects when its body throws, awaits them, and rethrows the typed error")
    func throwing() async throws {
        let ended = Collector<String>()
        let began = Signal()
        do throws(Broken) {
            try await withStore(initialState: Ledger.State(), reducer: Ledger()) { store throws(Broken) in
                store.send(
                    .start(
                        .run { _ in
                            began.fire()
                            await untilCancelled()
                            ended.append("effect")
                        }
                    )
                )
                await began.wait()
                throw Broken()
            }
            Issue.record("It did not throw.")
        } catch {
            ended.append("thrown")
        }
        #expect(ended.elements == ["effect", "thrown"])
    }

    @Test("withStore cancels its effects with its task, and awaits them, whether its body throws or returns")
    func cancellation() async throws {
        for isThrowing in [true, false] {
            let ended = Collector<String>()
            let began = Signal()
            let task = Task {
                try await withStore(initialState: Ledger.State(), reducer: Ledger()) { store in
                    try await store.dispatch(
                        .start(
                            .run { _ in
                                began.fire()
                                await untilCancelled()
                                ended.append("effect")
                            }
                        )
                    )
                    await untilCancelled()
                    if isThrowing { try Task.checkCancellation() }
                }
            }
            await began.wait()
            task.cancel()
            let result = await task.result
            #expect(ended.elements == ["effect"])
            #expect((try? result.get()) == nil || !isThrowing)
        }
    }

    @Test("withStore has a parameter for the end of effects after its body, and accepts a closure as reducer")
    func choices() async throws {
        try await withStore(initialState: Ledger.State(), reducer: Ledger(), drain: .cancelEffects) { store in
            try await store.dispatch(.start(.run { _ in await untilCancelled() }))
        }
        let sum = try await withStore(initialState: 0, reduce: { (sum: inout Int, step: Int) in sum += step }) {
            store in
            for step in 1...3 { try await store.dispatch(step) }
            return store.snapshot
        }
        #expect(sum == 6)
    }
}
