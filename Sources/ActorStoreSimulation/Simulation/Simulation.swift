/// Runs a whole system of stores, effects, observers and clocks on one thread, in an order that a seed decides: every
/// seed gives another interleaving, and the same seed repeats it.
///
/// ```swift
/// let total = try await Simulation(seed: 7).run { simulation in
///     let configuration = StoreConfiguration(executor: simulation.executor)
///     let store = Store(initialState: 0, configuration: configuration) { (total: inout Int, step: Int) in
///         total += step
///     }
///     let senders = (1...3).map { step in simulation.start("sender \(step)") { try await store.dispatch(step) } }
///     for sender in senders { _ = try await sender.value }
///     return store.snapshot
/// }
/// ```
///
/// The idea: FoundationDB's simulation (Zhou et al., "FoundationDB: a distributed unbundled transactional key value
/// store", SIGMOD 2021), Coyote (Deligiannis et al., "Industrial-strength controlled concurrency testing for C#
/// programs with Coyote", TACAS 2023) and loom. Like the first two, and unlike loom, it chooses interleavings at random
/// and does not enumerate them.
///
/// ## What takes part
///
/// Everything that runs on ``executor``: the body, tasks of ``start(_:_:)``, their child tasks, plain actors that they
/// call, stores that have it in their configuration, and tasks with this executor preference. A `Task { }` without one,
/// the main actor and real clocks do not: when such work resumes a task of the simulation, the run fails with
/// ``SimulationError/foreignJobs(_:)``, and if it comes too late, with ``SimulationError/deadlock(unfinished:)``. Work
/// that resumes nothing is not detected, such as a task that only sends to a store without effects and observers.
///
/// ## Where interleavings come from
///
/// Between two suspensions a task runs without interruption, unlike on many threads. ``interleave()`` adds a point at
/// which other tasks may run first; ``preempt()`` adds one in the middle of synchronous code.
public final class Simulation: Sendable {
    /// The seed, which decides the interleaving.
    public let seed: UInt64
    /// The executor of everything that takes part.
    public let executor: SimulationExecutor
    /// The clock of everything that takes part.
    public let clock: SimulatedClock

    /// Creates a simulation, which you can run once.
    ///
    /// - Parameters:
    ///   - seed: The seed, which decides the interleaving.
    ///   - options: The options of the simulation.
    public init(seed: UInt64, options: SimulationOptions = SimulationOptions()) {
        self.seed = seed
        executor = SimulationExecutor(seed: seed, options: options)
        clock = SimulatedClock(executor)
    }

    /// The decisions so far.
    public var trace: SimulationTrace { executor.withSchedule { $0.trace } }

    /// Returns a number below a limit. It depends on the seed, and on how many were drawn before.
    ///
    /// - Parameter limit: The number of possible results. Traps if it is not positive.
    /// - Returns: A number from 0 up to, and without, `limit`.
    public func number(below limit: Int) -> Int {
        executor.withSchedule { $0.numbers.number(below: limit) }
    }

    /// Returns a generator of numbers that depend on the seed, and on how many were drawn before.
    ///
    /// Use it for code that takes a generator, such as the jitter of a retry, and for test data.
    ///
    /// - Returns: A generator.
    public func makeGenerator() -> SimulationGenerator {
        executor.withSchedule { $0.numbers.split() }
    }
}
