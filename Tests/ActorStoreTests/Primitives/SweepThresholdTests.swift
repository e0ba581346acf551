import Testing

@testable import ActorStore

@Suite("Sweeps of self-ending collections")
struct SweepThresholdTests {
    @Test("A collection is swept when it is twice as long as after the last sweep")
    func doubled() {
        var sweep = SweepThreshold(minimum: 4)
        sweep.reset(after: 10)
        #expect(!sweep.isReached(by: 19))
        #expect(sweep.isReached(by: 20))
    }

    @Test("A collection is not swept below a minimum length, however little the last sweep left")
    func shortest() {
        var sweep = SweepThreshold(minimum: 4)
        #expect(!sweep.isReached(by: 3))
        #expect(sweep.isReached(by: 4))
        sweep.reset(after: 0)
        #expect(!sweep.isReached(by: 3))
        #expect(sweep.isReached(by: 4))
    }

    @Test("A million additions visit at most two million elements in sweeps")
    func amortised() {
        var sweep = SweepThreshold()
        var (count, looked) = (0, 0)
        for _ in 0..<1_000_000 {
            if sweep.isReached(by: count) {
                looked += count
                sweep.reset(after: count)
            }
            count += 1
        }
        #expect(looked <= 2_000_000)
    }
}
