import ActorStore

/// Finds the ``ManualExecutor`` of a task. The runtime only says whether an executor is a given one, so the registry
/// lists all living ones.
enum ManualExecutorRegistry {
    private static let known = WeakExecutors()

    static func add(_ executor: ManualExecutor) { known.add(executor) }

    /// The manual executor that the current task prefers; nil if it prefers none or another kind.
    static var current: ManualExecutor? {
        guard let preferred = withUnsafeCurrentTask(body: { $0?.unownedTaskExecutor }) else { return nil }
        return known.first { $0.asUnownedTaskExecutor() == preferred }
    }
}

/// A list of executors that does not retain them.
final class WeakExecutors: Sendable {
    private struct Entry {
        weak var executor: ManualExecutor?
    }

    private struct Entries {
        /// The executors, in the order of addition.
        var all: [Entry] = []
        /// The index of each executor. After an executor was released, another one can have its identity.
        var places: [ObjectIdentifier: Int] = [:]
        var sweep = SweepThreshold()

        mutating func add(_ executor: ManualExecutor) {
            let identity = ObjectIdentifier(executor)
            if let place = places[identity], all[place].executor != nil { return }
            if sweep.isReached(by: all.count) { forgetReleased() }
            places[identity] = all.count
            all.append(Entry(executor: executor))
        }

        private mutating func forgetReleased() {
            all.removeAll { $0.executor == nil }
            places = [:]
            for (place, entry) in all.enumerated() {
                if let executor = entry.executor { places[ObjectIdentifier(executor)] = place }
            }
            sweep.reset(after: all.count)
        }
    }

    private let entries = LockedValue(Entries())

    var living: [ManualExecutor] { entries.withLock { $0.all.compactMap(\.executor) } }

    /// Returns the first living executor for which a condition holds.
    ///
    /// - Complexity: O(n), where n is the number of executors.
    func first(where isRight: (ManualExecutor) -> Bool) -> ManualExecutor? {
        entries.withLock { entries in
            for entry in entries.all {
                if let executor = entry.executor, isRight(executor) { return executor }
            }
            return nil
        }
    }

    /// Adds an executor, unless it is listed.
    ///
    /// - Complexity: O(1), amortized.
    func add(_ executor: ManualExecutor) { entries.withLock { $0.add(executor) } }
}
