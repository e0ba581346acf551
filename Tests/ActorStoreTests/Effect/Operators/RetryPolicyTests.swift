import ActorStore
import ActorStoreSimulation
import Testing

@Suite("Retry policies", .timeLimit(.minutes(10)))
struct RetryPolicyTests {
    private func waits(
        _ backoff: RetryBackoff,
        _ jitter: RetryJitter = .none,
        seed: UInt64 = 1,
        count: Int = 6
    ) -> [Duration] {
        let policy = RetryPolicy(maxAttempts: .max, backoff: backoff, jitter: jitter)
        var generator = SimulationGenerator(seed: seed)
        return (1...count).compactMap { policy.wait(afterAttempt: $0, using: &generator) }
    }

    @Test("The waits of a policy can be zero, constant, or grow by a factor")
    func backoff() {
        #expect(waits(.none) == Array(repeating: .zero, count: 6))
        #expect(waits(.constant(.seconds(3))) == Array(repeating: .seconds(3), count: 6))
        #expect(waits(.exponential(base: .seconds(2))) == [2, 4, 8, 16, 32, 64].map { .seconds($0) })
        #expect(waits(.exponential(base: .seconds(4), multiplier: 1.5), count: 3) == [4, 6, 9].map { .seconds($0) })
        #expect(waits(.exponential(base: .nanoseconds(3), multiplier: 10), count: 4).last == .microseconds(3))
    }

    @Test("A policy can express Puredux's attempts: waits of 2, 4 and 8 seconds, the first attempt counted")
    func puredux() {
        let policy = RetryPolicy(maxAttempts: 4, backoff: .exponential(base: .seconds(2)))
        var generator = SimulationGenerator(seed: 1)
        let waits = (1...4).map { policy.wait(afterAttempt: $0, using: &generator) }
        #expect(waits == [.seconds(2), .seconds(4), .seconds(8), nil])
    }

    @Test("No wait exceeds the cap, jitter included, and no number of attempts overflows")
    func cap() {
        let capped = RetryBackoff.exponential(base: .seconds(2), cap: .seconds(10))
        #expect(waits(capped) == [2, 4, 8, 10, 10, 10].map { .seconds($0) })
        for seed in UInt64(0)..<100 {
            #expect(waits(capped, .proportional(1), seed: seed).allSatisfy { $0 <= .seconds(10) })
        }
        let policy = RetryPolicy(maxAttempts: .max, backoff: .exponential(base: .seconds(1), multiplier: 1.7))
        var generator = SimulationGenerator(seed: 1)
        var longest = Duration.zero
        for attempt in [10, 100, 1_000, 1_000_000, Int.max - 1] {
            guard let wait = policy.wait(afterAttempt: attempt, using: &generator) else { continue }
            #expect(wait >= longest)
            longest = wait
        }
        // Short enough to be added to the time of any clock.
        #expect(longest > .seconds(86_400 * 365) && longest < .seconds(86_400 * 365 * 101))
        let nothing = RetryPolicy(maxAttempts: .max, backoff: .exponential(base: .zero))
        #expect(nothing.wait(afterAttempt: 1_000_000, using: &generator) == .zero)
    }

    @Test("Jitter stays within its bounds, and uses the whole range")
    func jitter() {
        func spread(_ jitter: RetryJitter) -> [Double] {
            waits(.constant(.seconds(100)), jitter, count: 2_000).map { $0 / .seconds(100) }.sorted()
        }
        func check(_ values: [Double], _ bounds: ClosedRange<Double>) {
            let width = bounds.upperBound - bounds.lowerBound
            #expect(values.allSatisfy { bounds.contains($0) })
            for tenth in 0..<10 {
                let part = bounds.lowerBound + width * Double(tenth) / 10
                #expect(values.count { $0 >= part && $0 < part + width / 10 } > 100)
            }
        }
        #expect(Set(spread(.none)) == [1])
        check(spread(.full), 0...1)
        check(spread(.equal), 0.5...1)
        check(spread(.proportional(0.1)), 0.9...1.1)
        #expect(Set(spread(.proportional(0))) == [1])
    }

    @Test("Jitter is equal for equal seeds, and different for different seeds")
    func seeds() {
        let backoff = RetryBackoff.exponential(base: .seconds(1))
        #expect(waits(backoff, .full, seed: 7) == waits(backoff, .full, seed: 7))
        #expect(waits(backoff, .full, seed: 7) != waits(backoff, .full, seed: 8))
    }
}
