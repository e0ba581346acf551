extension Store {
    /// Has a part of the state drive effects until the store ends, its owner is gone, or the observation is cancelled.
    ///
    /// - Parameter follow: Told the part, first as it is, and then as it changes, in the turn.
    @usableFromInline
    nonisolated func drive<Value: Sendable, Key: Hashable & Sendable, Cause: Equatable & Sendable>(
        by observed: Observed<State, Value>,
        _ driver: EffectDriver<State, Action, Key, Cause>,
        _ follow: @escaping @Sendable (_ value: Value) -> Void
    ) -> Observation {
        let (root, place) = (root, driver.place(of: observed.byteRange))
        _ = root.observe(
            observed,
            in: place,
            through: host(of: place),
            isDriver: true,
            at: driver.source,
            // In one turn, so that no action comes between a postponement and the observation of what it waits for.
            then: { observation in
                driver.hold(observation)
                if root.progress.contains(.drivenEffects) { root.startDrivenEffects() }
            },
            finish: { driver.end() },
            follow
        )
        // The driver goes on to follow the state until its turn comes, and only ends what that no longer asks for.
        let end = DrivenEffectEnd { [weak root] in
            driver.cancel()
            root?.inNextTurn { driver.end() }
        }
        return Observation(of: end, endsWhenReleased: false)
    }

    /// What carries out what a part of the state asks for.
    ///
    /// - Parameters:
    ///   - source: Where this is written.
    ///   - isCurrent: Whether a state asks for it still.
    @usableFromInline
    nonisolated func makeDriver<Key: Hashable & Sendable, Cause: Equatable & Sendable>(
        _ owner: (any AnyObject & Sendable)?,
        at source: SourceLocation,
        clock: any Clock<Duration> = ContinuousClock(),
        delay: @escaping @Sendable (Cause) -> Duration = { _ in .zero },
        isCurrent: @escaping @Sendable (_ key: Key, _ cause: Cause, State) -> Bool,
        ask: @escaping @Sendable (_ key: Key, _ cause: Cause, State) -> DrivenEffect<State, Action>
    ) -> EffectDriver<State, Action, Key, Cause> {
        EffectDriver(
            scopeNode: scopeNode.ofOneObserver,
            owner: owner.map { DrivenEffectOwner($0) },
            source: source,
            clock: clock,
            delay: delay,
            isCurrent: isCurrent,
            ask: ask
        )
    }

    /// Configures the store's effects, and returns the store.
    ///
    /// ```swift
    /// let store = Store(initialState: Shop.State(), reducer: Shop())
    ///     .withEffects { store in
    ///         store.effect(on: \.upload) { state in … }
    ///         store.effect(toggle: \.isLive) { state in … }
    ///     }
    /// ```
    ///
    /// - Parameter configure: Called at once. What it is given is this store; closures that keep it keep the store
    ///   alive.
    /// - Returns: this store.
    @discardableResult
    public nonisolated func withEffects(
        _ configure: (_ store: Store<State, Action>) throws -> Void
    ) rethrows -> Store<State, Action> {
        try configure(self)
        return self
    }
}

/// The key of an effect that is the only one.
@usableFromInline
struct OnlyKey: Hashable, Sendable {
    @usableFromInline
    init() {}
}
