/// What a check has run.
public struct SimulationReport: Sendable {
    /// How many seeds were run; all of them passed.
    public internal(set) var seeds = 0
    /// How many jobs that took, in all.
    public internal(set) var jobs = 0
    /// How many jobs were run in the middle of others.
    public internal(set) var preemptions = 0
    /// How many different interleavings were among them, told apart by the hashes of their traces.
    public var interleavings: Int { hashes.count }

    var hashes: Set<UInt64> = []

    mutating func note(_ trace: SimulationTrace) {
        seeds += 1
        jobs += trace.jobs
        preemptions += trace.preemptions
        hashes.insert(trace.hash)
    }
}
