/// The targets of kills, and the waits before them: each target equally often, in random order.
struct KillSequence {
    private let victims: [Victim]
    private var generator: SeededGenerator
    private var round: [Victim] = []

    init(among victims: [Victim], seed: UInt64) {
        self.victims = victims
        generator = SeededGenerator("kills", seed)
    }

    mutating func next() -> (victim: Victim, delay: Duration, outage: Duration) {
        if round.isEmpty { round = victims.shuffled(using: &generator) }
        let victim = round.removeLast()
        return (
            victim, .milliseconds(Int.random(in: 50...900, using: &generator)),
            .milliseconds(victim == .server ? Int.random(in: 0...200, using: &generator) : 0)
        )
    }
}
