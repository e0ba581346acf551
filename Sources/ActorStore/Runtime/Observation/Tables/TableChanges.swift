import TreeCollections

/// What changes in a table, as an asynchronous sequence: first all its entries, as inserted, and then what was
/// inserted, removed and updated since the element before.
///
/// Only the first element can be empty: a version that differs in nothing but the order of its entries is passed over.
///
/// It keeps nothing but the version that its observer has seen: one that is busy gets all changes of the meantime as
/// one difference, and a key that changed and changed back is not in it. The difference is found in the observer's
/// task.
public struct TableChanges<Table: ObservableTable & Sendable>: AsyncSequence, Sendable
where Table.Key: Sendable, Table.Value: Sendable {
    @usableFromInline let versions: StoreSequence<Table>

    @inlinable
    init(versions: StoreSequence<Table>) {
        self.versions = versions
    }

    /// Begins to iterate.
    @inlinable
    public func makeAsyncIterator() -> Iterator { Iterator(versions: versions.makeAsyncIterator()) }

    /// Takes the changes one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        @usableFromInline var versions: StoreSequence<Table>.Iterator
        @usableFromInline var last = Table()
        @usableFromInline var isFirst = true

        @inlinable
        init(versions: StoreSequence<Table>.Iterator) {
            self.versions = versions
        }

        /// The next changes, or nil when the observation has ended or the task was cancelled.
        @inlinable
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async -> TreeDictionaryDifference<Table.Key, Table.Value>? {
            while let table = await versions.next(isolation: actor) {
                var changes = TreeDictionaryDifference<Table.Key, Table.Value>()
                table.visitDifference(from: last) { key, oldValue, newValue in
                    switch (oldValue, newValue) {
                    case (nil, let new?): changes.inserted.append(.init(key: key, value: new))
                    case (let old?, nil): changes.removed.append(.init(key: key, value: old))
                    case (let old?, let new?): changes.updated.append(.init(key: key, oldValue: old, newValue: new))
                    case (nil, nil): break
                    }
                }
                last = table
                defer { isFirst = false }
                if isFirst || !changes.isEmpty { return changes }
            }
            return nil
        }
    }
}

extension TableChanges.Iterator: ObservationIterator {
    var observation: any ObservationTarget { versions.observation }
}
