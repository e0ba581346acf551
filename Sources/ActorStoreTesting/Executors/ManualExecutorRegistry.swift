import ActorStore

/// Finds the ``ManualExecutor`` of a task. The runtime only says whether it is a given one, so those that live are
/// listed.
enum ManualExecutorRegistry {
    private static let known = WeakExecutors()

    static func add(_ executor: ManualExecutor) { known.add(executor) }

    /// That which the current task prefers, if it is one.
    static var current: ManualExecutor? {
        guard let preferred = withUnsafeCurrentTask(body: { $0?.unownedTaskExecutor }) else { return nil }
        return known.living.first { $0.asUnownedTaskExecutor() == preferred }
    }
}

/// Executors that are not kept alive.
final class WeakExecutors: Sendable {
    private struct Entry {
        weak var executor: ManualExecutor?
    }

    private let entries = LockedValue<[Entry]>([])

    var living: [ManualExecutor] { entries.withLock { $0.compactMap(\.executor) } }

    /// Adds one, unless it is there.
    func add(_ executor: ManualExecutor) {
        entries.withLock { entries in
            entries.removeAll { $0.executor == nil }
            if !entries.contains(where: { $0.executor === executor }) { entries.append(Entry(executor: executor)) }
        }
    }
}
