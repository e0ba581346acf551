/// The tasks that a simulation has started, and that have not ended.
///
/// A plain value; ``SimulationExecutor`` has the lock around it.
struct TaskRoster {
    private struct Member {
        let name: String
        var cancel: (@Sendable () -> Void)?
    }

    private var members: [Int: Member] = [:]
    private var lastNumber = 0

    /// The names of the tasks, in the order of addition.
    var names: [String] { sorted.map(\.name) }

    /// Registers a task that is about to be started.
    ///
    /// - Returns: The number of the task.
    mutating func add(_ name: String) -> Int {
        lastNumber += 1
        members[lastNumber] = Member(name: name)
        return lastNumber
    }

    /// Records a closure that cancels a task, unless it has ended already.
    mutating func note(_ cancel: @escaping @Sendable () -> Void, of number: Int) {
        members[number]?.cancel = cancel
    }

    mutating func remove(_ number: Int) { members[number] = nil }

    /// Closures that cancel the tasks that have not ended, in the order of addition.
    var cancellations: [@Sendable () -> Void] { sorted.compactMap(\.cancel) }

    private var sorted: [Member] { members.sorted { $0.key < $1.key }.map(\.value) }
}
