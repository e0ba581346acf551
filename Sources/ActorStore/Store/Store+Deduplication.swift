extension Store {
    /// Follows a part of the state with a notion of change of one's own.
    ///
    /// Such an observation begins with what ``snapshot`` shows, shares its comparison with no other, and is looked at
    /// after each turn. To have all observers of a part compare in the same sense, use ``scope(_:removeDuplicates:)``.
    ///
    /// - Parameters:
    ///   - keyPath: The part, which need not be `Equatable`.
    ///   - deduplication: When a value is no news; see ``Deduplication``.
    ///   - buffering: What is kept for an observer who is busy. An observer of every action that wants each of them
    ///     needs a buffer.
    ///   - fileID: Where the observer is written; leave the default.
    ///   - line: Where the observer is written; leave the default.
    @inlinable
    public nonisolated func values<Value: Sendable>(
        of keyPath: KeyPath<State, Value> & Sendable,
        removeDuplicates deduplication: Deduplication<Value>,
        buffering: BufferingPolicy = .latest,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> StoreSequence<Value> {
        sequence(
            of: .part(keyPath, removeDuplicates: deduplication),
            buffering,
            SourceLocation(fileID: fileID, line: line)
        )
    }

    /// Follows a part of the state, except for values that `areSame` calls the same as the last one.
    ///
    /// ```swift
    /// store.values(of: \.position) { old, new in old.distance(to: new) < 10 }
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: The part, which need not be `Equatable`.
    ///   - buffering: What is kept for an observer who is busy.
    ///   - fileID: Where the observer is written; leave the default.
    ///   - line: Where the observer is written; leave the default.
    ///   - areSame: Whether the observer need not hear of `new`, given that it was told `old`. It runs in the store's
    ///     turn, so that it must not block.
    @inlinable
    public nonisolated func values<Value: Sendable>(
        of keyPath: KeyPath<State, Value> & Sendable,
        buffering: BufferingPolicy = .latest,
        fileID: String = #fileID,
        line: UInt = #line,
        removeDuplicates areSame: @escaping @Sendable (_ old: Value, _ new: Value) -> Bool
    ) -> StoreSequence<Value> {
        values(of: keyPath, removeDuplicates: Deduplication(areSame), buffering: buffering, fileID: fileID, line: line)
    }

    /// Calls `body` with values of a part of the state, with a notion of change of one's own; otherwise like
    /// ``observe(_:fileID:line:_:)``.
    @inlinable
    public nonisolated func observe<Value: Sendable>(
        _ keyPath: KeyPath<State, Value> & Sendable,
        removeDuplicates deduplication: Deduplication<Value>,
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (_ value: Value) -> Void
    ) -> Observation {
        observation(
            of: .part(keyPath, removeDuplicates: deduplication),
            SourceLocation(fileID: fileID, line: line),
            body
        )
    }
}
