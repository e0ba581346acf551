/// How a simulation behaves besides its seed.
public struct SimulationOptions: Sendable {
    /// How many jobs may be interrupted at the same time by ``Simulation/preempt()``; 0 switches preemption off.
    public var preemptionDepth: Int
    /// The probability that ``Simulation/preempt()`` runs a job, and after that another one, and so on.
    public var preemptionChance: Double
    /// The probability, before each job, that the clock jumps to the next deadline although there is something to
    /// run, as on a machine that is too slow. With 0 only a system that has nothing else to do lets time pass.
    public var hasteOfTheClock: Double
    /// After so many jobs the simulation gives up, because its tasks keep each other busy without end.
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

/// Which seeds a check runs.
public struct SimulationSeeds: Sequence, Sendable {
    private let seeds: Range<UInt64>

    /// Seeds from 0 up, unless the environment says otherwise: `SIMULATION_SEED=7` runs that seed alone, to replay it,
    /// and `SIMULATION_SEEDS=100000` so many.
    ///
    /// ```sh
    /// SIMULATION_SEED=1234 swift test --filter OrdersTests
    /// ```
    ///
    /// - Parameter count: How many, if the environment does not say.
    public static func first(_ count: Int) -> SimulationSeeds {
        first(count, in: { name in getenv(name).map { String(cString: $0) } })
    }

    /// These seeds, whatever the environment says.
    public static func exactly(_ seeds: Range<UInt64>) -> SimulationSeeds { SimulationSeeds(seeds: seeds) }

    static func first(_ count: Int, in environment: (String) -> String?) -> SimulationSeeds {
        if let seed = environment("SIMULATION_SEED").flatMap({ UInt64($0) }), seed < .max {
            return SimulationSeeds(seeds: seed..<seed + 1)
        }
        let count = environment("SIMULATION_SEEDS").flatMap { UInt64($0) } ?? UInt64(Swift.max(0, count))
        return SimulationSeeds(seeds: 0..<count)
    }

    /// The seeds in ascending order.
    public func makeIterator() -> Range<UInt64>.Iterator { seeds.makeIterator() }
}
