import ActorStore
import Testing

@testable import ActorStoreInstruments
@testable import TestFixtures

@Suite("The duration histogram", .timeLimit(.minutes(10)))
struct DurationHistogramTests {
    @Test("A quantile is at least the exact one, and at most a sixteenth more", arguments: [1, 37, 1_000_003])
    func isNearTheTruth(step: Int64) {
        var histogram = DurationHistogram()
        let durations = (0..<10_000).map { Int64($0) * $0 * step }
        for duration in durations.shuffled() { histogram.add(.nanoseconds(duration)) }
        for fraction in [0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1] {
            let rank = max(1, Int((fraction * 10_000).rounded(.up)))
            let truth = Duration.nanoseconds(durations[rank - 1])
            let quantile = histogram.quantile(fraction)
            #expect(quantile.map { truth <= $0 && $0 <= truth + truth / 16 } == true, "\(fraction) of \(step)")
        }
    }

    @Test("A histogram accepts durations of any length")
    func limits() {
        var histogram = DurationHistogram()
        #expect(histogram.quantile(0.5) == nil)
        histogram.add(.seconds(-1))
        #expect(histogram.quantile(1) == .zero)
        histogram.add(.nanoseconds(Int64.max))
        histogram.add(Duration(secondsComponent: .max, attosecondsComponent: 0))
        #expect(histogram.quantile(0) == .zero)
        #expect(histogram.quantile(1) == .nanoseconds(UInt64.max))
    }

    @Test("A counting instrument has quantiles of its counts, and none exceeds the longest duration")
    func counting() async throws {
        let (clock, counting, store) = (ManualClock(), CountingInstrument(), Ledger.store())
        store.use(counting, clock: clock)
        #expect(counting.counts.endedEffects.quantile(0.99) == .zero)
        for number in 1...100 {
            let effect = Effect<Ledger.Action>.run { _ in clock.advance(by: .milliseconds(number)) }
            try await store.dispatch(.start(effect)).finish()
        }
        _ = await store.state
        let durations = counting.counts.endedEffects
        #expect((Duration.milliseconds(50)...(.milliseconds(54))).contains(durations.quantile(0.5)))
        #expect((Duration.milliseconds(99)...(.milliseconds(100))).contains(durations.quantile(0.99)))
        #expect(durations.quantile(1) == .milliseconds(100))
    }
}
