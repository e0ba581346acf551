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
        try await expect(requests: "a---", send: "---(st)", end: "---a") { _, clock in
            .merge(.send("s"), .task { "t" }).delay(for: .seconds(3), clock: clock)
        }
    }

    @Test("A delayed concatenation waits once, and keeps its order")
    func delayedConcatenation() async throws {
        try await expect(requests: "a---", send: "---(123)", end: "---a") { _, clock in
            .concatenate(.send("1"), .task { "2" }, .send("3")).delay(for: .seconds(3), clock: clock)
        }
    }

    @Test("A cancellation can be delayed")
    func delayedCancellation() async throws {
        try await expect(requests: "a-b---", send: "------", end: "-----(ab)") { request, clock in
            request == "a"
                ? .run(id: 1) { _ in await untilCancelled() }
                : .cancel(id: 1).delay(for: .seconds(3), clock: clock)
        }
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
        try await expect(requests: "a-b---", send: "-----b", end: "--a--b") { request, clock in
            .task(id: "banner", policy: .cancelInFlight) { request }.delay(for: .seconds(3), clock: clock)
        }
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
        try await expect(requests: "a-----|", send: "--a-a-a", end: "------a") { request, clock in
            .merge(
                .timer(every: .seconds(2), clock: clock, send: request),
                .timer(every: .seconds(2), clock: clock) { _ in nil }
            )
        }
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
