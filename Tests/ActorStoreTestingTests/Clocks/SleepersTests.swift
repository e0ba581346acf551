import Testing

@testable import ActorStoreTesting

@Suite("Who sleeps on a test clock", .timeLimit(.minutes(10)))
struct SleepersTests {
    private typealias Names = Sleepers<String>

    @Test("One sleeps if the deadline is to come, is due if it is not, and was cancelled if that came first")
    func admission() {
        var sleepers = Names()
        let (first, second, third) = (sleepers.announce(), sleepers.announce(), sleepers.announce())
        #expect(sleepers.cancel(third) == nil)
        guard case .sleeps = sleepers.admit(first, until: .seconds(1), "a") else { return #expect(Bool(false)) }
        guard case .isDue = sleepers.admit(second, until: .zero, "b") else { return #expect(Bool(false)) }
        guard case .wasCancelled = sleepers.admit(third, until: .seconds(1), "c") else { return #expect(Bool(false)) }
        #expect(sleepers.count == 1)
        #expect(sleepers.cancel(first) == "a")
        #expect(sleepers.nextDeadline == nil)
    }

    @Test("Time stops at each deadline on its way, and stands at the end when nobody is due any more")
    func advancing() {
        var sleepers = Names()
        for (name, seconds) in [("c", 3), ("a", 1), ("b", 1)] {
            _ = sleepers.admit(sleepers.announce(), until: .seconds(seconds), name)
        }
        #expect(sleepers.advance(upTo: .seconds(2)) == ["a", "b"])
        #expect(sleepers.now == .seconds(1))
        #expect(sleepers.advance(upTo: .seconds(2)) == [])
        #expect(sleepers.now == .seconds(2))
        #expect(sleepers.advance(upTo: .seconds(3)) == ["c"])
        #expect(sleepers.advance(upTo: .seconds(1)) == [])
        #expect(sleepers.now == .seconds(3))
    }
}
