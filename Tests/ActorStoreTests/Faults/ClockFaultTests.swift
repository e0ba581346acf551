import ActorStore
import Testing

@testable import TestFixtures

@Suite("Faults: clocks that jump", .timeLimit(.minutes(10)))
struct ClockFaultTests {
    private let clock = ManualClock()
    private let store = Ledger.store()
    private static let day = Duration.seconds(86_400)

    @Test("After a jump of a day each wait is due once, and no missed tick or attempt is made up for")
    func forward() async throws {
        struct Broken: Error {}
        let ticks = Collector<Int>()
        let attempts = Collector<Int>()
        try await store.dispatch(.start(.send(.add(1)).delay(for: .seconds(1), clock: clock)))
        try await store.dispatch(
            .start(
                .timer(id: "timer", every: .seconds(1), clock: clock) { tick in
                    ticks.append(tick.missed)
                    return nil
                }
            )
        )
        try await store.dispatch(
            .start(
                Effect.run { _ in
                    attempts.append(1)
                    throw Broken()
                }
                .retry(RetryPolicy(maxAttempts: 3, backoff: .constant(.seconds(1))), clock: clock)
                .catch { _ in nil }
            )
        )
        await clock.waitForSleepers(3)
        clock.advance(by: Self.day)
        try await store.condition(\.total) { $0 == 1 }
        await until { ticks.elements == [86_399] && attempts.elements.count == 2 }
        await clock.waitForSleepers(2)
        #expect(ticks.elements == [86_399] && attempts.elements.count == 2)
        await store.shutdown(drain: .cancelEffects)
        await clock.waitForSleepers(0)
    }

    @Test("After a jump back nothing is due, and everything is due once when its time has come again")
    func backward() async throws {
        let start = ManualClock.Instant(offset: .zero)
        try await store.dispatch(.start(.send(.add(1)).delay(for: .seconds(10), clock: clock)))
        try await store.dispatch(.start(.send(.add(10)).debounce(id: "note", for: .seconds(10), clock: clock)))
        try await store.dispatch(
            .start(.run { _ in await untilCancelled() }.timeout(after: .seconds(10), clock: clock) { .add(100) })
        )
        await clock.waitForSleepers(3)
        clock.advance(by: .seconds(9))
        clock.advance(by: .zero - Self.day)
        #expect(clock.now < start && clock.sleepers == 3 && store.snapshot.total == 0)
        clock.advance(by: Self.day)
        #expect(clock.sleepers == 3)
        clock.advance(by: .seconds(1))
        try await store.condition(\.total) { $0 == 111 }
        await until { store.statistics.runningEffects == 0 }
        #expect(clock.sleepers == 0)
    }

    @Test("A clock jump within a throttled or debounced burst neither loses its last request nor doubles it")
    func bursts() async throws {
        for number in 1...3 {
            try await store.dispatch(
                .start(.send(.enter(0, number)).throttle(id: "throttled", for: .seconds(1), clock: clock))
            )
            try await store.dispatch(
                .start(.send(.enter(1, number)).debounce(id: "debounced", for: .seconds(1), clock: clock))
            )
        }
        await clock.waitForSleepers(2)
        clock.advance(by: Self.day)
        try await store.condition(\.total) { $0 == 3 }
        await until { store.statistics.runningEffects == 0 }
        let entries = store.snapshot.entries
        #expect(entries.filter { $0.sender == 0 }.map(\.number) == [1, 3])
        #expect(entries.filter { $0.sender == 1 }.map(\.number) == [3])
    }
}
