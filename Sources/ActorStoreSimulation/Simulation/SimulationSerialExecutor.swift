/// The executor of an actor, or of several, that take part in a simulation although no task executor reaches them:
/// actors that name an executor of their own.
///
/// ```swift
/// actor Printer {
///     private let executor: SimulationSerialExecutor
///     nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
///     init(_ simulation: Simulation) { executor = SimulationSerialExecutor(of: simulation) }
/// }
/// ```
///
/// Plain actors need none: they follow the tasks that call them. Jobs of one serial executor never run in the middle of
/// each other, also not by ``Simulation/preempt()``.
public final class SimulationSerialExecutor: SerialExecutor {
    private let executor: SimulationExecutor

    /// Creates an executor whose jobs are chosen among all those of the simulation.
    public init(of simulation: Simulation) { executor = simulation.executor }

    /// Takes a piece of a task in, to be run when the simulation chooses it.
    public func enqueue(_ job: consuming ExecutorJob) {
        executor.accept(.init(job: .isolated(UnownedJob(job), self), domain: ObjectIdentifier(self)))
    }

    /// Traps unless a job of this executor is running.
    public func checkIsolated() {
        guard executor.withSchedule({ $0.isBusy(ObjectIdentifier(self)) }) else {
            fatalError(
                """
                Code that assumes isolation to an actor on a SimulationSerialExecutor ran elsewhere. Await it on the actor.
                """
            )
        }
    }
}
