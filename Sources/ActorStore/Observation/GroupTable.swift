/// The groups of observers of a store: those of a part by key path, those of a selector by its identity,
/// because observers of the same share one comparison; and those of actions and of errors. Made when the first observer comes.
@usableFromInline
final class GroupTable: @unchecked Sendable {
    // Sound: all variables are touched only under `lock`, which is one to sleep on: looking a key path up can call the hash
    // functions of values that it captured.
    private struct Group {
        let broadcast: AnyObject
        var members: Int
    }

    private let lock = BlockingLock()
    private var groups: [GroupKey: Group] = [:]
    private var couriers: [ObjectIdentifier: WeakCourier] = [:]
    private var actions: AnyObject?
    private var failures: Broadcast<StoreFailure>?
    private var sources: [SourceLocation] = []
    private var numbersOfSources: [SourceLocation: UInt32] = [:]

    /// Joins the group of a key, founding it if there is none.
    func join<Value: Sendable>(
        _ key: GroupKey,
        areEqual: (@Sendable (Value, Value) -> Bool)?
    ) -> Broadcast<Value> {
        lock.withLock {
            if let group = groups[key], let broadcast = group.broadcast as? Broadcast<Value> {
                groups[key]?.members += 1
                return broadcast
            }
            let broadcast = Broadcast<Value>(areEqual: areEqual, keepsNewest: true, subject: .shared(key))
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

    /// The group of those who observe actions. There is but one type of them in a store.
    func actionGroup<Action, State>() -> Broadcast<(action: Action, state: State)> {
        lock.withLock {
            if let group = actions as? Broadcast<(action: Action, state: State)> { return group }
            let group = Broadcast<(action: Action, state: State)>(areEqual: nil, keepsNewest: false, subject: .actions)
            actions = group
            return group
        }
    }

    /// The group of those who observe errors.
    func failureGroup() -> Broadcast<StoreFailure> {
        lock.withLock {
            let group = failures ?? Broadcast(areEqual: nil, keepsNewest: false, subject: .failures)
            failures = group
            return group
        }
    }

    /// The courier to an actor, which its observers share as long as there are any.
    func courier<Isolation: Actor>(to actor: Isolation) -> Courier<Isolation> {
        lock.withLock {
            if let courier = couriers[ObjectIdentifier(actor)]?.courier as? Courier<Isolation>, courier.actor === actor
            {
                return courier
            }
            let courier = Courier(to: actor)
            couriers = couriers.filter { $0.value.courier != nil }
            couriers[ObjectIdentifier(actor)] = WeakCourier(courier: courier)
            return courier
        }
    }

    /// The number of a place in the program where observations begin. There are few of them, whatever the number of
    /// observers, so that each of these keeps a number only. 0 is the number of none.
    func number(of source: SourceLocation) -> UInt32 {
        lock.withLock {
            if let number = numbersOfSources[source] { return number }
            sources.append(source)
            let number = UInt32(sources.count)
            numbersOfSources[source] = number
            return number
        }
    }

    /// The places in the program where observations began, by number.
    var allSources: [SourceLocation] { lock.withLock { sources } }

    /// The courier to an executor, which its observers share as long as there are any.
    func courier(on executor: any TaskExecutor) -> Courier<Room> {
        lock.withLock {
            if let courier = couriers[ObjectIdentifier(executor)]?.courier as? Courier<Room>,
                courier.executor === executor
            {
                return courier
            }
            let courier = Courier(on: executor)
            couriers = couriers.filter { $0.value.courier != nil }
            couriers[ObjectIdentifier(executor)] = WeakCourier(courier: courier)
            return courier
        }
    }

    private struct WeakCourier {
        weak var courier: AnyObject?
    }

    /// All members of all groups.
    var memberCount: Int { lock.withLock { groups.values.reduce(0) { $0 + $1.members } } }
}
