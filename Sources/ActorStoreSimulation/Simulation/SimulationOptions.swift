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
