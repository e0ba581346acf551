/// A digest of the decisions of a simulation so far: two runs with equal traces were the same run.
public struct SimulationTrace: Hashable, Sendable, CustomStringConvertible {
    /// The number of jobs that were run: parts of tasks between two suspensions.
    public private(set) var jobs = 0
    /// The number of jobs that were run in the middle of another one, by ``Simulation/preempt()``.
    public private(set) var preemptions = 0
    /// The number of jumps of the clock.
    public private(set) var clockJumps = 0
    /// The hash of every decision, in order: which job out of how many, at which depth; when the clock jumped, and how
    /// many tasks it resumed.
    ///
    /// Source of the function: Fowler, Noll and Vo, FNV-1a, 64 bits, over words in place of bytes.
    public private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func noteJob(_ choice: Int, of count: Int, depth: Int) {
        jobs += 1
        if depth > 0 { preemptions += 1 }
        mix(UInt64(choice))
        mix(UInt64(count))
        mix(UInt64(depth))
    }

    mutating func noteJump(waking count: Int) {
        clockJumps += 1
        mix(.max)
        mix(UInt64(count))
    }

    private mutating func mix(_ word: UInt64) {
        hash = (hash ^ word) &* 0x0000_0100_0000_01B3
    }

    /// The figures and the hash in one line.
    public var description: String {
        "\(jobs) jobs, \(preemptions) of them nested, \(clockJumps) jumps of the clock, hash \(String(hash, radix: 16))"
    }
}
