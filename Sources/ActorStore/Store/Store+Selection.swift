extension Store {
    /// Follows what `select` makes of the state: the current value first, then each change of it.
    ///
    /// `select` runs after each turn, also if nothing has changed that it looks at. A ``Selector`` names its inputs, and
    /// is computed only when one of them has changed.
    ///
    /// - Parameters:
    ///   - buffering: What is kept for an observer who is busy.
    ///   - select: runs in the store's turn, so that it must not block.
    @inlinable
    public nonisolated func values<Value: Equatable & Sendable>(
        buffering: BufferingPolicy = .latest,
        _ select: @escaping @Sendable (_ state: State) -> Value
    ) -> StoreSequence<Value> {
        StoreSequence { [weak core] in
            core?.subscribe(to: .computed(select), policy: buffering) ?? .ended
        }
    }

    /// Follows the value of a selector, which is computed when one of its inputs has changed, once for all that observe
    /// it in this store.
    @inlinable
    public nonisolated func values<Value: Equatable & Sendable>(
        selecting selector: Selector<State, Value>,
        buffering: BufferingPolicy = .latest
    ) -> StoreSequence<Value> {
        StoreSequence { [weak core] in
            core?.subscribe(to: .selector(selector), policy: buffering) ?? .ended
        }
    }

    /// Calls `body` with the value of a selector, and with every other one after it; otherwise like ``observe(_:_:)``.
    @inlinable
    public nonisolated func observe<Value: Equatable & Sendable>(
        selecting selector: Selector<State, Value>,
        _ body: @escaping @Sendable (_ value: Value) -> Void
    ) -> Observation {
        core.observe(.selector(selector), body)
    }
}
