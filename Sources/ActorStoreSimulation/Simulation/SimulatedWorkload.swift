import ActorStore

/// The operations of several senders in a simulation: a list of operations, each with its sender.
///
/// It is a list so that it can be shrunk when it has shown a failure.
public struct SimulatedWorkload<Operation: Sendable>: Sendable {
    /// One operation of one sender.
    public struct Step: Sendable {
        /// The sender.
        public var sender: Int
        /// The operation.
        public var operation: Operation

        /// Creates a step.
        public init(sender: Int, operation: Operation) {
            self.sender = sender
            self.operation = operation
        }
    }

    /// The steps. Those of one sender run in this order, one after the other; the simulation decides the order of
    /// different senders' steps.
    public var steps: [Step]

    /// Creates a workload.
    public init(steps: [Step] = []) { self.steps = steps }

    /// Creates a workload of random operations, each of a sender chosen at random with equal probability.
    ///
    /// - Parameters:
    ///   - senders: The number of senders; at least one.
    ///   - count: The number of operations.
    ///   - generator: The source of random numbers.
    ///   - operation: Creates an operation of a sender. Senders have numbers from 0.
    /// - Complexity: O(n), where n is `count`.
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

    /// The senders with at least one operation, in ascending order.
    ///
    /// - Complexity: O(n log n)
    public var senders: [Int] { Set(steps.map(\.sender)).sorted() }

    /// Returns the operations of one sender, in order.
    ///
    /// - Returns: The operations.
    /// - Complexity: O(n), where n is the number of steps.
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
    /// Runs the operations of every sender of a workload, each sender in its own task, and returns when all have ended.
    ///
    /// Before each operation other tasks can run first.
    ///
    /// - Throws: The first error in the order of the senders' numbers, when the senders before it have ended.
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
