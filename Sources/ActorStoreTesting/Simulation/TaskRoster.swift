/// The tasks that a simulation has been asked to start, and that have not ended.
///
/// A plain value; ``SimulationExecutor`` has the lock around it.
struct TaskRoster {
    private struct Member {
        let number: Int
        let name: String
        var cancel: (@Sendable () -> Void)?
    }

    private var members: [Member] = []
    private var lastNumber = 0

    var names: [String] { members.map(\.name) }

    /// Notes a task that is about to be started.
    mutating func add(_ name: String) -> Int {
        lastNumber += 1
        members.append(Member(number: lastNumber, name: name))
        return lastNumber
    }

    /// Notes how a task can be cancelled, unless it has ended already.
    mutating func note(_ cancel: @escaping @Sendable () -> Void, of number: Int) {
        guard let index = members.firstIndex(where: { $0.number == number }) else { return }
        members[index].cancel = cancel
    }

    mutating func remove(_ number: Int) { members.removeAll { $0.number == number } }

    /// How the tasks that have not ended can be cancelled.
    var cancellations: [@Sendable () -> Void] { members.compactMap(\.cancel) }
}
