import Testing

@testable import Inventory

@Suite("The kill sequence", .timeLimit(.minutes(10)))
struct KillSequenceTests {
    private let victims: [Victim] = [.desk("A"), .desk("B"), .server]

    @Test("The kill sequence hits each target equally often, for any seed")
    func fairness() {
        for seed: UInt64 in 0..<50 {
            var sequence = KillSequence(among: victims, seed: seed)
            for _ in 0..<5 { #expect(Set((0..<3).map { _ in sequence.next().victim }) == Set(victims)) }
        }
    }

    @Test("Equal seeds hit equal targets")
    func seeds() {
        func beginning(_ seed: UInt64) -> [Victim] {
            var sequence = KillSequence(among: victims, seed: seed)
            return (0..<30).map { _ in sequence.next().victim }
        }
        #expect(beginning(1) == beginning(1) && beginning(1) != beginning(2))
    }
}
