import ActorStore

/// When a group lets go of stores that nobody uses.
public struct StoreGroupEviction<ID: Hashable & Sendable, State: Sendable>: Sendable {
    let idle: Duration?
    let clock: any Clock<Duration>
    var maxConcurrentHandOvers = 1
    let onEvict: (@Sendable (ID, State) async -> Void)?

    /// It keeps them until ``StoreGroup/evict(_:)`` is called, or the group ends.
    public static var never: StoreGroupEviction {
        StoreGroupEviction(idle: nil, clock: ContinuousClock(), onEvict: nil)
    }

    /// It keeps them until ``StoreGroup/evict(_:)`` is called, which hands their states over, or the group ends, which
    /// does not.
    ///
    /// - Parameter onEvict: See ``afterIdle(_:clock:maxConcurrentHandOvers:onEvict:)``.
    public static func never(onEvict: @escaping @Sendable (_ id: ID, _ state: State) async -> Void)
        -> StoreGroupEviction
    {
        StoreGroupEviction(idle: nil, clock: ContinuousClock(), onEvict: onEvict)
    }

    /// It lets go of a store that was not used for a time: nobody has asked the group for it, no action has been
    /// reduced, and there was no reference to it outside the group, no observer, no effect, and no child.
    ///
    /// Stores are looked at once in each period of that length, and go when nothing has happened from one look to the
    /// next, so that they are idle for as long at least, and not twice as long. What begins and ends between two looks,
    /// and reduces no action, is not seen: an observer of a scope, or a side effect that only reads.
    ///
    /// ## Handing the state over
    ///
    /// The store is still there while `onEvict` runs. If it is used meanwhile it stays, and `onEvict` is called again,
    /// with a newer state, when it goes for good. So nothing is lost, and the next store of the key is made of what
    /// `onEvict` has kept. (Who had found no store before may have one made meanwhile, which is not used.)
    ///
    /// `onEvict` runs in a task of the group, with the executor of the group's configuration, also for a store that its
    /// user has shut down. Its priority is that of the configuration, or that of the caller of
    /// ``StoreGroup/evict(_:)``, whose cancellation does not reach it. It runs for several keys at the same time, for
    /// idle stores up to the limit, and never twice at the same time for one key.
    ///
    /// It must not wait for ``StoreGroup/end(_:drain:)`` of the same key, nor for the shutdown of the group: both wait
    /// for it.
    ///
    /// - Parameters:
    ///   - idle: For how long a store must not have been used. Not more than zero is a programmer error, and traps.
    ///   - clock: Measures the time; a test gives one of its own.
    ///   - maxConcurrentHandOvers: For how many idle stores `onEvict` runs at the same time. As long as that many have
    ///     not returned, such as those that hang, no further idle store goes; ``StoreGroupStatistics/handOvers`` shows
    ///     it. Less than one is a programmer error, and traps.
    ///   - onEvict: Keeps the last state for the time when the key's store is asked for again.
    public static func afterIdle(
        _ idle: Duration,
        clock: any Clock<Duration> = ContinuousClock(),
        maxConcurrentHandOvers: Int = 16,
        onEvict: (@Sendable (_ id: ID, _ state: State) async -> Void)? = nil
    ) -> StoreGroupEviction {
        guard idle > .zero else {
            fatalError("StoreGroupEviction.afterIdle(\(idle)) has no idle time. Give a duration longer than zero.")
        }
        guard maxConcurrentHandOvers > 0 else {
            fatalError(
                """
                StoreGroupEviction.afterIdle has a limit of \(maxConcurrentHandOvers) hand-overs at the same time. Give at least one.
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
