import ActorStore
import Testing

@testable import TestFixtures

@Suite("Shutdown", .timeLimit(.minutes(10)))
struct ShutdownTests {
    typealias Action = Ledger.Action

    @Test("A shutdown with .finishEffects awaits running effects, and reduces what they send")
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
        await until { store.send(.add(100)) != .accepted }
        let before = store.snapshot.total
        #expect(ended.elements.isEmpty)
        goOn.fire()
        await shutdown.value
        #expect(store.snapshot.total == before + 5)
        #expect(store.statistics.runningEffects == 0)
    }

    @Test("A shutdown with .cancelEffects cancels running effects, and returns when they have ended")
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

    @Test("Actions accepted before a shutdown are reduced, and callers that wait for room get an error")
    func acceptedActionsAreReduced() async throws {
        let configuration = StoreConfiguration(mailbox: .bounded(2, whenFull: .suspend))
        let store = Ledger.store(configuration: configuration)
        let hold = await store.holdUp()
        store.send(.add(1))
        store.send(.add(2))
        let suspended = Task { try await store.dispatch(.add(4)) }
        await until { store.statistics.suspendedDispatches > 0 }
        let shutdown = Task { await store.shutdown(drain: .finishEffects) }
        await #expect(throws: StoreError.shutDown) { try await suspended.value }
        #expect(store.send(.add(8)) == .refused(.shutDown))
        hold.release()
        _ = await shutdown.value
        #expect(store.snapshot.total == 3)
    }

    @Test("Sequences of values end after the newest value, and sequences of actions and errors end")
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

    @Test("Concurrent shutdowns return at the same end")
    func concurrentCalls() async throws {
        let store = Ledger.store()
        let goOn = Signal()
        try await store.dispatch(.start(.run { _ in await goOn.wait() }))
        let shutdowns = (0..<4).map { _ in Task { await store.shutdown(drain: .finishEffects) } }
        goOn.fire()
        for shutdown in shutdowns { _ = await shutdown.value }
        await store.shutdown(drain: .cancelEffects)
        #expect(store.statistics.runningEffects == 0)
    }

    @Test("A second shutdown can cancel the effects that the first awaits")
    func escalation() async throws {
        let store = Ledger.store()
        try await store.dispatch(.start(.run { _ in await untilCancelled() }))
        let patient = Task { await store.shutdown(drain: .finishEffects) }
        await store.shutdown(drain: .cancelEffects)
        _ = await patient.value
    }

    @Test("Cancelling the task of a shutdown cancels the effects that it awaits")
    func cancellation() async throws {
        let store = Ledger.store()
        try await store.dispatch(.start(.run { _ in await untilCancelled() }))
        let shutdown = Task { await store.shutdown(drain: .finishEffects) }
        shutdown.cancel()
        _ = await shutdown.value
        #expect(store.statistics.runningEffects == 0)
    }

    @Test("An effect can shut its own store down, and does not wait for itself")
    func fromAnEffect() async throws {
        let store = Ledger.store()
        let task = try await store.dispatch(.start(.run { _ in await store.shutdown(drain: .finishEffects) }))
        try await task.finish()
        #expect(store.send(.add(1)) == .refused(.shutDown))
    }

    /// The ways in which an effect ends its own store.
    enum OwnEnd: CaseIterable, Sendable {
        case finishing, cancelling, inTime, tooLate, childFirst

        func callAsFunction(_ store: Store<Ledger.State, Action>, _ root: Store<Ledger.State, Action>) async {
            switch self {
            case .finishing: await store.shutdown(drain: .finishEffects)
            case .cancelling: await store.shutdown(drain: .cancelEffects)
            case .inTime: await store.shutdown(drain: .finishEffects, within: .seconds(600))
            case .tooLate: await store.shutdown(drain: .finishEffects, within: .milliseconds(1))
            case .childFirst:
                await store.shutdown(drain: .finishEffects)
                await root.shutdown(drain: .finishEffects)
            }
        }
    }

    @Test(
        "An effect that ends its own store is not cancelled by that, and its later actions are dropped",
        arguments: OwnEnd.allCases,
        [false, true]
    )
    func ownEnd(end: OwnEnd, isInChild: Bool) async throws {
        // One thread, so that a cancellation comes before later beginnings.
        let root = Ledger.store(configuration: StoreConfiguration(executor: OneThreadExecutor()))
        let child = root.child(
            initialState: Ledger.State(),
            reducer: Ledger(),
            action: { _ in nil }
        ).scope(\.local)
        let store = isInChild ? child : root
        let goOn = Latch()
        if end == .tooLate { try await store.dispatch(.start(.run { _ in await goOn.wait() })) }
        let cancellations = Collector<Bool>()
        let task = try await store.dispatch(
            .start(
                .run { send in
                    await end(store, root)
                    await letOtherTasksRun()
                    cancellations.append(Task.isCancelled)
                    #expect(!send(.add(1)).isAccepted)
                }
            )
        )
        try await task.finish()
        #expect(cancellations.elements == [false])
        #expect(store.snapshot.total == 0 && store.statistics.lateActions == 1)
        goOn.open()
        await until { root.statistics.runningEffects == 0 }
        await root.shutdown(drain: .finishEffects)
        #expect(try await root.errors.all().count == (end == .tooLate ? 1 : 0))
    }

    @Test("An effect that begins its own store's shutdown is not cancelled by that, and observes the end")
    func ownBeginning() async throws {
        let store = Ledger.store(configuration: StoreConfiguration(executor: OneThreadExecutor()))
        let cancellations = Collector<Bool>()
        let task = try await store.dispatch(
            .start(
                .run { _ in
                    store.beginShutdown(drain: .cancelEffects)
                    await letOtherTasksRun()
                    cancellations.append(Task.isCancelled)
                    await store.shutdown(drain: .finishEffects)
                    try await store.run()
                    cancellations.append(Task.isCancelled)
                }
            )
        )
        try await task.finish()
        #expect(cancellations.elements == [false, false])
    }

    @Test("An effect that ends its own store by a side effect is not cancelled by that, nor is the side effect")
    func ownEndBySideEffect() async throws {
        let store = Ledger.store(configuration: StoreConfiguration(executor: OneThreadExecutor()))
        let cancellations = Collector<Bool>()
        let task = try await store.dispatch(
            .start(
                .run { _ in
                    try await store.dispatch(
                        Work<Ledger.State, Action, Void> { _ in
                            await store.shutdown(drain: .finishEffects)
                            await letOtherTasksRun()
                            cancellations.append(Task.isCancelled)
                        }
                    )
                    cancellations.append(Task.isCancelled)
                }
            )
        )
        try await task.finish()
        #expect(cancellations.elements == [false, false])
    }

    @Test("An effect that has ended its own store can be cancelled by others", arguments: [false, true])
    func cancellationAfterOwnEnd(isByTask: Bool) async throws {
        let store = Ledger.store()
        let hasEnded = Signal()
        let task = try await store.dispatch(
            .start(
                .run { _ in
                    await store.shutdown(drain: .finishEffects)
                    hasEnded.fire()
                    await untilCancelled()
                }
            )
        )
        await hasEnded.wait()
        if isByTask { task.cancel() } else { await store.shutdown(drain: .cancelEffects) }
        try await task.finish()
    }

    @Test("An effect that has ended its own store and then fails is reported, and its task throws the error")
    func failureAfterOwnEnd() async throws {
        struct Unsaved: Error {}
        let store = Ledger.store()
        let task = try await store.dispatch(
            .start(
                .run { _ in
                    await store.shutdown(drain: .finishEffects)
                    throw Unsaved()
                }
            )
        )
        await #expect(throws: Unsaved.self) { try await task.finish() }
        #expect(try await store.errors.all().map { $0.error is Unsaved } == [true])
    }

    @Test("Two effects that end their own store at the same time both continue")
    func ownEndByTwo() async throws {
        let store = Ledger.store(configuration: StoreConfiguration(executor: OneThreadExecutor()))
        let (cancellations, begun) = (Collector<Bool>(), Collector<Void>())
        var tasks: [StoreTask] = []
        for _ in 0..<2 {
            let effect = Effect<Action>.run { _ in
                begun.append(())
                await until { begun.elements.count == 2 }
                await store.shutdown(drain: .finishEffects)
                await letOtherTasksRun()
                cancellations.append(Task.isCancelled)
            }
            tasks.append(try await store.dispatch(.start(effect)))
        }
        for task in tasks { try await task.finish() }
        #expect(cancellations.elements == [false, false])
    }

    @Test("Observers added after a shutdown get the last value, and the end")
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
