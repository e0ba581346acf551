/// The groups of observers of a source of state, because observers of the same part, or of the same selector, share one
/// comparison; and the group of those who observe actions. Made when the first observer comes.
@usableFromInline
final class GroupTable: @unchecked Sendable {
    // Sound: all variables are touched only under `lock`, which is one to sleep on: looking a key path up can call the
    // hash functions of values that it captured.
    private struct Group {
        let broadcast: AnyObject
        var members: Int
    }

    private let lock = BlockingLock()
    private var groups: [GroupKey: Group] = [:]
    private var actions: AnyObject?

    /// Joins the group of a key, founding it if there is none.
    func join<Value: Sendable>(
        _ key: GroupKey,
        subject: ObservedSubject,
        areEqual: (@Sendable (Value, Value) -> Bool)?,
        in source: ObservableStorage,
        deferred: DeferredWorkList
    ) -> Broadcast<Value> {
        lock.withLock {
            if let group = groups[key], let broadcast = group.broadcast as? Broadcast<Value> {
                groups[key]?.members += 1
                return broadcast
            }
            let broadcast = Broadcast<Value>(
                areEqual: areEqual,
                keepsNewest: true,
                subject: subject,
                key: key,
                source: source,
                deferred: deferred
            )
            groups[key] = Group(broadcast: broadcast, members: 1)
            return broadcast
        }
    }

    /// Leaves the group of a key.
    ///
    /// - Returns: whether it was the last member who left, and the group is gone.
    func leave(_ key: GroupKey) -> Bool {
        // Carried out of the lock, so that what a key has captured is not released under it.
        let removed: (GroupKey, Group)? = lock.withLock {
            guard let place = groups.index(forKey: key) else { return nil }
            groups.values[place].members -= 1
            return groups.values[place].members == 0 ? groups.remove(at: place) : nil
        }
        return removed != nil
    }

    /// The group of those who observe actions. There is but one type of them in a source.
    func actionGroup<Action, State>(
        of source: ObservableStorage,
        deferred: DeferredWorkList
    ) -> Broadcast<(action: Action, state: State)> {
        lock.withLock {
            if let group = actions as? Broadcast<(action: Action, state: State)> { return group }
            let group = Broadcast<(action: Action, state: State)>(
                areEqual: nil,
                keepsNewest: false,
                subject: .actions,
                source: source,
                deferred: deferred
            )
            actions = group
            return group
        }
    }
}
