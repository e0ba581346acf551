import ActorStore

extension StoreView {
    /// Follows a part of what the view shows; see `Store.values(of:buffering:fileID:line:)`.
    @inlinable
    public func values<Value: Equatable & Sendable>(
        of keyPath: KeyPath<State, Value> & Sendable,
        buffering: BufferingPolicy = .latest,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> StoreSequence<Value> {
        scope.values(of: keyPath, buffering: buffering, fileID: fileID, line: line)
    }

    /// Calls `body` with the current value of a part of what the view shows, and with every other one after it; see
    /// `Store.observe(_:fileID:line:_:)`.
    ///
    /// - Returns: a token; the observation ends when it is released or cancelled.
    @inlinable
    public func observe<Value: Equatable & Sendable>(
        _ keyPath: KeyPath<State, Value> & Sendable,
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (_ value: Value) -> Void
    ) -> StoreObservation {
        scope.observe(keyPath, fileID: fileID, line: line, body)
    }
}
