/// The options of a simulation beside its seed.
public struct SimulationOptions: Sendable {
    /// How many jobs ``Simulation/preempt()`` may interrupt at the same time; 0 turns preemption off.
    public var preemptionDepth: Int
    /// The probability that ``Simulation/preempt()`` runs a job, and after that another one, and so on.
    public var preemptionChance: Double
    /// The probability, before each job, that the clock jumps to the next deadline although a job can run, as on a slow
    /// machine. With 0 time passes only when no job can run.
    public var hasteOfTheClock: Double
    /// The number of jobs after which the simulation gives up, because its tasks create work for each other without
    /// end.
    public var maximumJobs: Int

    /// Creates options; each has a default.
    public init(
        preemptionDepth: Int = 2,
        preemptionChance: Double = 0.5,
        hasteOfTheClock: Double = 0,
        maximumJobs: Int = 1_000_000
    ) {
        self.preemptionDepth = preemptionDepth
        self.preemptionChance = preemptionChance
        self.hasteOfTheClock = hasteOfTheClock
        self.maximumJobs = maximumJobs
    }
}

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The seeds that a check runs.
public struct SimulationSeeds: Sequence, Sendable {
    private let seeds: Range<UInt64>

    /// Returns seeds from 0 up, unless the environment sets others.
    ///
    /// `SIMULATION_SEED=7` runs that seed alone, to replay it, and `SIMULATION_SEEDS=100000` sets their number.
    ///
    /// ```sh
    /// SIMULATION_SEED=1234 swift test --filter OrdersTests
    /// ```
    ///
    /// - Parameter count: The number of seeds, if the environment does not set it.
    /// - Returns: The seeds, in ascending order.
    public static func first(_ count: Int) -> SimulationSeeds {
        first(count, in: { name in getenv(name).map { String(cString: $0) } })
    }

    /// Returns the seeds of a range, whatever the environment sets.
    ///
    /// - Parameter seeds: The seeds.
    /// - Returns: The seeds, in ascending order.
    public static func exactly(_ seeds: Range<UInt64>) -> SimulationSeeds { SimulationSeeds(seeds: seeds) }

    static func first(_ count: Int, in environment: (String) -> String?) -> SimulationSeeds {
        if let seed = environment("SIMULATION_SEED").flatMap({ UInt64($0) }), seed < .max {
            return SimulationSeeds(seeds: seed..<seed + 1)
        }
        let count = environment("SIMULATION_SEEDS").flatMap { UInt64($0) } ?? UInt64(Swift.max(0, count))
        return SimulationSeeds(seeds: 0..<count)
    }

    /// Returns an iterator of the seeds in ascending order.
    public func makeIterator() -> Range<UInt64>.Iterator { seeds.makeIterator() }
}
