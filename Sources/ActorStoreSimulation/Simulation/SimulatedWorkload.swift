import ActorStore

/// What several senders do in a simulation: a list of operations, each with the sender that does it.
///
/// A list, so that it can be made smaller when it has shown a failure.
public struct SimulatedWorkload<Operation: Sendable>: Sendable {
    /// One thing that one sender does.
    public struct Step: Sendable {
        /// Who does it.
        public var sender: Int
        /// What it does.
        public var operation: Operation

        /// Creates a step.
        public init(sender: Int, operation: Operation) {
            self.sender = sender
            self.operation = operation
        }
    }

    /// The steps. Those of one sender are done in this order, one after the other; the order of different senders'
    /// steps is up to the simulation.
    public var steps: [Step]

    /// Creates a workload.
    public init(steps: [Step] = []) { self.steps = steps }

    /// Creates a workload of random operations, equally distributed over the senders at random.
    ///
    /// - Parameters:
    ///   - senders: How many; at least one.
    ///   - count: How many operations.
    ///   - generator: Where the numbers come from.
    ///   - operation: Makes an operation of one of the senders, who have numbers from 0.
    public init(
        senders: Int,
        count: Int,
        using generator: inout SimulationGenerator,
        operation: (_ generator: inout SimulationGenerator, _ sender: Int) -> Operation
    ) {
        steps = (0..<count).map { _ in
            let sender = generator.number(below: senders)
            return Step(sender: sender, operation: operation(&generator, sender))
        }
    }

    /// The senders that do anything, in ascending order.
    public var senders: [Int] { Set(steps.map(\.sender)).sorted() }

    /// What one sender does, in order.
    public func operations(of sender: Int) -> [Operation] {
        steps.filter { $0.sender == sender }.map(\.operation)
    }
}

extension SimulatedWorkload: CustomStringConvertible {
    /// The operations of each sender, a line for each, without `Redactable` values.
    public var description: String {
        senders.map { sender in
            "sender \(sender): " + operations(of: sender).map { ValueDescription(of: $0).line }.joined(separator: ", ")
        }.joined(separator: "\n")
    }
}

extension Simulation {
    /// Has every sender of a workload do its operations, each in a task of its own, and returns when all are done.
    ///
    /// Before each operation other senders may come first.
    ///
    /// - Throws: what the first of them threw, in the order of their numbers, when those before it are done.
    public func perform<Operation: Sendable>(
        _ workload: SimulatedWorkload<Operation>,
        operation: @escaping @Sendable (_ sender: Int, _ operation: Operation) async throws -> Void
    ) async throws {
        let tasks = workload.senders.map { sender in
            start("sender \(sender)") { [self] in
                for step in workload.operations(of: sender) {
                    await interleave()
                    try await operation(sender, step)
                }
            }
        }
        for task in tasks { try await task.value }
    }
}
