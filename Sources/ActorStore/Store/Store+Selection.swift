extension Store {
    /// Follows what `select` makes of the state: the current value first, then each change of it.
    ///
    /// `select` runs after each turn, also if nothing has changed that it looks at. A ``Selector`` names its inputs,
    /// and is computed only when one of them has changed.
    ///
    /// - Parameters:
    ///   - buffering: What is kept for an observer who is busy.
    ///   - fileID: Where the observer is written; leave the default.
    ///   - line: Where the observer is written; leave the default.
    ///   - select: runs in the store's turn, so that it must not block.
    @inlinable
    public nonisolated func values<Value: Equatable & Sendable>(
        buffering: BufferingPolicy = .latest,
        fileID: String = #fileID,
        line: UInt = #line,
        _ select: @escaping @Sendable (_ state: State) -> Value
    ) -> StoreSequence<Value> {
        sequence(of: .computed(select), buffering, SourceLocation(fileID: fileID, line: line))
    }

    /// Follows the value of a selector, which is computed when one of its inputs has changed, once for all that observe
    /// it in this store.
    @inlinable
    public nonisolated func values<Value: Equatable & Sendable>(
        selecting selector: Selector<State, Value>,
        buffering: BufferingPolicy = .latest,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> StoreSequence<Value> {
        sequence(of: .selector(selector), buffering, SourceLocation(fileID: fileID, line: line))
    }

    /// Calls `body` with the value of a selector, and with every other one after it; otherwise like
    /// ``observe(_:fileID:line:_:)``.
    @inlinable
    public nonisolated func observe<Value: Equatable & Sendable>(
        selecting selector: Selector<State, Value>,
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (_ value: Value) -> Void
    ) -> Observation {
        observation(of: .selector(selector), SourceLocation(fileID: fileID, line: line), body)
    }
}
