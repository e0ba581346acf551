extension Store {
    /// Follows one entry of a table: its current value first, nil if there is none, then each change of it.
    ///
    /// ```swift
    /// for await flight in store.values(of: \.flights, key: id) { … }  // Flight?
    /// ```
    ///
    /// With a `TreeDictionary` an action costs what it changes, whatever the size of the table and the number of
    /// observed entries; see ``ObservableTable`` for others.
    ///
    /// - Parameters:
    ///   - keyPath: The table.
    ///   - key: The key of the entry; for an array its index.
    ///   - buffering: What is kept for an observer who is busy.
    ///   - fileID: Where the observer is written; leave the default.
    ///   - line: Where the observer is written; leave the default.
    @inlinable
    public nonisolated func values<Table: ObservableTable & Sendable>(
        of keyPath: KeyPath<State, Table> & Sendable,
        key: Table.Key,
        buffering: BufferingPolicy = .latest,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> StoreSequence<Table.Value?> where Table.Key: Sendable, Table.Value: Sendable {
        sequence(of: .entry(of: keyPath, key: key), buffering, SourceLocation(fileID: fileID, line: line))
    }

    /// Calls `body` with the current value of an entry of a table, and with every other one after it; otherwise like
    /// ``observe(_:fileID:line:_:)``.
    @inlinable
    public nonisolated func observe<Table: ObservableTable & Sendable>(
        _ keyPath: KeyPath<State, Table> & Sendable,
        key: Table.Key,
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (_ value: Table.Value?) -> Void
    ) -> Observation where Table.Key: Sendable, Table.Value: Sendable {
        observation(of: .entry(of: keyPath, key: key), SourceLocation(fileID: fileID, line: line), body)
    }

    /// Follows what changes in a table: all its entries first, as inserted, and then differences.
    ///
    /// ```swift
    /// for await changes in store.changes(of: \.flights) {
    ///     for entry in changes.inserted { show(entry.value) }
    /// }
    /// ```
    @inlinable
    public nonisolated func changes<Table: ObservableTable & Sendable>(
        of keyPath: KeyPath<State, Table> & Sendable,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> TableChanges<Table> where Table.Key: Sendable, Table.Value: Sendable {
        TableChanges(versions: values(of: keyPath, fileID: fileID, line: line))
    }
}
