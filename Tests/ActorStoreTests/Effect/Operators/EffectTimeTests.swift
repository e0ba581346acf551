import ActorStoreTesting
import Testing

@testable import ActorStore
@testable import TestFixtures

@Suite("Effects and time", .timeLimit(.minutes(10)))
struct EffectTimeTests {
    typealias Action = Ledger.Action

    private let clock = ManualClock()
    private let store = Ledger.store()

    @Test("A delayed effect begins after its delay, not before")
    func delay() async throws {
        let effect = Effect<Action>.merge(.send(.enter(0, 1)), .task { .enter(0, 2) })
        let task = try await store.dispatch(.start(effect.delay(for: .seconds(10), clock: clock)))
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(9))
        #expect(await store.state.entries.isEmpty)
        clock.advance(by: .seconds(1))
        try await task.finish()
        #expect(Set(await store.state.entries.map(\.number)) == [1, 2])
    }

    @Test("A delayed concatenation waits once, and keeps its order")
    func delayedConcatenation() async throws {
        let effect = Effect<Action>.concatenate(.send(.enter(0, 1)), .task { .enter(0, 2) }, .send(.enter(0, 3)))
        let task = try await store.dispatch(.start(effect.delay(for: .seconds(10), clock: clock)))
        await clock.waitForSleepers()
        #expect(await store.state.entries.isEmpty)
        clock.advance(by: .seconds(10))
        try await task.finish()
        #expect(await store.state.entries.map(\.number) == [1, 2, 3])
        #expect(clock.now.offset == .seconds(10))
    }

    @Test("A cancellation can be delayed")
    func delayedCancellation() async throws {
        let work = try await store.dispatch(.start(.run(id: 1) { _ in await untilCancelled() }))
        try await store.dispatch(.start(.cancel(id: 1).delay(for: .seconds(10), clock: clock)))
        await clock.waitForSleepers()
        #expect(!work.isFinished)
        clock.advance(by: .seconds(10))
        try await work.finish()
    }

    @Test("A delayed effect does not begin if its time is over before the delay")
    func delayOutOfTime() async throws {
        // Each with its number of sleepers: an operation until its delay is over, and until its time is.
        let effects: [(Effect<Action>, sleepers: Int)] = [
            (.send(.add(1)), 2),
            (.concatenate(.send(.add(1)), .task { .add(1) }, .cancel(id: 1)), 2),
            (.cancel(id: 1), 2),
            (.concatenate(.send(.add(1)), .send(.add(1))).cancellable(id: 2), 2),
            (.merge(.concatenate(.send(.add(1)), .send(.add(1))), .task { .add(1) }), 4),
        ]
        for (effect, sleepers) in effects {
            let (store, clock) = (Ledger.store(), ManualClock())
            let other = try await store.dispatch(.start(.run(id: 1) { _ in await untilCancelled() }))
            let late = effect.delay(for: .seconds(10), clock: clock)
                .timeout(after: .seconds(5), clock: clock) { .write("timed out") }
            let task = try await store.dispatch(.start(.concatenate(late, .send(.add(100)))))
            await clock.waitForSleepers(sleepers)
            clock.advance(by: .seconds(5))
            try await task.finish()
            // Later parts of a concatenation continue, as after any other part.
            #expect(store.snapshot == Ledger.State(total: 100, note: "timed out"))
            #expect(!other.isFinished)
            await store.shutdown(drain: .cancelEffects)
        }
    }

    @Test("A delayed effect does not begin if the clock fails")
    func failingDelay() async throws {
        let effect = Effect<Action>.concatenate(.send(.add(1)), .task { .add(1) }, .cancel(id: 1))
            .delay(for: .seconds(1), clock: FailingClock())
        let task = try await store.dispatch(.start(effect))
        await #expect(throws: FailingClock.Failed.self) { try await task.finish() }
        #expect(try await store.errors.first(1).first?.error is FailingClock.Failed)
        let caught = effect.catch { _ in .write("failed") }
        try await store.dispatch(.start(caught)).finish()
        #expect(await store.state == Ledger.State(note: "failed"))
        // And it is not tracked anywhere.
        await store.shutdown(drain: .finishEffects)
    }

    @Test("A delayed effect does not begin if its delay ends after its time, as on a clock that ignores cancellation")
    func stubbornDelay() async throws {
        struct StubbornClock: Clock {
            let mayWake = Latch()
            let clock = ContinuousClock()
            var now: ContinuousClock.Instant { clock.now }
            var minimumResolution: Duration { clock.minimumResolution }
            func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async { await mayWake.wait() }
        }
        let stubborn = StubbornClock()
        let effect = Effect<Action>.concatenate(.send(.add(1)), .task { .add(1) })
            .delay(for: .seconds(1), clock: stubborn)
            .timeout(after: .seconds(5), clock: clock) { .write("timed out") }
        let task = try await store.dispatch(.start(effect))
        await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        try await store.condition(\.note) { $0 == "timed out" }
        stubborn.mayWake.open()
        try await task.finish()
        #expect(await store.state.total == 0)
    }

    @Test("A delay has the identity and policy of its operation, and ends at once when it is cancelled")
    func cancelledDelay() async throws {
        func effect(_ number: Int) -> Effect<Action> {
            .task(id: "banner", policy: .cancelInFlight) { .enter(0, number) }.delay(for: .seconds(10), clock: clock)
        }
        let first = try await store.dispatch(.start(effect(1)))
        await clock.waitForSleepers()
        clock.advance(by: .seconds(9))
        let second = try await store.dispatch(.start(effect(2)))
        // The time stands still: only the cancellation can have ended it.
        try await first.finish()
        await clock.waitForSleeper(until: .seconds(19))
        clock.advance(by: .seconds(10))
        try await second.finish()
        #expect(await store.state.entries.map(\.number) == [2])
    }

    @Test("A delayed send is cancelled with the effects of its action, and with the store")
    func cancelledSends() async throws {
        let effect = Effect<Action>.send(.add(1)).delay(for: .seconds(10), clock: clock)
        let task = try await store.dispatch(.start(effect))
        await clock.waitForSleepers()
        task.cancel()
        try await task.finish()
        try await store.dispatch(.start(.concatenate(effect, effect).delay(for: .seconds(1), clock: clock)))
        await clock.waitForSleepers()
        await store.shutdown(drain: .cancelEffects)
        #expect(clock.sleepers == 0)
        #expect(store.snapshot.total == 0)
    }

    @Test("A timer ticks at its intended times, one interval apart, without drift")
    func timer() async throws {
        let timer = Effect<Action>.timer(id: "timer", every: .seconds(10), clock: clock) { tick in
            .enter(tick.missed, tick.number)
        }
        let task = try await store.dispatch(.start(timer))
        await clock.waitForSleeper(until: .seconds(10))
        // It is woken late, but the next tick keeps its schedule.
        for (step, next) in [(13, 20), (7, 30), (19, 40)] {
            clock.advance(by: .seconds(step))
            await clock.waitForSleeper(until: .seconds(next))
        }
        try await store.dispatch(.start(.cancel(id: "timer")))
        try await task.finish()
        #expect(await store.state.entries.map(\.number) == [1, 2, 3])
        #expect(await store.state.entries.allSatisfy { $0.sender == 0 })
        #expect(clock.sleepers == 0)
    }

    @Test("Missed ticks are not made up for: one tick carries their number, and the next one keeps the schedule")
    func missedTicks() async throws {
        let timer = Effect<Action>.timer(every: .seconds(10), clock: clock) { .enter($0.missed, $0.number) }
        let task = try await store.dispatch(.start(timer))
        await clock.waitForSleeper(until: .seconds(10))
        clock.advance(by: .seconds(10))
        await clock.waitForSleeper(until: .seconds(20))
        clock.advance(by: .seconds(35))
        await clock.waitForSleeper(until: .seconds(50))
        clock.advance(by: .seconds(5))
        await clock.waitForSleeper(until: .seconds(60))
        task.cancel()
        try await task.finish()
        let entries = await store.state.entries
        #expect(entries.map(\.number) == [1, 4, 5])
        #expect(entries.map(\.sender) == [0, 2, 0])
    }

    @Test("A timer sends the same action each time, or no action")
    func plainTimer() async throws {
        let timers = Effect<Action>.merge(
            .timer(every: .seconds(1), clock: clock, send: .add(1)),
            .timer(every: .seconds(1), clock: clock) { _ in nil }
        )
        let task = try await store.dispatch(.start(timers))
        await clock.waitForSleepers(2)
        for second in 1...3 {
            clock.advance(by: .seconds(1))
            await until { store.snapshot.total >= second }
            await clock.waitForSleepers(2)
        }
        task.cancel()
        try await task.finish()
        #expect(store.snapshot.total == 3)
        #expect(store.revision == 4)
    }

    @Test("The schedule of a timer returns, for every offset, the last intended time passed, and each time once")
    func schedule() {
        var schedule = TimerSchedule(interval: .milliseconds(100))
        // Of a clock that woke it too early.
        #expect(schedule.tick(at: .milliseconds(99)) == TimerTick(number: 1, missed: 0))
        #expect(schedule.nextOffset == .milliseconds(200))
        #expect(schedule.tick(at: .milliseconds(399)) == TimerTick(number: 3, missed: 1))
        #expect(schedule.nextOffset == .milliseconds(400))
        #expect(schedule.tick(at: .milliseconds(400)) == TimerTick(number: 4, missed: 0))
        #expect(schedule.tick(at: .seconds(1_000_000)) == TimerTick(number: 10_000_000, missed: 9_999_995))
        #expect(schedule.nextOffset == .seconds(1_000_000) + .milliseconds(100))
    }

    @Test("A cancelled effect takes no further element and sends no further tick, even before its task is cancelled")
    func cancelledBeforeItsTask() {
        let executor = ManualExecutor()
        let store = Ledger.store(configuration: StoreConfiguration(executor: executor))
        let (elements, taken, ticks) = (AsyncStream.makeStream(of: Int.self), Collector<Int>(), Collector<Int>())
        let effect = Effect<Action>.merge(
            .sequence(id: 1, elements.stream) { element in
                taken.append(element)
                return nil
            },
            .timer(id: 1, every: .seconds(1), clock: clock) { tick in
                ticks.append(tick.number)
                return nil
            }
        )
        store.send(.start(effect))
        executor.runUntilIdle()
        for number in 1...2 {
            // The executor runs jobs in order of arrival: first the effects, and then the cancellation of their tasks.
            elements.continuation.yield(number)
            clock.advance(by: .seconds(1))
            if number == 2 { store.send(.start(.cancel(id: 1))) }
            executor.runUntilIdle()
        }
        #expect(taken.elements == [1])
        #expect(ticks.elements == [1])
    }

    @Test("An operation cancelled when its delay or retry wait is over does not begin")
    func cancelledAfterItsWait() {
        struct Broken: Error {}
        let executor = ManualExecutor()
        let store = Ledger.store(configuration: StoreConfiguration(executor: executor))
        let attempts = Collector<String>()
        func work(_ name: String) -> Effect<Action> {
            .run(id: 1) { _ in
                attempts.append(name)
                throw Broken()
            } catch: { _ in
                nil
            }
        }
        let policy = RetryPolicy(maxAttempts: 2, backoff: .constant(.seconds(1)))
        store.send(.start(work("delayed").delay(for: .seconds(1), clock: clock)))
        store.send(.start(work("retried").retry(policy, clock: clock)))
        executor.runUntilIdle()
        // The executor runs jobs in order of arrival: first the effects, and then the cancellation of their tasks.
        clock.advance(by: .seconds(1))
        store.send(.start(.cancel(id: 1)))
        executor.runUntilIdle()
        #expect(attempts.elements == ["retried"])
        #expect(store.statistics.runningEffects == 0)
    }

    @Test("An operation with a deadline that is cancelled before its beginning does not begin")
    func cancelledBeforeItsDeadline() {
        let executor = ManualExecutor()
        let store = Ledger.store(configuration: StoreConfiguration(executor: executor))
        let begun = Collector<Void>()
        let work = Effect<Action>.run(id: 1) { _ in begun.append(()) }.timeout(after: .seconds(1), clock: clock)
        store.send(.start(work))
        // Its task runs after that of the operation, and before the child task that runs the operation.
        store.send(.start(.run { send in send(.start(.cancel(id: 1))) }))
        executor.runUntilIdle()
        #expect(begun.elements.isEmpty)
        #expect(store.statistics.runningEffects == 0)
    }
}
