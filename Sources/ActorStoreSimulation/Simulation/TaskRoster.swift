/// The tasks that a simulation has been asked to start, and that have not ended.
///
/// A plain value; ``SimulationExecutor`` has the lock around it.
struct TaskRoster {
    private struct Member {
        let name: String
        var cancel: (@Sendable () -> Void)?
    }

    private var members: [Int: Member] = [:]
    private var lastNumber = 0

    /// In the order in which they were added.
    var names: [String] { sorted.map(\.name) }

    /// Notes a task that is about to be started.
    mutating func add(_ name: String) -> Int {
        lastNumber += 1
        members[lastNumber] = Member(name: name)
        return lastNumber
    }

    /// Notes how a task can be cancelled, unless it has ended already.
    mutating func note(_ cancel: @escaping @Sendable () -> Void, of number: Int) {
        members[number]?.cancel = cancel
    }

    mutating func remove(_ number: Int) { members[number] = nil }

    /// How the tasks that have not ended can be cancelled, in the order in which they were added.
    var cancellations: [@Sendable () -> Void] { sorted.compactMap(\.cancel) }

    private var sorted: [Member] { members.sorted { $0.key < $1.key }.map(\.value) }
}
