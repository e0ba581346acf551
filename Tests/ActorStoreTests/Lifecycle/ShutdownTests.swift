import ActorStore
import Testing

@Suite("Shutdown", .timeLimit(.minutes(10)))
struct ShutdownTests {
    typealias Action = Ledger.Action

    @Test("With .finishEffects it awaits running effects, and reduces what they send")
    func finishEffects() async throws {
        let store = Ledger.store()
        let began = Signal()
        let goOn = Signal()
        try await store.dispatch(
            .start(
                .run { send in
                    began.fire()
                    await goOn.wait()
                    send(.start(.run { send in send(.add(5)) }))
                }
            )
        )
        await began.wait()
        let ended = Collector<Void>()
        let shutdown = Task {
            await store.shutdown(drain: .finishEffects)
            ended.append(())
        }
        while store.send(.add(100)) == .accepted { await Task.yield() }
        let before = store.snapshot.total
        #expect(ended.elements.isEmpty)
        goOn.fire()
        await shutdown.value
        #expect(store.snapshot.total == before + 5)
        #expect(store.statistics.runningEffects == 0)
    }

    @Test("With .cancelEffects it cancels running effects, and returns when they have ended")
    func cancelEffects() async throws {
        let store = Ledger.store()
        let began = Signal()
        let events = Collector<String>()
        try await store.dispatch(
            .start(
                .concatenate(
                    .run { send in
                        began.fire()
                        await untilCancelled()
                        send(.add(1))
                        events.append("cancelled")
                    },
                    .run { _ in events.append("never") }
                )
            )
        )
        await began.wait()
        await store.shutdown(drain: .cancelEffects)
        #expect(events.elements == ["cancelled"])
        #expect(store.snapshot.total == 0)
        #expect(store.statistics.lateActions == 1)
    }

    @Test("What was accepted before is reduced, and those who wait for room are told")
    func acceptedActionsAreReduced() async throws {
        let configuration = StoreConfiguration(mailbox: .bounded(2, whenFull: .suspend))
        let store = Ledger.store(configuration: configuration)
        let hold = await store.holdUp()
        store.send(.add(1))
        store.send(.add(2))
        let suspended = Task { try await store.dispatch(.add(4)) }
        while store.statistics.suspendedDispatches == 0 { await Task.yield() }
        let shutdown = Task { await store.shutdown(drain: .finishEffects) }
        await #expect(throws: StoreError.shutDown) { try await suspended.value }
        #expect(store.send(.add(8)) == .refused(.shutDown))
        hold.release()
        await shutdown.value
        #expect(store.snapshot.total == 3)
    }

    @Test("Sequences end after the newest value, and observers of actions and errors end, too")
    func sequencesEnd() async throws {
        let store = Ledger.store()
        let values = store.values(of: \.total)
        let every = store.values(of: \.total, buffering: .unbounded)
        let actions = store.actions
        let errors = store.errors
        for _ in 1...3 { try await store.dispatch(.add(1)) }
        await store.shutdown(drain: .finishEffects)
        #expect(try await values.all() == [3])
        #expect(try await every.all() == [0, 1, 2, 3])
        #expect(try await actions.all().map(\.state.total) == [1, 2, 3])
        #expect(try await errors.all().isEmpty)
    }

    @Test("Any number of concurrent calls return at the same end")
    func concurrentCalls() async throws {
        let store = Ledger.store()
        let goOn = Signal()
        try await store.dispatch(.start(.run { _ in await goOn.wait() }))
        let shutdowns = (0..<4).map { _ in Task { await store.shutdown(drain: .finishEffects) } }
        goOn.fire()
        for shutdown in shutdowns { await shutdown.value }
        await store.shutdown(drain: .cancelEffects)
        #expect(store.statistics.runningEffects == 0)
    }

    @Test("A second call can cancel what the first one awaits")
    func escalation() async throws {
        let store = Ledger.store()
        try await store.dispatch(.start(.run { _ in await untilCancelled() }))
        let patient = Task { await store.shutdown(drain: .finishEffects) }
        await store.shutdown(drain: .cancelEffects)
        await patient.value
    }

    @Test("Cancelling the task that waits cancels the effects that it waits for")
    func cancellation() async throws {
        let store = Ledger.store()
        try await store.dispatch(.start(.run { _ in await untilCancelled() }))
        let shutdown = Task { await store.shutdown(drain: .finishEffects) }
        shutdown.cancel()
        await shutdown.value
        #expect(store.statistics.runningEffects == 0)
    }

    @Test("An effect can shut its own store down, and does not wait for itself")
    func fromAnEffect() async throws {
        let store = Ledger.store()
        let task = try await store.dispatch(.start(.run { _ in await store.shutdown(drain: .finishEffects) }))
        try await task.finish()
        #expect(store.send(.add(1)) == .refused(.shutDown))
    }

    @Test("Observers that come after a shutdown get the last value, and the end")
    func lateObservers() async throws {
        let store = Ledger.store()
        try await store.dispatch(.add(3))
        await store.shutdown(drain: .finishEffects)
        #expect(try await store.values(of: \.total).all() == [3])
        #expect(try await store.values(of: \.isEven, buffering: .unbounded).all() == [false])
        #expect(try await store.actions.all().isEmpty)
        #expect(try await store.errors.all().isEmpty)
        let calls = Collector<Int>()
        let token = store.observe(\.total) { calls.append($0) }
        #expect(calls.elements == [3])
        token.cancel()
    }
}
