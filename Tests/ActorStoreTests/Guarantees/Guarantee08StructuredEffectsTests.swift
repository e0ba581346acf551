import ActorStore
import Testing

@testable import TestFixtures

@Suite("Guarantee 8: effects are structured", .timeLimit(.minutes(10)))
struct StructuredEffectsTests {
    typealias Action = Ledger.Action

    enum Context { @TaskLocal static var request = "none" }

    @Test("Effects of a dispatched action inherit the task-locals and the priority of the dispatcher")
    func inheritContext() async throws {
        let store = Ledger.store()
        let seen = Collector<String>()
        let effect = Effect<Action>.run { _ in seen.append(Context.request) }
        try await Context.$request.withValue("request 7") {
            try await store.dispatch(.start(effect)).finish()
            try await store.dispatch(.start(.concatenate(effect, effect))).finish()
        }
        #expect(seen.elements == ["request 7", "request 7", "request 7"])

        let priorities = Collector<TaskPriority>()
        let task = Task(priority: .low) {
            try await store.dispatch(.start(.run { _ in priorities.append(Task.basePriority ?? .high) })).finish()
        }
        try await task.value
        #expect(priorities.elements == [.low])
    }

    @Test("Effects of an action dispatched to a busy store inherit the dispatcher's context")
    func inheritContextWhenContended() async throws {
        let store = Ledger.store()
        let seen = Collector<String>()
        let hold = await store.holdUp()
        let dispatcher = Task {
            try await Context.$request.withValue("request 8") {
                try await store.dispatch(.start(.run { _ in seen.append(Context.request) })).finish()
            }
        }
        await until { store.statistics.waitingActions > 0 }
        hold.release()
        try await dispatcher.value
        #expect(seen.elements == ["request 8"])
    }

    @Test("Effects of a sent action have the store's priority and no task-locals, in any caller's turn")
    func sentActionsHaveNoContext() async throws {
        let store = Ledger.store(configuration: StoreConfiguration(priority: .low))
        let seen = Collector<String>()
        let done = Signal()
        Context.$request.withValue("request 9") {
            _ = store.send(
                .start(
                    .run { _ in
                        seen.append("\(Context.request) \(Task.basePriority == .low)")
                        done.fire()
                    }
                )
            )
        }
        await done.wait()
        #expect(seen.elements == ["none true"])
    }

    @Test("Cancelling an effect cancels its task, and drops and counts what it still sends")
    func cancelledForReal() async throws {
        let store = Ledger.store()
        let began = Signal()
        let outcomes = Collector<SendOutcome>()
        let effect = Effect<Action>.run(id: "work") { send in
            began.fire()
            await untilCancelled()
            outcomes.append(send(.add(100)))
        }
        let task = try await store.dispatch(.start(effect))
        await began.wait()
        try await store.dispatch(.start(.cancel(id: "work")))
        try await task.finish()
        #expect(outcomes.elements == [.dropped])
        #expect(store.snapshot.total == 0)
        #expect(store.statistics.lateActions == 1)
    }

    @Test("Actions of an effect are not reduced after its cancellation, even if they were sent before")
    func queuedFeedbackIsDropped() async throws {
        let store = Ledger.store()
        let began = Signal()
        let goOn = Signal()
        let sent = Signal()
        let effect = Effect<Action>.run(id: "work") { send in
            began.fire()
            await goOn.wait()
            send(.add(100))
            sent.fire()
        }
        let task = try await store.dispatch(.start(effect))
        await began.wait()
        let hold = await store.holdUp()
        // The cancellation waits in the mailbox, then comes what the effect sends.
        store.send(.start(.cancel(id: "work")))
        goOn.fire()
        await sent.wait()
        hold.release()
        try await task.finish()
        #expect(await store.state.total == 0)
        #expect(store.statistics.lateActions == 1)
    }

    @Test("An effect can be cancelled before it begins")
    func cancelBeforeBeginning() async throws {
        let store = Ledger.store()
        let began = Signal()
        let goOn = Signal()
        let ran = Collector<String>()
        let effect = Effect<Action>.concatenate(
            .run { _ in
                began.fire()
                await goOn.wait()
            },
            .run(id: "second") { _ in ran.append("second") },
            .run(id: "third") { _ in ran.append("third") }
        )
        let task = try await store.dispatch(.start(effect))
        await began.wait()
        try await store.dispatch(.start(.cancel(id: "second")))
        goOn.fire()
        try await task.finish()
        #expect(ran.elements == ["third"])
    }

    @Test("An effect can be cancelled right after the dispatch, before its task begins")
    func cancelAtOnce() async throws {
        let store = Ledger.store()
        for _ in 0..<500 {
            let task = try await store.dispatch(
                .start(
                    .run(id: 1) { send in
                        try Task.checkCancellation()
                        await untilCancelled()
                        send(.add(1))
                    }
                )
            )
            try await store.dispatch(.start(.cancel(id: 1)))
            try await task.finish()
        }
        #expect(store.snapshot.total == 0)
    }

    @Test("A StoreTask cancels all effects of its action, begun or not, and no others")
    func storeTaskCancels() async throws {
        let store = Ledger.store()
        let ran = Collector<String>()
        let began = Signal()
        let other = Signal()
        let task = try await store.dispatch(
            .start(
                .concatenate(
                    .run { _ in
                        began.fire()
                        await untilCancelled()
                    },
                    .run { _ in ran.append("second") }
                )
            )
        )
        let unrelated = try await store.dispatch(.start(.run { _ in await other.wait() }))
        await began.wait()
        task.cancel()
        try await task.finish()
        #expect(task.isFinished)
        #expect(!unrelated.isFinished)
        other.fire()
        try await unrelated.finish()
        #expect(ran.elements.isEmpty)
    }

    @Test("Identities are local to their store, and equal only within their type")
    func identitiesAreScoped() async throws {
        let first = Ledger.store()
        let second = Ledger.store()
        let signals = [Signal(), Signal()]
        let a = try await first.dispatch(.start(.run(id: 1) { _ in await signals[0].wait() }))
        let b = try await second.dispatch(.start(.run(id: 1) { _ in await signals[1].wait() }))
        try await second.dispatch(.start(.cancel(id: UInt8(1))))
        #expect(!b.isFinished)
        try await second.dispatch(.start(.cancel(id: 1)))
        try await b.finish()
        #expect(!a.isFinished)
        signals[0].fire()
        try await a.finish()
        signals[1].fire()
    }
}
