import Testing

@testable import ActorStoreSimulation

@Suite("Delta debugging", .timeLimit(.minutes(10)))
struct DeltaDebuggingTests {
    private func shrink(_ elements: [Int], fails: ([Int]) -> Bool) -> (smallest: [Int], attempts: Int) {
        var debugging = DeltaDebugging(elements)
        var attempts = 0
        while let candidate = debugging.candidate {
            attempts += 1
            debugging.note(candidateFails: fails(candidate))
        }
        return (debugging.smallest, attempts)
    }

    @Test("Every pair out of 40 elements is found, in far fewer attempts than there are lists")
    func pairs() {
        let elements = Array(0..<40)
        for first in elements {
            for second in elements where first < second {
                let (smallest, attempts) = shrink(elements) { $0.contains(first) && $0.contains(second) }
                #expect(smallest == [first, second])
                #expect(attempts < 200)
            }
        }
    }

    @Test("The result of delta debugging is minimal: no element can be left out")
    func minimal() {
        // Fails with at least three multiples of 5, or with 7 and 8.
        let fails: ([Int]) -> Bool = { list in
            list.count { $0.isMultiple(of: 5) } >= 3 || (list.contains(7) && list.contains(8))
        }
        let (smallest, _) = shrink(Array(0..<50), fails: fails)
        #expect(fails(smallest))
        for index in smallest.indices {
            var rest = smallest
            rest.remove(at: index)
            #expect(!fails(rest))
        }
    }

    @Test("A constant failure reduces to nothing, and a failure of the whole only stays whole")
    func extremes() {
        #expect(shrink(Array(0..<10)) { _ in true }.smallest.isEmpty)
        #expect(shrink(Array(0..<10)) { $0.count == 10 }.smallest.count == 10)
        #expect(shrink([]) { _ in true }.attempts == 0)
        #expect(shrink([1]) { !$0.isEmpty }.smallest == [1])
    }
}
