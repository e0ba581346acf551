/// An entry of a table that can be observed, and how the changes of the table are found.
@usableFromInline
struct ObservedEntry<State: Sendable, Table: ObservableTable & Sendable>: Sendable
where Table.Key: Sendable, Table.Value: Sendable {
    @usableFromInline let keyPath: KeyPath<State, Table> & Sendable
    @usableFromInline let key: Table.Key

    @inlinable
    init(_ keyPath: KeyPath<State, Table> & Sendable, _ key: Table.Key) {
        self.keyPath = keyPath
        self.key = key
    }

    /// Made in inlinable code, where the types are known, because its closures run after each turn.
    @inlinable
    func makeWatcher(_ table: TableWatcher<State, Table>) -> Watcher<State> {
        if let part = StoredPart(keyPath) {
            return Watcher(group: table, filter: PartFilter(part, last: table.last)) { state in
                table.update(part.load(from: state))
            } finish: {
                table.finish()
            }
        }
        let keyPath = keyPath
        return Watcher(group: table, filter: .passing) { state in
            table.update(state.pointee[keyPath: keyPath])
        } finish: {
            table.finish()
        }
    }
}

/// The key of an entry in a table, as something to find its observers by.
@usableFromInline
struct EntryKey: Hashable, @unchecked Sendable {
    // Sound: it is made of keys that are Sendable, and never changed.
    let value: AnyHashable

    init(_ key: some Hashable & Sendable) { value = AnyHashable(key) }
}
