import ActorStore
import ActorStoreCommands
import ActorStoreTesting
import Testing

@testable import TestFixtures

@Suite("Test stores: the end of a test", .timeLimit(.minutes(10)))
struct TestStoreEndTests {
    @Test("finish names unreceived actions")
    func unreceived() async {
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece())
        await store.dispatch(.echo("one")) { $0.note = "?" }
        let line: UInt = #line + 1
        let issues = await failures { await store.finish() }
        #expect(
            issues.map(\.message) == ["The test has ended, but 1 action was not received:\n  .write(\"one\")"]
        )
        #expect(issues.first?.location.line == line)
    }

    @Test("finish names the first of very many unreceived actions, and counts the others")
    func unreceivedByTheHundred() async {
        let counting = Reduce<Int, Int> { count, number in
            count = number
            return number == 0 ? .run { send in for number in 1...250 { send(number) } } : .none
        }
        let store = TestStore(initialState: -1, reducer: counting)
        await store.dispatch(0) { $0 = 0 }
        let message = await failures { await store.finish() }.first?.message ?? ""
        #expect(message.contains("250 actions were not received:\n  1\n  2\n"))
        #expect(message.hasSuffix("\n  100\n  … and 150 more"))
    }

    @Test("Running effects are named with their identity, their action and their place")
    func running() async throws {
        let clock = TestClock()
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece(clock: clock))
        await store.dispatch(.start) { $0.isRunning = true }
        let issues = await failures { await store.finish(timeout: .zero) }
        let message = try #require(issues.first?.message)
        #expect(issues.count == 1)
        #expect(message.contains("1 effect still runs"))
        #expect(message.contains("the effect \"timer\" of .start, written at ActorStoreTestingTests/Timepiece.swift:"))
    }

    /// The operation of an action, in the default effect.
    private struct Poll: AsyncAction, Equatable {
        let clock: TestClock
        func run(_ send: Send<Poll>) async throws { try await clock.sleep(for: .seconds(1)) }
        static func == (left: Poll, right: Poll) -> Bool { left.clock === right.clock }
    }

    @Test(
        "The operation of an asynchronous action, and a driven effect's wait, are named with their place in the feature"
    )
    func placesInFeatures() async throws {
        let polling = TestStore(initialState: 0, reducer: AsyncActions<Int, Poll>())
        let reducerLine: UInt = #line - 1
        await polling.dispatch(Poll(clock: TestClock()))
        let polls = await failures { await polling.finish(timeout: .zero) }
        #expect(polls.first?.message.contains("written at \(#fileID):\(reducerLine)") == true)

        let state = EffectState<EffectFailure>()
        let retrying = TestStore(
            initialState: state,
            reducer: Reduce<EffectState<EffectFailure>, Int> { state, seconds in
                state.run(maxAttempts: 1, delay: .seconds(seconds))
                return .none
            }
        )
        let driverLine: UInt = #line + 1
        retrying.store.effect(on: \.self, clock: TestClock()) { _ in .run { _ in } }
        retrying.exhaustivity = .off
        await retrying.dispatch(1)
        retrying.exhaustivity = .on
        let waits = await failures { await retrying.finish(timeout: .zero) }
        #expect(waits.first?.message.contains("written at \(#fileID):\(driverLine)") == true)
        await polling.skipInFlightEffects(strict: false)
        await retrying.skipInFlightEffects(strict: false)
    }

    @Test("A released test store reports the same failures, at the place of its creation")
    func release() async throws {
        let line: UInt = #line + 2
        let issues = await failures {
            let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece(clock: TestClock()))
            await store.dispatch(.start) { $0.isRunning = true }
            await store.dispatch(.echo("one")) { $0.note = "?" }
        }
        #expect(issues.map(\.location.line) == [line, line])
        #expect(issues.first?.message.contains("1 action was not received") == true)
        #expect(issues.last?.message.contains("1 effect still runs") == true)
    }

    @Test("Operations that run at the release of a test store are cancelled, and end, also on other executors")
    func releaseEndsEffects() async throws {
        let ended = Recorder<Bool>()
        let goOn = AsyncStream.makeStream(of: Void.self)
        let wait: @Sendable () async -> Int = {
            // Not cancelled with the effect: it comes back when the executor is no longer run.
            await Task.detached { for await _ in goOn.stream {} }.value
            ended.record(Task.isCancelled)
            return 0
        }
        do {
            let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece(loadRecord: wait))
            store.exhaustivity = .off
            await store.dispatch(.loadRecord)
        }
        goOn.continuation.finish()
        #expect(try await ended.next(timeout: .seconds(60)))
    }

    @Test("finish waits for slow effects on other executors")
    func finishWaits() async {
        let load: @Sendable () async -> Int = { await Task.detached { 9 }.value }
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece(loadRecord: load))
        store.exhaustivity = .off
        await store.dispatch(.loadRecord)
        await store.finish(timeout: .seconds(60))
        #expect(store.state.record == 9)
    }

    @Test("Remaining actions and effects can be skipped; skipping nothing fails the test, unless allowed")
    func skipping() async {
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece(clock: TestClock()))
        await store.dispatch(.start) { $0.isRunning = true }
        await store.dispatch(.echo("one")) { $0.note = "?" }
        await store.skipReceivedActions()
        #expect(store.state.note == "one")
        await store.skipInFlightEffects()
        await store.finish()
        let issues = await failures {
            await store.skipReceivedActions()
            await store.skipInFlightEffects()
            await store.skipReceivedActions(strict: false)
            await store.skipInFlightEffects(strict: false)
        }
        #expect(
            issues.map(\.message) == [
                "There are no received actions to skip.", "There are no effects to skip.",
            ]
        )
    }

    @Test("The effects of one step, with their feedback, can be awaited or cancelled")
    func tasks() async {
        let clock = TestClock()
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece(clock: clock))
        let timer = await store.dispatch(.start) { $0.isRunning = true }
        #expect(!timer.isFinished)
        let issues = await failures { await timer.finish(timeout: .zero) }
        #expect(issues.map(\.message) == ["The effects of the action still run. Cancel them, or make them end."])
        await timer.cancel()
        #expect(timer.isFinished)
        let load = await store.dispatch(.loadRecord)
        await load.finish()
        await store.receive(.recordLoaded(42)) { $0.record = 42 }
        #expect(await store.dispatch(.tick) { $0.seconds = 1 }.isFinished)
    }

    @Test("Awaiting the effects of a step includes operations on other executors")
    func taskWaitsForForeignWork() async {
        let load: @Sendable () async -> Int = { await Task.detached { 9 }.value }
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece(loadRecord: load))
        await store.dispatch(.loadRecord).finish(timeout: .seconds(60))
        await store.receive(.recordLoaded(9)) { $0.record = 9 }
    }

    @Test("An unhandled error of an effect fails the test, exhaustive or not")
    func errors() async {
        struct Broken: Error {}
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece(loadRecord: { throw Broken() }))
        store.exhaustivity = .off
        let issues = await failures { await store.dispatch(.loadRecord) }
        #expect(issues.count == 1)
        #expect(issues.first?.message.contains("The effect \"record\"") == true)
        #expect(issues.first?.message.contains("Broken()") == true)
    }

    /// The waiting group in ``waitingStore(_:)``.
    enum Wait: CaseIterable, Sendable { case debouncedSend, debouncedMerge, throttledConcatenation, queuedMerge }

    /// A test store with a waiting effect that does not begin before its time: for an interval, or in a queue.
    private func waitingStore(
        _ wait: Wait,
        _ clock: any Clock<Duration> = TestClock()
    ) async -> TestStore<Int, Int> {
        let reducer = Reduce<Int, Int> { sum, number in
            sum += number
            let interval = Duration.seconds(1)
            if number == 0 { return .none }
            return switch wait {
            case .debouncedSend: .send(0).debounce(id: "w", for: interval, clock: clock)
            case .debouncedMerge: .merge(.send(0), .run { _ in }).debounce(id: "w", for: interval, clock: clock)
            case .throttledConcatenation:
                .concatenate(.run { _ in }, .send(0)).throttle(id: "w", for: interval, clock: clock)
            case .queuedMerge:
                .merge(.run { _ in try await clock.sleep(for: interval) }, .send(0))
                    .cancellable(id: "w", policy: .serial)
            }
        }
        let store = TestStore(initialState: 0, reducer: reducer)
        for number in 1...2 {
            await store.dispatch(number) { $0 += number }
            await store.skipReceivedActions(strict: false)
        }
        return store
    }

    @Test("A waiting group counts as running for finish, release, receive and skipping", arguments: Wait.allCases)
    func waitsOfGroups(wait: Wait) async throws {
        let name = "  the effect \"w\" of 2, written at "
        let isNamed = { (issue: ReportedIssue?) in issue?.message.contains(name) == true }
        let atFinish = await failures { await waitingStore(wait).finish(timeout: .zero) }
        #expect(atFinish.count == 1 && isNamed(atFinish.first))
        let atRelease = await failures { _ = await waitingStore(wait) }
        #expect(atRelease.count == 1 && isNamed(atRelease.first))
        let atReceive = await failures {
            let store = await waitingStore(wait)
            store.timeout = .zero
            await store.receive(0)
            await store.skipInFlightEffects()
            await store.finish()
        }
        #expect(atReceive.count == 1 && isNamed(atReceive.first))
        #expect(atReceive.first?.message.contains("These effects run:") == true)
        let clock = TestClock()
        let store = await waitingStore(wait, clock)
        await clock.advance(by: .seconds(2))
        await store.receive(0)
        await store.finish()
    }

    @Test("The feedback of a waiting group is awaited by receive and by finish")
    func waitForGroups() async {
        let (clock, otherClock) = (TestClock(), TestClock())
        let receiving = await waitingStore(.debouncedSend, clock)
        receiving.timeout = .seconds(60)
        async let interval: Void = clock.advance(by: .seconds(1))
        await receiving.receive(0)
        await interval
        let issues = await failures {
            let store = await waitingStore(.debouncedSend, otherClock)
            async let interval: Void = otherClock.advance(by: .seconds(1))
            await store.finish(timeout: .seconds(60))
            await interval
        }
        #expect(issues.map(\.message) == ["The test has ended, but 1 action was not received:\n  0"])
    }

    @Test("The feedback of an effect that ends on another executor is awaited by receive and by finish")
    func followUpsElsewhere() async {
        struct Broken: Error {}
        let reducer = Reduce<Int, Int> { sum, number in
            sum += number
            return switch number {
            case 1: .concatenate(.run { _ in }, .send(10)).on(globalConcurrentExecutor)
            case 2: .concatenate(.run { _ in }, .run { _ in throw Broken() }).on(globalConcurrentExecutor)
            default: .none
            }
        }
        for _ in 0..<100 {
            let receiving = TestStore(initialState: 0, reducer: reducer)
            receiving.timeout = .seconds(60)
            await receiving.dispatch(1) { $0 = 1 }
            await receiving.receive(where: { $0 == 10 }) { $0 = 11 }
            for number in 1...2 {
                let store = TestStore(initialState: 0, reducer: reducer)
                let issues = await failures {
                    await store.dispatch(number) { $0 = number }
                    await store.finish(timeout: .seconds(60))
                }
                #expect(issues.count == 1)
            }
        }
    }

    @Test("An executor of several test stores runs effects by itself only after the release of the last one")
    func sharedExecutor() async {
        let executor = ManualExecutor()
        let reducer = Reduce<Int, Int> { _, _ in .run { _ in } }
        var stores = (0..<2).map { _ in TestStore(initialState: 0, reducer: reducer, executor: executor) }
        stores.removeFirst()
        stores[0].exhaustivity = .off
        let store = stores[0].store
        store.send(1)
        await letOtherTasksRun(yields: 1_000)
        #expect(store.statistics.runningEffects == 1)
        stores[0].runUntilIdle()
        #expect(store.statistics.runningEffects == 0)
        _ = stores.popLast()
        let other = Store(initialState: 0, reducer: reducer, configuration: StoreConfiguration(executor: executor))
        other.send(1)
        await until { other.statistics.runningEffects == 0 }
    }

    @Test("A released test store retains no action, also if the action retains the store")
    func actionsAreReleased() async {
        final class Order: Sendable {
            let store: Store<Int, Order>
            init(_ store: Store<Int, Order>) { self.store = store }
        }
        weak var released: Order?
        do {
            let store = TestStore(initialState: 0, reducer: Reduce<Int, Order> { _, _ in .run { _ in } })
            let order = Order(store.store)
            released = order
            await store.dispatch(order)
        }
        await until { released == nil }
    }

    @Test("An error of an effect on another executor fails the test where its end is awaited, or at the release")
    func errorsElsewhere() async {
        struct Broken: Error {}
        let reducer = Reduce<Int, Int> { _, _ in .run { _ in throw Broken() }.on(globalConcurrentExecutor) }
        for _ in 0..<100 {
            let store = TestStore(initialState: 0, reducer: reducer)
            let issues = await failures {
                await store.dispatch(1)
                await store.finish(timeout: .seconds(60))
            }
            #expect(issues.count == 1)
            let issuesAtRelease = await failures {
                let store = TestStore(initialState: 0, reducer: reducer)
                await store.dispatch(1).finish(timeout: .seconds(60))
            }
            #expect(issuesAtRelease.count == 1)
        }
    }

    @Test("Effects of a start rule's action are visible, received and awaited")
    func rules() async throws {
        let load: @Sendable () async -> Int = { await Task.detached { 9 }.value }
        let reducer = Timepiece(clock: TestClock(), loadRecord: load)
        func makeStore(_ action: Timepiece.Action) -> TestStore<Timepiece.State, Timepiece.Action> {
            TestStore(
                initialState: Timepiece.State(),
                reducer: reducer,
                interceptors: [.observing(.onStart { action })]
            )
        }
        let loading = makeStore(.loadRecord)
        await loading.receive(.loadRecord)
        await loading.receive(.recordLoaded(9), timeout: .seconds(60)) { $0.record = 9 }
        await loading.finish()
        let ticking = makeStore(.start)
        await ticking.receive(.start) { $0.isRunning = true }
        let issues = await failures { await ticking.finish(timeout: .zero) }
        #expect(issues.count == 1 && issues.first?.message.contains("1 effect still runs") == true)
    }

    @Test("The interceptors of a test store run in their given order")
    func interceptors() async {
        let seen = Recorder<String>()
        func interceptor(_ name: String) -> Interceptor<Timepiece.State, Timepiece.Action> {
            Interceptor(name) { action, _, next in
                seen.record(name)
                try next(action)
            }
        }
        let store = TestStore(
            initialState: Timepiece.State(),
            reducer: Timepiece(),
            interceptors: [interceptor("outer"), interceptor("inner")]
        )
        await store.dispatch(.write("one")) { $0.note = "one" }
        #expect(seen.elements == ["outer", "inner"])
    }

    @Test("All interceptors of a test store surround the first one's action at the start")
    func interceptorsOfTheFirstAction() async {
        let louder = Interceptor<Timepiece.State, Timepiece.Action>("louder") { action, _, next in
            if case .write(let note) = action { try next(.write(note + "!")) } else { try next(action) }
        }
        let interceptors = [.observing(.onStart { .write("one") }), louder]
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece(), interceptors: interceptors)
        await store.receive(.write("one!")) { $0.note = "one!" }
        await store.finish()
    }

    @Test("finish fails if actions wait in a store that an observer suspends")
    func suspended() async throws {
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece())
        let notes = store.store.values(of: \.note, buffering: .bounded(1, onOverflow: .suspendStore))
        var iterator = notes.makeAsyncIterator()
        #expect(await iterator.next() == "")
        store.store.send(.write("one"))
        store.store.send(.write("two"))
        await store.receive(.write("one")) { $0.note = "one" }
        let issues = await failures { await store.finish(timeout: .milliseconds(1)) }
        #expect(
            issues.map(\.message) == [
                "The test has ended, but 1 action waits in the store, which an observer suspends, or which has no state yet."
            ]
        )
        store.exhaustivity = .off
        withExtendedLifetime(iterator) {}
    }
}
