import ActorStore
import ActorStoreInstruments
import ActorStoreSimulation
import ActorStoreTesting
import Testing

@testable import TestFixtures

@Suite("Acceptance timeouts of dispatches", .timeLimit(.minutes(10)))
struct AcceptanceTimeoutTests {
    let clock = ManualClock()
    let store = Ledger.store(configuration: StoreConfiguration(mailbox: .bounded(1, whenFull: .suspend)))

    func dispatch(_ amount: Int) -> Task<StoreError?, Never> { dispatch(amount, to: store) }

    func dispatch<State>(_ amount: Int, to store: Store<State, Ledger.Action>) -> Task<StoreError?, Never> {
        Task { [clock] in
            do throws(StoreError) {
                try await store.dispatch(.add(amount), acceptanceTimeout: .seconds(1), clock: clock)
                return nil
            } catch {
                return error
            }
        }
    }

    @Test("A dispatch not accepted in time is refused, and its action is not reduced")
    func overdue() async {
        let hold = await store.holdUp()
        store.send(.add(1))
        let late = dispatch(10)
        await until { store.statistics.suspendedDispatches == 1 && clock.sleepers == 1 }
        clock.advance(by: .seconds(1))
        #expect(await late.value == .overloaded)
        hold.release()
        #expect(await store.state.total == 1)
        #expect(store.statistics.suspendedDispatches == 0)
    }

    @Test(
        "Instruments receive dispatches not accepted in time, and none whose task was cancelled",
        arguments: [false, true]
    )
    func instruments(inChild: Bool) async {
        let recording = RecordingInstrument()
        store.use(recording)
        let child = Ledger.child(of: store)
        let hold = await store.holdUp()
        store.send(.add(1))
        let dispatches = [1, 2].map { seconds in
            Task { [store, clock] in
                let timeout = Duration.seconds(seconds)
                if inChild {
                    try await child.dispatch(.add(seconds), acceptanceTimeout: timeout, clock: clock)
                } else {
                    try await store.dispatch(.add(seconds), acceptanceTimeout: timeout, clock: clock)
                }
            }
        }
        await until { store.statistics.suspendedDispatches == 2 && clock.sleepers == 2 }
        clock.advance(by: .seconds(1))
        await #expect(throws: StoreError.overloaded) { try await dispatches[0].value }
        dispatches[1].cancel()
        await #expect(throws: StoreError.cancelled) { try await dispatches[1].value }
        hold.release()
        _ = await store.state
        let dropped = recording.events.compactMap { event in
            if case .actionDropped(let dropped) = event { dropped } else { nil }
        }
        #expect(dropped.map(\.reason) == [.overload] && dropped.map(\.count) == [1])
        #expect(dropped.map(\.store) == [inChild ? child.name : store.name])
        #expect(dropped.map { $0.action.map { "\($0)" } } == [inChild ? nil : "add(1)"])
    }

    @Test("A dispatch accepted in time returns when its action is reduced, also after the timeout")
    func accepted() async {
        let hold = await store.holdUp()
        let patient = dispatch(10)
        await until { store.statistics.waitingActions == 1 && clock.sleepers == 1 }
        clock.advance(by: .seconds(1))
        await until { clock.sleepers == 0 }
        hold.release()
        #expect(await patient.value == nil)
        #expect(store.snapshot.total == 10)
    }

    @Test(
        "A dispatch accepted in time throws a later refusal as cancelled by an interceptor",
        arguments: [false, true]
    )
    func refusedAfterwards(inChild: Bool) async {
        let recording = RecordingInstrument()
        store.use(recording)
        store.use(
            Interceptor("refusing") { action, _, next in
                if case .add(10) = action { throw StoreError.cancelled }
                try next(action)
            }
        )
        let child = store.child(initialState: 0, reducer: EmptyReducer())
        let hold = await store.holdUp()
        let refused = inChild ? dispatch(10, to: child) : dispatch(10)
        await until { store.statistics.waitingActions == 1 && clock.sleepers == 1 }
        clock.advance(by: .seconds(1))
        await until { clock.sleepers == 0 }
        // So that the timeout has been processed.
        await letOtherTasksRun()
        hold.release()
        #expect(await refused.value == .cancelled)
        _ = await store.state
        let reasons = recording.events.compactMap { event in
            if case .actionDropped(let dropped) = event { dropped.reason } else { nil }
        }
        #expect(reasons == [.rejected(.cancelled)] && store.statistics.rejectedActions == 1)
    }

    @Test("A dispatch that tracks feedback is refused after its timeout", arguments: [false, true])
    func trackedOverdue(inChild: Bool) async {
        let child = Ledger.child(of: store)
        let hold = await store.holdUp()
        store.send(.add(1))
        let late = Task { [store, clock] in
            if inChild {
                try await child.dispatch(.add(10), acceptanceTimeout: .seconds(1), tracksFeedback: true, clock: clock)
            } else {
                try await store.dispatch(.add(10), acceptanceTimeout: .seconds(1), tracksFeedback: true, clock: clock)
            }
        }
        await until { store.statistics.suspendedDispatches == 1 && clock.sleepers == 1 }
        clock.advance(by: .seconds(1))
        await #expect(throws: StoreError.overloaded) { try await late.value }
        hold.release()
        #expect(await store.state.total == 1)
    }

