import ActorStore

extension EffectDriverHost {
    /// Drives effects by a part of the state until the store ends, the owner is released, or the observation is
    /// cancelled.
    ///
    /// - Parameter follow: Receives the part, first its current value and then each change, within the turn.
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

    /// Creates a driver for the effects that a part of the state requests.
    ///
    /// - Parameters:
    ///   - source: The source location of the call.
    ///   - isCurrent: Whether the state still requests the effect.
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
    /// - Parameter configure: Receives this store, and runs immediately. Closures that capture the store strongly
    ///   retain it.
    /// - Returns: This store.
    @discardableResult
    public nonisolated func withEffects(
        _ configure: (_ store: Store<State, Action>) throws -> Void
    ) rethrows -> Store<State, Action> {
        try configure(self)
        return self
    }
}

/// The key of a driver with a single effect.
@usableFromInline
struct OnlyKey: Hashable, Sendable {
    @usableFromInline
    init() {}
}
