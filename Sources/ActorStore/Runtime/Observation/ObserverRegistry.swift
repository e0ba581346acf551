import Synchronization

/// What the observers of a tree have in common, whichever of its stores they observe: where in the program they are
/// written, the couriers that visit their actors and executors, and the group of those who observe errors.
final class ObserverRegistry: @unchecked Sendable {
    // Sound: all variables are touched only under `lock`, which is one to sleep on, because it is held for long.
    private let lock = BlockingLock()
    private var couriers: [ObjectIdentifier: WeakCourier] = [:]
    /// With how many couriers those are looked for that have been released.
    private var couriersToLookAt = 16
    private var failures: Broadcast<StoreFailure>?
    private var sources: [SourceLocation] = []
    private var numbersOfSources: [SourceLocation: UInt32] = [:]
    private let lazyIdentities = LazyReference<ObservationIdentities>()
    /// How many observers drive effects, or are what postponed effects wait for: they are a part of the store, and no use of it.
    let drivers = AtomicValue<Int>(0)

    /// Those that have a name.
    var identities: ObservationIdentities {
        lazyIdentities.load() ?? lazyIdentities.storeIfNil(ObservationIdentities())
    }

    /// The group of those who observe errors.
    func failureGroup(_ deferred: DeferredWorkList) -> Broadcast<StoreFailure> {
        lock.withLock {
            let group =
                failures ?? Broadcast(areEqual: nil, keepsNewest: false, subject: .failures, deferred: deferred)
            failures = group
            return group
        }
    }

    /// The courier to an actor, which its observers share as long as there are any.
    func courier<Isolation: Actor>(to actor: Isolation, limits: WorkLimits) -> Courier<Isolation> {
        courier(for: ObjectIdentifier(actor)) {
            $0.actor === actor
        } make: {
            Courier(to: actor, limits: limits)
        }
    }

    /// The courier to an executor, which its observers share as long as there are any.
    func courier(on executor: any TaskExecutor, limits: WorkLimits) -> Courier<Room> {
        courier(for: ObjectIdentifier(executor)) {
            $0.executor === executor
        } make: {
            Courier(on: executor, limits: limits)
        }
    }

    /// The courier that is known by an identity, which something else can have had before; or a new one.
    private func courier<Isolation: Actor>(
        for identity: ObjectIdentifier,
        isRight: (Courier<Isolation>) -> Bool,
        make: () -> Courier<Isolation>
    ) -> Courier<Isolation> {
        var seen: [AnyObject] = []
        defer { withExtendedLifetime(seen) {} }
        return lock.withLock {
            if let courier = couriers[identity]?.courier as? Courier<Isolation>, isRight(courier) { return courier }
            let courier = make()
            seen = forgetReleasedCouriers()
            couriers[identity] = WeakCourier(courier: courier)
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

    /// Looks for couriers that have been released when there are twice as many as after the last look. Under the lock.
    ///
    /// - Returns: Those that were looked at, to be released outside the lock, because this can be the last reference.
    private func forgetReleasedCouriers() -> [AnyObject] {
        guard couriers.count >= couriersToLookAt else { return [] }
        var seen: [AnyObject] = []
        couriers = couriers.filter { entry in
            guard let courier = entry.value.courier else { return false }
            seen.append(courier)
            return true
        }
        couriersToLookAt = max(16, 2 * couriers.count)
        return seen
    }

    private struct WeakCourier {
        weak var courier: AnyObject?
    }
}
