import ActorStore

/// Finds the ``ManualExecutor`` of a task. The runtime only says whether it is a given one, so those that live are
/// listed.
enum ManualExecutorRegistry {
    private static let known = WeakExecutors()

    static func add(_ executor: ManualExecutor) { known.add(executor) }

    /// That which the current task prefers, if it is one.
    static var current: ManualExecutor? {
        guard let preferred = withUnsafeCurrentTask(body: { $0?.unownedTaskExecutor }) else { return nil }
        return known.first { $0.asUnownedTaskExecutor() == preferred }
    }
}

/// Executors that are not kept alive.
final class WeakExecutors: Sendable {
    private struct Entry {
        weak var executor: ManualExecutor?
    }

    private struct Entries {
        /// In the order in which they came.
        var all: [Entry] = []
        /// Where each is; where one has gone, another one can have the same identity.
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

    /// The first one for which a condition holds.
    func first(where isRight: (ManualExecutor) -> Bool) -> ManualExecutor? {
        entries.withLock { entries in
            for entry in entries.all {
                if let executor = entry.executor, isRight(executor) { return executor }
            }
            return nil
        }
    }

    /// Adds one, unless it is there.
    ///
    /// - Complexity: O(1), amortized.
    func add(_ executor: ManualExecutor) { entries.withLock { $0.add(executor) } }
}
