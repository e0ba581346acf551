import ActorStoreCommands
import ActorStoreComposition
import ActorStoreGroups
import Testing

@testable import ActorStore
@testable import TestFixtures

@Suite("Loading the first state", .timeLimit(.minutes(10)))
struct LoadingTests {
    typealias LedgerStore = Store<Ledger.State, Ledger.Action>

    struct Broken: Error, Equatable {}

    /// A database that answers when the test permits it.
    final class Database: Sendable {
        let asked = Signal()
        private let answer = AsyncStream.makeStream(of: Result<Ledger.State, Broken>.self)

        func load() async throws -> Ledger.State {
            asked.fire()
            for await result in answer.stream { return try result.get() }
            throw CancellationError()
        }

        func answer(_ result: Result<Ledger.State, Broken>) {
            answer.continuation.yield(result)
        }
    }

    func store(
        _ database: Database,
        interceptors: [Interceptor<Ledger.State, Ledger.Action>] = [],
        mailbox: MailboxCapacity = .unbounded
    ) -> LedgerStore {
        LedgerStore(
            initialState: Ledger.State(note: "initial"),
            loading: { try await database.load() },
            reducer: Ledger(),
            interceptors: interceptors,
            configuration: StoreConfiguration(mailbox: mailbox)
        )
    }

    @Test("Actions sent and dispatched during loading are kept in order, and reduced after it")
    func keptInOrder() async throws {
        let database = Database()
        let store = store(database)
        #expect(store.send(.enter(1, 0)) == .accepted)
        let dispatch = Task {
            try await store.dispatch(.enter(1, 1))
            return store.snapshot.entries.count
        }
        await until { store.statistics.waitingActions >= 2 }
        #expect(store.send(contentsOf: [.enter(1, 2), .enter(1, 3)]) == .accepted)
        #expect(store.snapshot == Ledger.State(note: "initial") && store.revision == 0)
        #expect("\(store.phase)" == "loading" && !store.phase.isReady)
        database.answer(.success(Ledger.State(total: 100, note: "loaded")))
        try await store.ready()
        #expect(store.phase.isReady)
        #expect(try await dispatch.value >= 2)
        let state = await store.state
        #expect(state.total == 104 && state.note == "loaded")
        #expect(state.entries.map(\.number) == [0, 1, 2, 3])
    }

    @Test("Reads and observations during loading wait for the loaded state, and begin with it")
    func reads() async throws {
        let database = Database()
        let store = store(database)
        let totals = store.values(of: \.total, buffering: .unbounded)
        let seen = Collector<Int>()
        let token = store.observe(\.total) { seen.append($0) }
        async let state = store.state
        async let note = store.read(\.note)
        await database.asked.wait()
        #expect(seen.elements.isEmpty)
        database.answer(.success(Ledger.State(total: 5, note: "loaded")))
        #expect(await state.total == 5)
        #expect(await note == "loaded")
        try await store.dispatch(.add(1))
        #expect(try await totals.first(2) == [5, 6])
        #expect(seen.elements == [5, 6])
        token.cancel()
    }

    @Test("After a failed loading ready throws the error, waiting and later callers get notReady, and errors has it")
    func failure() async throws {
        let database = Database()
        let store = store(database)
        store.send(.add(1))
        store.send(contentsOf: [.add(1), .add(1)])
        let dispatch = Task { try await store.dispatch(.add(1)) }
        let sideEffect = Task { try await store.dispatch(Work<Ledger.State, Ledger.Action, Int> { _ in 1 }) }
        let child = store.child(initialState: 0, reducer: Reduce<Int, Int> { count, step in count += step }) {
            .add($0)
        }
        let childDispatch = Task { try await child.dispatch(1) }
        await until { store.statistics.waitingActions >= 5 }
        database.answer(.failure(Broken()))
        await #expect(throws: Broken()) { try await store.ready() }
        await #expect(throws: StoreError.notReady) { try await dispatch.value }
        await #expect(throws: StoreError.notReady) { try await childDispatch.value }
        await #expect(throws: StoreError.notReady) { try await sideEffect.value }
        await #expect(throws: StoreError.notReady) { try await store.dispatch(.add(1)) }
        await #expect(throws: StoreError.notReady) { try await child.dispatch(1) }
        #expect(store.send(.add(1)) == .refused(.notReady))
        #expect(store.send(contentsOf: [.add(1)]) == .refused(.notReady))
        #expect(child.send(1) == .refused(.notReady))
        let failure = try await store.errors.first(1).first
        #expect(failure?.error is Broken && failure?.origin == .loading)
        #expect("\(store.phase)" == "failed: Broken()")
        #expect(await store.state == Ledger.State(note: "initial"))
        #expect(store.revision == 0 && store.statistics.rejectedActions == 5)
        #expect(!store.weak.isAlive)
    }

