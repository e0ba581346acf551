import Synchronization

/// What the observers of a tree have in common, whichever of its stores they observe: where in the program they are
/// written, the batchers to their actors and executors, and the group of those who observe errors.
final class ObserverRegistry: @unchecked Sendable {
    // Sound: all variables are touched only under `lock`, which is one to sleep on, because it is held for long.
    private let lock = BlockingLock()
    private var batchers: [ObjectIdentifier: WeakActorBatcher] = [:]
    private var batcherSweep = SweepThreshold()
    private var failures: Broadcast<StoreFailure>?
    private var sources: [CodeLocation] = []
    private var numbersOfSources: [CodeLocation: UInt32] = [:]
    /// How many observers drive effects, or are what postponed effects wait for: they are a part of the store, and no
    /// use of it.
    let drivers = AtomicValue<Int>(0)

    /// Those that are bound to an object.
    private var bindings: [ObservationBinding] = []
    private var bindingSweep = SweepThreshold()

    /// The group of those who observe errors.
    func failureGroup(_ deferred: DeferredWorkList) -> Broadcast<StoreFailure> {
        lock.withLock {
            let group =
                failures ?? Broadcast(areEqual: nil, keepsNewest: false, subject: .failures, deferred: deferred)
            failures = group
            return group
        }
    }

    /// The batcher to an actor, which its observers share as long as there are any.
    func batcher<Isolation: Actor>(
        to actor: Isolation,
        on executor: (any TaskExecutor)?,
        limits: WorkLimits
    ) -> ActorBatcher<Isolation> {
        let identity = ObjectIdentifier(actor)
        var seen: [AnyObject] = []
        defer { withExtendedLifetime(seen) {} }
        return lock.withLock {
            // Another actor can have had the identity before.
            if let batcher = batchers[identity]?.batcher as? ActorBatcher<Isolation>, batcher.actor === actor {
                return batcher
            }
            let batcher = ActorBatcher(to: actor, on: executor, limits: limits)
            seen = forgetReleasedBatchers()
            batchers[identity] = WeakActorBatcher(batcher: batcher)
            return batcher
        }
    }

    /// Takes note of an observation that is bound to an object.
    func add(_ binding: ObservationBinding) {
        // Released outside the lock, because these can be the last references.
        var seen: [any ObservationTarget] = []
        defer { withExtendedLifetime(seen) {} }
        lock.withLock {
            if bindingSweep.isReached(by: bindings.count) {
                bindings.removeAll { binding in
                    guard let observer = binding.observer else { return true }
                    seen.append(observer)
                    return false
                }
                bindingSweep.reset(after: bindings.count)
            }
            bindings.append(binding)
        }
    }

    /// How many bindings are kept, those of some ended observations included.
    var bindingCount: Int { lock.withLock { bindings.count } }

    /// Ends the observations whose objects have gone, which otherwise end when there is something to tell.
    ///
    /// - Complexity: O(*n*), where *n* is the number of observations that are bound to objects.
    func endUnowned() {
        let (unowned, owners) = lock.withLock {
            var (unowned, owners): ([ObservationBinding], [AnyObject]) = ([], [])
            bindings.removeAll { binding in
                guard let owner = binding.owner else {
                    unowned.append(binding)
                    return true
                }
                owners.append(owner)
                return false
            }
            return (unowned, owners)
        }
        // Outside the lock, as is the release of the owners, of which these can be the last references.
        for binding in unowned { binding.observer?.cancelObservation() }
        withExtendedLifetime(owners) {}
    }

    /// The number of a place in the program where observations begin. There are few of them, whatever the number of
    /// observers, so that each of these keeps a number only. 0 is the number of none.
    func number(of source: CodeLocation) -> UInt32 {
        lock.withLock {
            if let number = numbersOfSources[source] { return number }
            sources.append(source)
            let number = UInt32(sources.count)
            numbersOfSources[source] = number
            return number
        }
    }

    /// The places in the program where observations began, by number.
    var allSources: [CodeLocation] { lock.withLock { sources } }

    /// Looks now and then for batchers that have been released. Under the lock.
    ///
    /// - Returns: Those that were looked at, to be released outside the lock, because this can be the last reference.
    private func forgetReleasedBatchers() -> [AnyObject] {
        guard batcherSweep.isReached(by: batchers.count) else { return [] }
        var seen: [AnyObject] = []
        batchers = batchers.filter { entry in
            guard let batcher = entry.value.batcher else { return false }
            seen.append(batcher)
            return true
        }
        batcherSweep.reset(after: batchers.count)
        return seen
    }

    private struct WeakActorBatcher {
        weak var batcher: AnyObject?
    }
}
