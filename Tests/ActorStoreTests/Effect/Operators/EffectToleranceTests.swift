import ActorStore
import Testing

@testable import TestFixtures

@Suite("Tolerances of timed effects", .timeLimit(.minutes(10)))
struct EffectToleranceTests {
    /// A clock that advances to its sleepers' deadlines, three times, and records their tolerances.
    private final class RecordingClock: Clock {
        let tolerances = Collector<Duration?>()
        private let time = ManualClock()

        var now: ManualClock.Instant { time.now }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
            tolerances.append(tolerance)
            if tolerances.elements.count > 3 { await untilCancelled() }
            try Task.checkCancellation()
            time.advance(by: now.duration(to: deadline))
        }
    }

    private typealias Action = Ledger.Action

    private let clock = RecordingClock()
    private let store = Ledger.store()

    @Test("A delay passes its tolerance to the clock", arguments: [Duration.milliseconds(250), nil])
    func delay(tolerance: Duration?) async throws {
        let work = Effect<Action>.send(.add(1))
        let delayed = work.delay(for: .seconds(1), tolerance: tolerance, clock: clock)
        try await store.dispatch(.start(delayed)).finish()
        let instant = clock.now.advanced(by: .seconds(1))
        try await store.dispatch(.start(work.delay(until: instant, tolerance: tolerance, clock: clock))).finish()
        #expect(clock.tolerances.elements == [tolerance, tolerance])
    }

    @Test("A timeout passes its tolerance to the clock", arguments: [Duration.milliseconds(250), nil])
    func timeout(tolerance: Duration?) async throws {
        let late = Effect<Action>.run { _ in await untilCancelled() }
            .timeout(after: .seconds(1), tolerance: tolerance, clock: clock) { .write("late") }
        try await store.dispatch(.start(late)).finish()
        await #expect(throws: TimedOut.self) {
            try await withTimeout(.seconds(1), tolerance: tolerance, clock: clock) { await untilCancelled() }
        }
        #expect(clock.tolerances.elements == [tolerance, tolerance])
    }

    @Test("A timer passes its tolerance to the clock with each wait", arguments: [Duration.milliseconds(250), nil])
    func timer(tolerance: Duration?) async throws {
        let timer = Effect<Action>.timer(every: .seconds(1), tolerance: tolerance, clock: clock, send: .add(1))
        try await store.dispatch(.start(timer))
        await until { clock.tolerances.elements.count == 4 }
        #expect(clock.tolerances.elements == [tolerance, tolerance, tolerance, tolerance])
        await store.shutdown(drain: .cancelEffects)
        #expect(store.snapshot.total == 3)
    }
}
