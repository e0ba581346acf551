import ActorStore

extension EffectDriverHost {
    /// Has a part of the state drive effects until the store ends, its owner is gone, or the observation is cancelled.
    ///
    /// - Parameter follow: Told the part, first as it is, and then as it changes, in the turn.
    @usableFromInline
    func drive<Value: Sendable, Key: Hashable & Sendable, Cause: Equatable & Sendable>(
        by observed: Observed<State, Value>,
        _ driver: EffectDriver<State, Action, Key, Cause>,
        _ follow: @escaping @Sendable (_ value: Value) -> Void
    ) -> StoreObservation {
        drive(by: observed, at: driver.source) { observation in
            driver.hold(observation)
        } cancel: {
            driver.cancel()
        } end: {
            driver.end()
        } _: { value in
            follow(value)
        }
    }

    /// What carries out what a part of the state asks for.
    ///
    /// - Parameters:
    ///   - source: Where this is written.
    ///   - isCurrent: Whether a state asks for it still.
    @usableFromInline
    func makeDriver<Key: Hashable & Sendable, Cause: Equatable & Sendable>(
        _ owner: (any AnyObject & Sendable)?,
        at source: CodeLocation,
        clock: any Clock<Duration> = ContinuousClock(),
        delay: @escaping @Sendable (Cause) -> Duration = { _ in .zero },
        isCurrent: @escaping @Sendable (_ key: Key, _ cause: Cause, State) -> Bool,
        ask: @escaping @Sendable (_ key: Key, _ cause: Cause, State) -> DrivenEffect<State, Action>
    ) -> EffectDriver<State, Action, Key, Cause> {
        EffectDriver(
            host: self,
            owner: owner.map { DrivenEffectOwner($0) },
            source: source,
            clock: clock,
            delay: delay,
            isCurrent: isCurrent,
            ask: ask
        )
    }
}

extension Store {
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
