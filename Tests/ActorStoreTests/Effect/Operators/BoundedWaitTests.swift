import ActorStoreCommands
import Testing

@testable import ActorStore
@testable import TestFixtures

@Suite("Durations beyond the range of clocks", .timeLimit(.minutes(10)))
struct BoundedWaitTests {
    typealias Action = Ledger.Action

    private static let longest = Duration(attoseconds: .max)

    @Test("Out-of-range durations are limited to a hundred years, in both directions")
    func bounds() {
        #expect(Self.longest.boundedWait == .longestWait)
        #expect(Duration(attoseconds: .min).boundedWait == .zero - .longestWait)
        #expect(Duration.seconds(3).boundedWait == .seconds(3))
    }

    @Test(
        "An effect delayed, timed out, debounced, throttled or repeated by an endless duration waits without a trap",
        arguments: ["delay", "timeout", "debounce", "debounce with a limit", "throttle", "timer"]
    )
    func effects(kind: String) async throws {
        let clock = ManualClock()
        clock.advance(by: .seconds(5))
        let store = Ledger.store()
        let work = Effect<Action>.run { _ in await untilCancelled() }
        let effect: Effect<Action> =
            switch kind {
            case "delay": work.delay(for: Self.longest, tolerance: Self.longest, clock: clock)
            case "timeout": work.timeout(after: Self.longest, clock: clock)
            case "debounce": work.debounce(id: 1, for: Self.longest, clock: clock)
            case "debounce with a limit": work.debounce(id: 1, for: Self.longest, maxWait: Self.longest, clock: clock)
            case "throttle": work.throttle(id: 1, for: Self.longest, clock: clock)
            default: .timer(every: Self.longest, clock: clock) { _ in nil }
            }
        try await store.dispatch(.start(effect))
        if kind == "throttle" { try await store.dispatch(.start(effect)) }
        await clock.waitForSleeper(until: .longestWait + .seconds(5))
        await store.shutdown(drain: .cancelEffects)
    }

    @Test("A state-driven effect with an endless delay waits without a trap")
    func drivenEffect() async throws {
        let clock = ManualClock()
        let store = Workshop.store()
        let driving = store.effect(on: \.job, clock: clock) { _ in .run { _ in } }
        try await store.change { $0.job.run(delay: Self.longest) }
        await clock.waitForSleeper(until: .longestWait)
        await store.shutdown(drain: .cancelEffects)
        withExtendedLifetime(driving) {}
    }

    @Test("A timer counts on after the number of ticks exceeds Int.max")
    func ticks() {
        var schedule = TimerSchedule(interval: Duration(attoseconds: 1))
        for _ in 0..<2 {
            let tick = schedule.tick(at: .longestWait)
            #expect(tick.number == .max)
        }
        #expect(schedule.nextOffset == Duration(attoseconds: Int128(Int.max)))
    }

    @Test("The system clock accepts limited durations")
    func systemClock() async throws {
        let store = Ledger.store()
        let task = try await store.dispatch(.start(.send(.enter(0, 1)).delay(for: Self.longest)))
        task.cancel()
        await store.shutdown(drain: .cancelEffects, within: Self.longest)
        #expect(task.isFinished)
    }

    @Test("An effect delayed until an inexpressible time begins at once if that time has passed")
    func longAgo() async throws {
        let store = Ledger.store()
        for past in [Duration.seconds(-1e19), .seconds(-1)] {
            let effect = Effect<Action>.send(.add(1))
                .delay(until: ContinuousClock.now.advanced(by: past), clock: ContinuousClock())
            try await store.dispatch(.start(effect)).finish()
        }
        #expect(await store.state.total == 2)
    }
}