    @Test("The task of a dispatch with a timeout that tracks feedback awaits the feedback")
    func tracked() async throws {
        let goOn = Latch()
        let second = Effect<Ledger.Action>.run { send in
            await goOn.wait()
            send(.add(5))
        }
        let task = try await store.dispatch(
            .start(.run { send in send(.start(second)) }),
            acceptanceTimeout: .seconds(1),
            tracksFeedback: true,
            clock: clock
        )
        let finished = Task { try await task.finish() }
        await letOtherTasksRun()
        #expect(!task.isFinished)
        goOn.open()
        try await finished.value
        #expect(store.snapshot.total == 5)
    }

    @Test("A dispatch with a timeout whose task is cancelled throws cancelled")
    func cancelled() async {
        let hold = await store.holdUp()
        store.send(.add(1))
        let cancelled = dispatch(10)
        await until { store.statistics.suspendedDispatches == 1 }
        cancelled.cancel()
        #expect(await cancelled.value == .cancelled)
        hold.release()
        #expect(await store.state.total == 1)
    }

    @Test("A dispatch of a cancelled task does not wait for room, and its action is not reduced")
    func cancelledBefore() async {
        let hold = await store.holdUp()
        store.send(.add(1))
        let cancelled = Task { [store, clock] () async -> StoreError? in
            withUnsafeCurrentTask { $0?.cancel() }
            do throws(StoreError) {
                try await store.dispatch(.add(10), acceptanceTimeout: .seconds(1), clock: clock)
                return nil
            } catch {
                return error
            }
        }
        // The clock stands still.
        #expect(await cancelled.value == .cancelled)
        #expect(store.statistics.suspendedDispatches == 0)
        hold.release()
        #expect(await store.state.total == 1)
    }

    @Test(
        "An idle store reduces at once, however short the timeout, and effects inherit the caller's context"
    )
    func idle() async throws {
        let names = Collector<String>()
        for timeout in [Duration.zero, .seconds(-1), .seconds(Int64.max)] {
            let work = Effect<Ledger.Action>.run { _ in names.append(Context.name) }
            let task = try await Context.$name.withValue("caller") {
                try await store.dispatch(.start(work), acceptanceTimeout: timeout, clock: clock)
            }
            try await task.finish()
        }
        #expect(names.elements == ["caller", "caller", "caller"])
    }

    enum Context {
        @TaskLocal static var name = ""
    }

    @Test(
        "A dispatch with a timeout to an idle store, scope or child does not sleep, also with observers and interceptors",
        arguments: [false, true]
    )
    func idleSleepsNever(tracksFeedback: Bool) async throws {
        let sleeps = Collector<String>()
        let child = Ledger.child(of: store)
        let scope = store.scope(state: \.total, action: { (amount: Int) in Ledger.Action.add(amount) })
        func dispatch<State, Action>(_ action: Action, to store: Store<State, Action>, _ name: String) async throws {
            try await store.dispatch(
                action,
                acceptanceTimeout: .seconds(1),
                tracksFeedback: tracksFeedback,
                clock: NotingClock(name: name, sleeps: sleeps)
            )
        }
        func dispatchToAll(_ name: String) async throws {
            try await dispatch(.add(1), to: store, name)
            try await dispatch(1, to: scope, name)
            try await dispatch(.add(1), to: child, name)
        }
        try await dispatchToAll("plain")
        let totals = store.values(of: \.total)
        store.use(Interceptor("passing") { action, _, next in try next(action) })
        try await dispatchToAll("observed")
        withExtendedLifetime(totals) {}
        #expect(sleeps.elements.isEmpty)
    }

    /// Records the durations of sleeps.
    struct NotingClock: Clock {
        let name: String
        let sleeps: Collector<String>

