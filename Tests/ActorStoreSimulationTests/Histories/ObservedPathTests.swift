import ActorStoreSimulation
import Testing

@Suite("Values delivered to observers", .timeLimit(.minutes(10)))
struct ObservedPathTests {
    private let path = ObservedPath([0, 1, 1, 2, 1, 3])

    @Test("Values may be skipped, but not the last one, and none if the observer requested all")
    func rightObservers() throws {
        try path.check([0, 1, 2, 1, 3], isGapless: true)
        try path.check([1, 3], isGapless: true)
        try path.check([1, 2, 1, 3], isGapless: true)
        try path.check([0, 2, 3])
        try path.check([0, 1], isComplete: false)
        try path.check([2, 3], sinceTurn: 3)
        try path.check([0, 1], isGapless: true, isComplete: false)
    }

    @Test("Every violation of an observed path has a name")
    func wrongObservers() {
        #expect(throws: ObserverViolation.duplicate(1, at: 2)) { try path.check([0, 1, 1, 3]) }
        #expect(throws: ObserverViolation.backwards(2, at: 1)) { try path.check([3, 2]) }
        #expect(throws: ObserverViolation.backwards(0, at: 0)) { try path.check([0, 3], sinceTurn: 1) }
        #expect(throws: ObserverViolation.invented(7, at: 1)) { try path.check([0, 7, 3]) }
        #expect(throws: ObserverViolation.missed(1, at: 2)) { try path.check([1, 2, 3], isGapless: true) }
        #expect(throws: ObserverViolation.missedLast(3, received: 2)) { try path.check([0, 2]) }
        #expect(throws: ObserverViolation<Int>.missedLast(3, received: nil)) { try path.check([]) }
    }

    @Test("A path can be made from the actions of a history's explanation")
    func pathOfActions() {
        let path = ObservedPath(of: [1, 0, 2], from: 10, part: { "\($0)" }, reduce: { $0 += $1 })
        #expect(path.values == ["10", "11", "11", "13"])
    }
}
