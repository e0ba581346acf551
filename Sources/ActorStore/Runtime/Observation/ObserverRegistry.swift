import Synchronization

/// What all observers of a tree share, whichever of its stores they observe: the code locations where they started, the
/// batchers to their actors and executors, and the group of error observers.
final class ObserverRegistry: @unchecked Sendable {
    // Sound: all variables are touched only under `lock`, which is a blocking lock, because it is held for long.
    private let lock = BlockingLock()
    private var batchers: [ObjectIdentifier: WeakActorBatcher] = [:]
    private var batcherSweep = SweepThreshold()
    private var failures: Broadcast<StoreFailure>?
    private var sources: [CodeLocation] = []
    private var numbersOfSources: [CodeLocation: UInt32] = [:]
    /// The number of observers that drive effects, or that postponed effects wait for. They are a part of the store,
    /// and do not count as a use of it.
    let drivers = AtomicValue<Int>(0)

    /// Bindings of observations to objects.
    private var bindings: [ObservationBinding] = []
    private var bindingSweep = SweepThreshold()

    /// Returns the group of error observers.
    func failureGroup(_ deferred: DeferredWorkList) -> Broadcast<StoreFailure> {
        lock.withLock {
            let group =
                failures ?? Broadcast(areEqual: nil, keepsNewest: false, subject: .failures, deferred: deferred)
            failures = group
            return group
        }
    }

    /// Returns the batcher to an actor, which its observers share as long as there are any.
    func batcher<Isolation: Actor>(
        to actor: Isolation,
        on executor: (any TaskExecutor)?,
        limits: WorkLimits
    ) -> ActorBatcher<Isolation> {
        let identity = ObjectIdentifier(actor)
        var seen: [AnyObject] = []
        defer { withExtendedLifetime(seen) {} }
        return lock.withLock {
            // A deallocated actor may have had the same identity.
            if let batcher = batchers[identity]?.batcher as? ActorBatcher<Isolation>, batcher.actor === actor {
                return batcher
            }
            let batcher = ActorBatcher(to: actor, on: executor, limits: limits)
            seen = forgetReleasedBatchers()
            batchers[identity] = WeakActorBatcher(batcher: batcher)
            return batcher
        }
    }

    /// Registers an observation that is bound to an object.
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

    /// The number of registered bindings, including those of some ended observations.
    var bindingCount: Int { lock.withLock { bindings.count } }

    /// Ends the observations whose objects have been deallocated. They would otherwise end with the next element.
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
        // Cancelled outside the lock. The owners are released outside it as well, because these can be the last
        // references.
        for binding in unowned { binding.observer?.cancelObservation() }
        withExtendedLifetime(owners) {}
    }

    /// Returns the number of a code location where observations start. There are few locations, however many observers
    /// there are, so each observer stores a number only. 0 stands for no location.
    func number(of source: CodeLocation) -> UInt32 {
        lock.withLock {
            if let number = numbersOfSources[source] { return number }
            sources.append(source)
            let number = UInt32(sources.count)
            numbersOfSources[source] = number
            return number
        }
    }

    /// The code locations where observations started, by number.
    var allSources: [CodeLocation] { lock.withLock { sources } }

    /// Removes released batchers once in a while. Called under the lock.
    ///
    /// - Returns: The remaining batchers, to be released outside the lock, because these can be the last references.
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
