import Testing

@testable import ActorStore

@Suite("A collection of what ends by itself is looked through")
struct SweepThresholdTests {
    @Test("when it is twice as long as the last look has left it")
    func doubled() {
        var sweep = SweepThreshold(minimum: 4)
        sweep.reset(after: 10)
        #expect(!sweep.isReached(by: 19))
        #expect(sweep.isReached(by: 20))
    }

    @Test("only from a smallest length on, however little the last look has left")
    func shortest() {
        var sweep = SweepThreshold(minimum: 4)
        #expect(!sweep.isReached(by: 3))
        #expect(sweep.isReached(by: 4))
        sweep.reset(after: 0)
        #expect(!sweep.isReached(by: 3))
        #expect(sweep.isReached(by: 4))
    }

    @Test("so seldom that a million additions take no more than two million looks at an element")
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
