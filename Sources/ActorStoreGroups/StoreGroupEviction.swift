import ActorStore

/// The policy by which a group evicts unused stores.
public struct StoreGroupEviction<ID: Hashable & Sendable, State: Sendable>: Sendable {
    let idle: Duration?
    let clock: any Clock<Duration>
    var maxConcurrentHandOvers = 1
    let onEvict: (@Sendable (ID, State) async -> Void)?

    /// A policy that keeps stores until ``StoreGroup/evict(_:)`` is called, or the group ends.
    public static var never: StoreGroupEviction {
        StoreGroupEviction(idle: nil, clock: ContinuousClock(), onEvict: nil)
    }

    /// Returns a policy that keeps stores until ``StoreGroup/evict(_:)`` is called, which hands over their states, or
    /// until the group ends, which does not.
    ///
    /// - Parameter onEvict: Saves the last state; see ``afterIdle(_:clock:maxConcurrentHandOvers:onEvict:)``.
    /// - Returns: A policy that never evicts a store by itself.
    public static func never(onEvict: @escaping @Sendable (_ id: ID, _ state: State) async -> Void)
        -> StoreGroupEviction
    {
        StoreGroupEviction(idle: nil, clock: ContinuousClock(), onEvict: onEvict)
    }

    /// Returns a policy that evicts stores that have not been used for a time.
    ///
    /// Such a store was not requested from the group, reduced no action, and had no references outside the group, no
    /// observers, no effects and no children.
    ///
    /// The group scans its stores once in each period of that length, and evicts a store that was idle at two scans in
    /// a row, and was not used between them. So a store is evicted after one to two periods. Two uses between scans are
    /// not detected: an observer of a scope, and a side effect that only reads.
    ///
    /// ## Handing the state over
    ///
    /// The store still exists while `onEvict` runs. If it is used meanwhile it stays, and `onEvict` is called again,
    /// with a newer state, when it is finally evicted. So no change is lost, and the next store of the key is created
    /// from what `onEvict` has saved. (A caller that found no store before may create one meanwhile, which is
    /// discarded.)
    ///
    /// `onEvict` runs in a task of the group, with the executor of the group's configuration, also for a store that its
    /// user has shut down. Its priority is that of the configuration, or that of the caller of
    /// ``StoreGroup/evict(_:)``, whose cancellation is not propagated. It runs concurrently for several keys, for idle
    /// stores up to the limit, but never concurrently for one key.
    ///
    /// It must not wait for ``StoreGroup/end(_:drain:)`` of the same key, nor for the shutdown of the group: both wait
    /// for it.
    ///
    /// - Parameters:
    ///   - idle: The time for which a store must not have been used. Traps if it is not positive.
    ///   - clock: The clock for the time. Tests can pass their own.
    ///   - maxConcurrentHandOvers: The maximum number of idle stores for which `onEvict` runs concurrently. While that
    ///     many calls have not returned, for example because they hang, no further idle store is evicted;
    ///     ``StoreGroupStatistics/handOvers`` shows their number. Traps if it is less than one.
    ///   - onEvict: Saves the last state, for when the key's store is requested again. The store is evicted when this
    ///     returns, so it must itself retry a save that fails. Evictions of its key, ``StoreGroup/end(_:drain:)`` and
    ///     shutdowns without a limit wait for it, also if their tasks are cancelled.
    /// - Returns: A policy that evicts idle stores.
    public static func afterIdle(
        _ idle: Duration,
        clock: any Clock<Duration> = ContinuousClock(),
        maxConcurrentHandOvers: Int = 16,
        onEvict: (@Sendable (_ id: ID, _ state: State) async -> Void)? = nil
    ) -> StoreGroupEviction {
        guard idle > .zero else {
            fatalError("StoreGroupEviction.afterIdle(\(idle)) has no idle time. Pass a duration longer than zero.")
        }
        guard maxConcurrentHandOvers > 0 else {
            fatalError(
                """
                StoreGroupEviction.afterIdle has a limit of \(maxConcurrentHandOvers) concurrent hand-overs. Pass at least 1.
                """
            )
        }
        return StoreGroupEviction(
            idle: idle,
            clock: clock,
            maxConcurrentHandOvers: maxConcurrentHandOvers,
            onEvict: onEvict
        )
    }
}