        var now: ContinuousClock.Instant { ContinuousClock().now }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            sleeps.append(name)
            try await ContinuousClock().sleep(until: deadline, tolerance: tolerance)
        }
    }

    @Test("A timeout cancels asynchronous interceptors, and the action is not reduced if they obey")
    func interceptor() async throws {
        let asked = Signal()
        store.use(
            AsyncInterceptor("slow") { action, _ in
                asked.fire()
                try await Task.sleep(for: .seconds(3_600))
                return action
            }
        )
        let late = dispatch(10)
        await asked.wait()
        await until { clock.sleepers == 1 }
        clock.advance(by: .seconds(1))
        #expect(await late.value == .overloaded)
        #expect(store.snapshot.total == 0)
    }

    @Test("Instruments record an action once that an asynchronous interceptor stops at the timeout")
    func stoppedAtTheEnd() async throws {
        try await Simulation.check(seeds: .first(100)) { simulation in
            let store = Ledger.store(configuration: StoreConfiguration(executor: simulation.executor))
            let counting = CountingInstrument()
            store.use(counting)
            store.use(
                AsyncInterceptor("impatient") { _, _ in
                    try? await simulation.clock.sleep(for: .seconds(1))
                    throw StoreError.cancelled
                }
            )
            _ = try? await store.dispatch(.add(1), acceptanceTimeout: .seconds(1), clock: simulation.clock)
            await simulation.quiet()
            let counts = counting.counts
            let isRejected = store.statistics.rejectedActions == counts.rejected
            guard isRejected, counts.rejected + counts.droppedByOverload == 1 else { throw Unavailable() }
        }
    }

    struct Unavailable: Error {}

    @Test(
        "A dispatch that times out in an asynchronous interceptor is refused, whatever the interceptor returns",
        arguments: ["ignores it", "throws an error of its own"]
    )
    func stubbornInterceptor(habit: String) async throws {
        let (asked, answered) = (Signal(), Signal())
        store.use(
            AsyncInterceptor("stubborn") { action, _ in
                asked.fire()
                await untilCancelled()
                await Task { await answered.wait() }.value
                if habit != "ignores it" { throw Unavailable() }
                return action
            }
        )
        let late = dispatch(10)
        await asked.wait()
        await until { clock.sleepers == 1 }
        clock.advance(by: .seconds(1))
        answered.fire()
        #expect(await late.value == .overloaded)
        #expect(await store.state.total == 0)
        #expect(store.statistics.rejectedActions == 0 && store.statistics.failures == 0)
    }

    @Test("A dispatch waiting for the interceptors of a loading store can be cancelled, and can time out")
    func interceptorOfLoadingStore() async throws {
        let (isLoaded, asked) = (Latch(), Collector<Int>())
        let store = Store(
            initialState: 0,
            loading: {
                await isLoaded.wait()
                return 1
            },
            reducer: Reduce<Int, Int> { sum, amount in
                sum += amount
                return .none
            }
        )
        store.use(
            AsyncInterceptor("passing") { amount, _ in
                asked.append(amount)
                return amount
            }
        )
        let (overdue, cancelled) = (
            Task { [clock] in try await store.dispatch(10, acceptanceTimeout: .seconds(1), clock: clock) },
            Task { try await store.dispatch(100) }
        )
        await until { clock.sleepers == 1 }
        clock.advance(by: .seconds(1))
        await #expect(throws: StoreError.overloaded) { try await overdue.value }
        cancelled.cancel()
        await #expect(throws: StoreError.cancelled) { try await cancelled.value }
        let patient = Task { try await store.dispatch(1_000) }
        isLoaded.open()
        _ = try await patient.value
        #expect(await store.state == 1_001)
        #expect(asked.elements == [1_000])
    }

    @Test("A dispatch passes asynchronous interceptors while the store is busy, and is refused without room in time")
    func interceptorOfHeldStore() async throws {
        let asked = Signal()
        store.use(
            AsyncInterceptor("passing") { action, _ in
                if case .add(10) = action { asked.fire() }
                return action
            }
        )
        let hold = await store.holdUp()
        store.send(.add(1))
        let late = dispatch(10)
        await asked.wait()
        await until { store.statistics.suspendedDispatches == 1 && clock.sleepers == 1 }
        clock.advance(by: .seconds(1))
        #expect(await late.value == .overloaded)
        hold.release()
        #expect(await store.state.total == 1)
    }

    /// Runs jobs one after the other, the latest first.
    private final class LatestFirstExecutor: TaskExecutor {
        private let state = LockedValue((jobs: [UnownedJob](), isRunning: false))

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            let isRunning = state.withLock { state in
                state.jobs.append(job)
                defer { state.isRunning = true }
                return state.isRunning
            }
            if !isRunning { onThread { self.run() } }
        }

        private func run() {
            while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }

        private func next() -> UnownedJob? {
            state.withLock { state in
                if state.jobs.isEmpty { state.isRunning = false }
                return state.jobs.popLast()
            }
        }
    }

    @Test("A dispatch with an expired timeout is refused, and asynchronous interceptors cannot accept it")
    func overdueAtOnce() async throws {
        let asked = Collector<Void>()
        store.use(
            AsyncInterceptor("passing") { action, _ in
                asked.append(())
                return action
            }
        )
        for scope in [store, store.scope(\.self)] {
            let dispatch = Task(executorPreference: LatestFirstExecutor()) {
                try await scope.dispatch(.add(1), acceptanceTimeout: .zero, clock: ImmediateClock())
            }
            await #expect(throws: StoreError.overloaded) { try await dispatch.value }
        }
        #expect(asked.elements.isEmpty)
        // A task that was cancelled before may dispatch, with or without a timeout.
        let cancelled = Task {
            await untilCancelled()
            try await store.dispatch(.add(10), acceptanceTimeout: .seconds(1), clock: clock)
        }
        cancelled.cancel()
        _ = try await cancelled.value
        #expect(await store.state.total == 10)
    }
}