    @Test("A store can be shut down after a failed loading, and then refuses actions with shutDown")
    func shutdownAfterFailure() async throws {
        let database = Database()
        let store = store(database)
        let values = store.values(of: \.note)
        database.answer(.failure(Broken()))
        _ = try? await store.ready()
        await store.shutdown(drain: .finishEffects)
        #expect(store.send(.add(1)) == .refused(.shutDown))
        #expect(try await values.all() == [])
        await #expect(throws: Broken()) { try await store.ready() }
        #expect(try await store.errors.all().map(\.origin) == [.loading])
    }

    @Test(
        "A shutdown cancels the loading, and waiting callers get shutDown",
        arguments: [
            ShutdownDrain.finishEffects, .cancelEffects,
        ]
    )
    func shutdownWhileLoading(drain: ShutdownDrain) async throws {
        let database = Database()
        let store = store(database)
        let errors = store.errors
        // With .finishEffects a waiting action would be reduced.
        let dispatch = drain == .cancelEffects ? Task { try await store.dispatch(.add(1)) } : nil
        let ready = Task { try await store.ready() }
        await until { dispatch == nil || store.statistics.waitingActions > 0 }
        await store.shutdown(drain: drain)
        if let dispatch { await #expect(throws: StoreError.shutDown) { try await dispatch.value } }
        await #expect(throws: StoreError.shutDown) { try await ready.value }
        #expect(store.send(.add(1)) == .refused(.shutDown))
        #expect("\(store.phase)" == "ended" && store.snapshot.note == "initial")
        #expect(try await errors.all().isEmpty)
    }

    @Test(
        "The state of a loading that ignores cancellation is used for actions accepted before the shutdown"
    )
    func stubbornLoading() async throws {
        let (began, goOn) = (Signal(), Signal())
        let store = LedgerStore(
            initialState: Ledger.State(),
            loading: {
                began.fire()
                await untilCancelled()
                await Task { await goOn.wait() }.value
                return Ledger.State(total: 5)
            },
            reducer: Ledger()
        )
        store.send(.add(1))
        await began.wait()
        let shutdown = Task { await store.shutdown(drain: .cancelEffects) }
        await until { store.send(.add(10)) != .accepted }
        let before = store.statistics.waitingActions
        goOn.fire()
        _ = await shutdown.value
        #expect(store.snapshot.total == 5 + 1 + 10 * (before - 1))
    }

    /// A store whose loading ignores its cancellation, and the signal that lets it continue.
    private func stubbornStore(mailbox: MailboxCapacity = .unbounded) async -> (LedgerStore, Signal) {
        let (began, goOn) = (Signal(), Signal())
        let store = LedgerStore(
            initialState: Ledger.State(),
            loading: {
                began.fire()
                await Task { await goOn.wait() }.value
                return Ledger.State(total: 5)
            },
            reducer: Ledger(),
            configuration: StoreConfiguration(mailbox: mailbox)
        )
        await began.wait()
        return (store, goOn)
    }

    @Test("After the deadline no caller waits for an endless loading, and its later state is dropped")
    func abandonedLoading() async throws {
        let (store, goOn) = await stubbornStore()
        let clock = ManualClock()
        let run = Task { try await store.run(endingWithin: .seconds(9)) }
        let ready = Task { try await store.ready() }
        let dispatch = Task { try await store.dispatch(.add(1)) }
        await until { store.statistics.waitingActions > 0 }
        let shutdown = Task { await store.shutdown(drain: .finishEffects, within: .seconds(10), clock: clock) }
        await clock.waitForSleeper(until: .seconds(9))
        clock.advance(by: .seconds(9))
        await clock.waitForSleeper(until: .seconds(10))
        clock.advance(by: .seconds(1))
        #expect(await shutdown.value.isLoading)
        #expect(await store.shutdown(drain: .finishEffects).isLoading)
        #expect("\(store.phase)" == "ended")
        try await run.value
        await #expect(throws: StoreError.shutDown) { try await ready.value }
        await #expect(throws: StoreError.shutDown) { try await dispatch.value }
        #expect(store.statistics.rejectedActions == 1)
        goOn.fire()
        await until { store.root.loading?.isAbandoned == false }
        #expect(await store.state == Ledger.State() && store.snapshot == Ledger.State())
        #expect("\(store.phase)" == "ended" && store.revision == 0)
    }

    /// The ways to wait for a store.
    enum Waiting: CaseIterable, Sendable {
        case dispatch, suspendedDispatch, perform, sideEffect, isolation, child
        case take, condition, state, value, values, actions, errors, run, shutdown, deadline

        /// Waits for the store.
        ///
        /// - Returns: The error of the wait; nil without one.
        func wait(for store: LedgerStore) async -> (any Error)? {
            do {
                switch self {
                case .dispatch, .suspendedDispatch: try await store.dispatch(.add(1))
                case .perform: try await store.perform(.add(1))
                case .sideEffect: _ = try await store.dispatch(Work<Ledger.State, Ledger.Action, Int> { _ in 1 })
                case .isolation: try await store.withIsolation("set") { $0.total = 9 }
                case .take: _ = try await store.take(.where { _ in true })
                case .condition: _ = try await store.condition { $0.total > 10 }
                case .state: _ = await store.state
                case .value: _ = await store.read(\.total)
                case .values: for try await _ in store.values(of: \.total) { return Broken() }
                case .actions: for try await _ in store.actions { return Broken() }
                case .errors: for try await error in store.errors { return error.error }
                case .run: try await store.run()
                case .child: try await Ledger.child(of: store).dispatch(.add(1))
                case .shutdown: await store.shutdown(drain: .finishEffects)
                case .deadline: _ = await store.shutdown(drain: .cancelEffects, within: .seconds(3_600))
                }
                return nil
            } catch {
                return error
            }
        }

        var error: (any Error)? {
            switch self {
            case .dispatch, .suspendedDispatch, .perform, .sideEffect, .isolation, .child: StoreError.shutDown
            case .take, .condition: WaitError.storeEnded
            case .state, .value, .values, .actions, .errors, .run, .shutdown, .deadline: nil
            }
        }
    }

    @Test(
        "Callers that wait for a loading are resumed at the deadline, before the loading has ended",
        arguments: Waiting.allCases
    )
    func waitingForAbandonedLoading(way: Waiting) async throws {
        let (store, goOn) = await stubbornStore(
            mailbox: way == .suspendedDispatch ? .bounded(1, whenFull: .suspend) : .unbounded
        )
        if way == .suspendedDispatch { store.send(.add(1)) }
        let waiting = Task { await way.wait(for: store) }
        // Either side of the shutdown is right.
        await letOtherTasksRun()
        let clock = ManualClock()
        let shutdown = Task { await store.shutdown(drain: .cancelEffects, within: .seconds(10), clock: clock) }
        await clock.waitForSleeper(until: .seconds(10))
        clock.advance(by: .seconds(10))
        #expect(await shutdown.value.isLoading)
        #expect("\(store.phase)" == "ended")
        #expect("\(String(describing: await waiting.value))" == "\(String(describing: way.error))")
        #expect("\(String(describing: await way.wait(for: store)))" == "\(String(describing: way.error))")
        #expect(store.root.loading?.isAbandoned == true)
        goOn.fire()
        await until { store.root.loading?.isAbandoned == false }
        #expect(store.snapshot == Ledger.State() && store.revision == 0)
    }

    @Test("A loading that ends at the deadline is either used, or the store has ended without it")
    func loadingAtDeadline() async throws {
        for round in 0..<200 {
            let (store, goOn) = await stubbornStore()
            let clock = ManualClock()
            let dispatch = Task { try await store.dispatch(.add(1)) }
            await until { store.statistics.waitingActions > 0 }
            let shutdown = Task { await store.shutdown(drain: .cancelEffects, within: .seconds(10), clock: clock) }
            await clock.waitForSleeper(until: .seconds(10))
            async let end: Void = clock.advance(by: .seconds(10))
            await letOtherTasksRun(yields: round % 20)
            goOn.fire()
            await end
            let report = await shutdown.value
            let isReduced = (try? await dispatch.value) != nil
            #expect("\(store.phase)" == "ended")
            #expect(store.snapshot.total == (isReduced ? 6 : 0))
            #expect(!report.isLoading || !isReduced)
        }
    }

    @Test("A shutdown that finishes effects waits for the loading, and reduces the actions accepted before")
    func finishingShutdown() async throws {
        let database = Database()
        let store = store(database)
        #expect(store.send(.add(1)) == .accepted)
        #expect(store.send(.start(.run { send in send(.add(10)) })) == .accepted)
        let dispatch = Task { try await store.dispatch(.add(100)) }
        await until { store.statistics.waitingActions >= 3 }
        let shutdown = Task { await store.shutdown(drain: .finishEffects) }
        await until { store.send(.add(0)) != .accepted }
        // A further one changes nothing.
        store.beginShutdown(drain: .finishEffects)
        database.answer(.success(Ledger.State(total: 1_000)))
        _ = await shutdown.value
        _ = try await dispatch.value
        try await store.ready()
        #expect(store.snapshot.total == 1_111)
        #expect(store.statistics.rejectedActions == 0 && store.phase.description == "ended")
    }

    @Test("A loading that fails during a shutdown that waits for it is reported, and accepted actions are rejected")
    func failureWhileShuttingDown() async throws {
        let database = Database()
        let store = store(database)
        store.send(.add(1))
        let dispatch = Task { try await store.dispatch(.add(1)) }
        await until { store.statistics.waitingActions >= 2 }
        let shutdown = Task { await store.shutdown(drain: .finishEffects) }
        await until { store.send(.add(0)) != .accepted }
        let rejected = store.statistics.waitingActions
        database.answer(.failure(Broken()))
        _ = await shutdown.value
        await #expect(throws: StoreError.notReady) { try await dispatch.value }
        await #expect(throws: Broken()) { try await store.ready() }
        #expect(try await store.errors.all().map(\.origin) == [.loading])
        #expect(store.statistics.rejectedActions == rejected)
    }

    /// The cancellations of a loading awaited by a shutdown.
    enum GivingUp: CaseIterable, Sendable { case shutdown, beginShutdown, cancellation, deadline, cancelledDeadline }

    @Test("A loading awaited by a shutdown can still be cancelled", arguments: GivingUp.allCases)
    func givingUp(by way: GivingUp) async throws {
        let database = Database()
        let store = store(database)
        store.send(.add(1))
        let clock = ManualClock()
        let shutdown = Task {
            switch way {
            case .deadline, .cancelledDeadline:
                return await store.shutdown(drain: .finishEffects, within: .seconds(10), clock: clock).isClean
            default:
                await store.shutdown(drain: .finishEffects)
                return true
            }
        }
        await until { store.send(.add(0)) != .accepted }
        switch way {
        case .shutdown: await store.shutdown(drain: .cancelEffects)
        case .beginShutdown: store.beginShutdown(drain: .cancelEffects)
        case .cancellation, .cancelledDeadline: shutdown.cancel()
        case .deadline:
            await clock.waitForSleeper(until: .seconds(9))
            clock.advance(by: .seconds(9))
        }
        #expect(await shutdown.value)
        #expect(store.snapshot.total == 0 && store.statistics.rejectedActions >= 1)
        #expect(try await store.errors.all().isEmpty)
    }

    @Test(
        "A group that ends its stores in order lets stores with accepted actions finish loading",
        arguments: [false, true]
    )
    func groups(isShutDown: Bool) async throws {
        let database = Database()
        let group = StoreGroup { (_: Int) in self.store(database) }
        #expect(group.send(.add(1), to: 1) == .accepted)
        let store = group[1]
        let end = Task {
            if isShutDown { await group.shutdown(drain: .finishEffects) }
            return isShutDown ? store.snapshot : await group.end(1, drain: .finishEffects)
        }
        await until { store.send(.add(0)) != .accepted }
        await letOtherTasksRun()
        database.answer(.success(Ledger.State(total: 5)))
        #expect(await end.value?.total == 6)
    }

    @Test("A store released during loading cancels the loading, unless actions wait, which are reduced")
    func release() async throws {
        let cancelled = Signal()
        var store: LedgerStore? = LedgerStore(
            initialState: Ledger.State(),
            loading: {
                await untilCancelled()
                cancelled.fire()
                throw CancellationError()
            },
            reducer: Ledger()
        )
        weak let weakStore = store
        store = nil
        #expect(weakStore == nil)
        await cancelled.wait()

        let database = Database()
        var busy: LedgerStore? = self.store(database)
        let totals = busy?.values(of: \.total, buffering: .unbounded)
        busy?.send(.add(1))
        await database.asked.wait()
        busy = nil
        database.answer(.success(Ledger.State(total: 5)))
        #expect(try await totals?.all() == [5, 6])
    }

    @Test("Interceptors are set up after the loading, and not if it fails")
    func interceptors() async throws {
        let events = Collector<String>()
        let interceptor = Interceptor<Ledger.State, Ledger.Action>.settingUp("starting") { store in
            events.append("set up with \(store.snapshot?.note ?? "")")
            store.send(.write("started"))
            return ActiveInterceptor { action, _, next in
                events.append("\(action)")
                try next(action)
            }
        }
        let (database, broken) = (Database(), Database())
        let store = store(database, interceptors: [interceptor, .observing(.onStart { .add(7) })])
        store.send(.add(1))
        #expect(events.elements.isEmpty)
        database.answer(.success(Ledger.State(note: "loaded")))
        try await store.ready()
        #expect(await store.state == Ledger.State(total: 8, note: "started"))
        #expect(events.elements == ["set up with loaded", "add(1)", #"write("started")"#, "add(7)"])

        let failing = self.store(broken, interceptors: [interceptor])
        broken.answer(.failure(Broken()))
        _ = try? await failing.ready()
        _ = await failing.state
        #expect(events.elements.count == 4)
        #expect(try await failing.errors.first(1).map(\.origin) == [.loading])
    }

    @Test("A loading can use the dependencies of the store, and those around its creation")
    func dependencies() async throws {
        struct Service: Sendable {
            @Dependency(\.number) var number
            @Dependency(\.untested) var untested
        }
        let store = withDependencies {
            $0.untested = 3
        } operation: {
            Store(
                initialState: [],
                loading: { [Service().number, Service().untested] },
                reducer: Noting()
            ) { values, store in
                values.number = 11
                store.send(.note)
            }
        }
        try await store.ready()
        #expect(await store.state == [11, 3, 11])
    }

    @Test("The mailbox limits the actions that wait for the first state")
    func boundedMailbox() async throws {
        let database = Database()
        let store = store(database, mailbox: .bounded(2, whenFull: .suspend))
        #expect((1...3).map { _ in store.send(.add(1)) } == [.accepted, .accepted, .refused(.overloaded)])
        let dispatch = Task { try await store.dispatch(.add(10)) }
        await until { store.statistics.suspendedDispatches > 0 }
        database.answer(.success(Ledger.State()))
        _ = try await dispatch.value
        #expect(store.snapshot.total == 12)

        let broken = Database()
        let failing = self.store(broken, mailbox: .bounded(1, whenFull: .suspend))
        failing.send(.add(1))
        let suspended = Task { try await failing.dispatch(.add(10)) }
        await until { failing.statistics.suspendedDispatches > 0 }
        broken.answer(.failure(Broken()))
        await #expect(throws: StoreError.notReady) { try await suspended.value }
        #expect(try await failing.errors.first(1).map(\.origin) == [.loading])
    }

    @Test("Any number of callers can wait for a store to be ready, and cancelling a wait does not cancel the loading")
    func waiting() async throws {
        let database = Database()
        let store = store(database)
        let waiters = (0..<4).map { _ in Task { try await store.ready() } }
        let impatient = Task { try await store.ready() }
        impatient.cancel()
        await #expect(throws: CancellationError.self) { try await impatient.value }
        database.answer(.success(Ledger.State(total: 1)))
        for waiter in waiters { try await waiter.value }
        try await store.ready()
        #expect(store.snapshot.total == 1)
    }

    @Test("A store with a given state is ready from the beginning; the phase follows the shutdown")
    func phases() async throws {
        let store = Ledger.store()
        try await store.ready()
        #expect(store.phase.isReady && "\(store.phase)" == "ready")
        let goOn = Signal()
        try await store.dispatch(.start(.run { _ in await goOn.wait() }))
        let shutdown = Task { await store.shutdown(drain: .finishEffects) }
        await until { !store.phase.isReady }
        #expect("\(store.phase)" == "shutting down")
        goOn.fire()
        _ = await shutdown.value
        #expect("\(store.phase)" == "ended")
        try await store.ready()
    }

    @Test("Actions of many concurrent callers during loading are never lost")
    func underLoad() async throws {
        for _ in 0..<20 {
            let store = LedgerStore(
                initialState: Ledger.State(),
                loading: {
                    await letOtherTasksRun(yields: 10)
                    return Ledger.State(total: 1_000)
                },
                reducer: Ledger()
            )
            try await withThrowingTaskGroup(of: Void.self) { group in
                for sender in 0..<4 {
                    group.addTask {
                        for number in 0..<50 {
                            if number.isMultiple(of: 2) {
                                store.send(.enter(sender, number))
                            } else {
                                try await store.dispatch(.enter(sender, number))
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let entries = await store.state.entries
            #expect(store.snapshot.total == 1_200)
            for sender in 0..<4 {
                #expect(entries.filter { $0.sender == sender }.map(\.number) == Array(0..<50))
            }
        }
    }
}
