import Testing

@testable import Inventory

@Suite("Kill sequence", .timeLimit(.minutes(10)))
struct KillSequenceTests {
    private let victims: [Victim] = [.desk("A"), .desk("B"), .server]

    @Test("It hits each as often as the others, whatever the seed")
    func fairness() {
        for seed: UInt64 in 0..<50 {
            var sequence = KillSequence(among: victims, seed: seed)
            for _ in 0..<5 { #expect(Set((0..<3).map { _ in sequence.next().victim }) == Set(victims)) }
        }
    }

    @Test("The same seed hits the same")
    func seeds() {
        func beginning(_ seed: UInt64) -> [Victim] {
            var sequence = KillSequence(among: victims, seed: seed)
            return (0..<30).map { _ in sequence.next().victim }
        }
        #expect(beginning(1) == beginning(1) && beginning(1) != beginning(2))
    }
}
