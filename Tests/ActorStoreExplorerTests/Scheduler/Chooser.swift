/// Chooses the next one of several actors at a point: a plain value, whose decisions follow from its seed.
///
/// An actor is a thread, the buffer of a thread with stores that other threads do not see yet, or the clock.
struct Chooser {
    /// The strategy of the choice.
    enum Policy: CustomStringConvertible {
        /// Any of them, with the same probability; but the current one continues in `staying` of 256 cases.
        case walk(staying: UInt64)
        /// Probabilistic concurrency testing: the actor with the highest of random priorities continues. At each of a
        /// few random steps, the priority of the current one falls below all others. (Burckhardt, Kothari, Musuvathi
        /// and Nagarakatte, "A randomized scheduler with probabilistic guarantees of finding bugs", ASPLOS 2010.)
        case priorities(changes: [Int])

        var description: String {
            switch self {
            case .walk(let staying): "a random walk that stays in \(staying) of 256 cases"
            case .priorities(let changes): "priorities that change at \(changes)"
            }
        }
    }

    let policy: Policy
    /// Whether the clock competes with the threads, instead of advancing when nothing else can run.
    private let isClockEager: Bool
    private var random: RandomNumbers
    /// By the number of the actor.
    private var priorities: [Int] = []
    private var lowest = 0
    private var steps = 0
    /// The actor that waits for others, until it is skipped once.
    private var yielding: Int?

    init(seed: UInt64) {
        random = RandomNumbers(seed: seed)
        isClockEager = random.next(below: 4) == 0
        switch random.next(below: 4) {
        case 0: policy = .walk(staying: [0, 128, 224][random.next(below: 3)])
        default:
            // The number of steps of a run is not known in advance: one of a few is assumed.
            let span = [50, 150, 500, 1500][random.next(below: 4)]
            let count = 1 + random.next(below: 4)
            var changes: [Int] = []
            for _ in 0..<count { changes.append(random.next(below: span)) }
            policy = .priorities(changes: changes.sorted())
        }
    }

    /// Adds an actor.
    ///
    /// - Returns: Its number.
    mutating func add() -> Int {
        priorities.append(1 + random.next(below: 1 << 30))
        return priorities.count - 1
    }

    /// Counts a step of an actor.
    mutating func step(by actor: Int) {
        steps += 1
        if case .priorities(let changes) = policy, changes.contains(steps) { lower(actor) }
    }

    /// Starts counting the steps, after the preparation of a run.
    mutating func begin() { steps = 0 }

    /// Lets others run first, because the actor waits for them.
    mutating func yield(_ actor: Int) {
        lower(actor)
        yielding = actor
    }

    /// Whether the clock advances although something else can run.
    mutating func wantsClock() -> Bool { isClockEager && random.next(below: 64) == 0 }

    /// - Parameters:
    ///   - candidates: The runnable actors; at least one.
    ///   - current: The last one.
    mutating func choose(among candidates: [Int], after current: Int) -> Int {
        let passedOver = yielding
        yielding = nil
        guard candidates.count > 1 else { return candidates[0] }
        switch policy {
        case .walk(let staying):
            if passedOver != current, candidates.contains(current), random.next(below: 256) < staying { return current }
            let others = candidates.filter { $0 != passedOver }
            return others[random.next(below: others.count)]
        case .priorities:
            var best = candidates[0]
            for candidate in candidates.dropFirst() where priorities[candidate] > priorities[best] { best = candidate }
            return best
        }
    }

    private mutating func lower(_ actor: Int) {
        lowest -= 1
        priorities[actor] = lowest
    }
}

/// Random numbers determined by a seed: SplitMix64.
struct RandomNumbers {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func next(below limit: Int) -> Int { Int(next() % UInt64(limit)) }

    mutating func next(below limit: UInt64) -> UInt64 { next() % limit }
}
