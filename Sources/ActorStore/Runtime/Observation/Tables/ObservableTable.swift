import TreeCollections

/// A table whose entries can be observed each by itself: `TreeDictionary`, `KeyedArray`, `Dictionary` and `Array`.
///
/// What it costs to find the entries that an action has changed depends on the table: a `TreeDictionary` tells in time
/// proportional to the number of changes, because its versions share what is the same in both; a `Dictionary` and an
/// `Array` look at every entry. And while a store keeps the last version to compare with, the next action that changes
/// a `Dictionary` or an `Array` copies it; a `TreeDictionary` copies a few nodes.
public protocol ObservableTable<Key, Value>: Equatable {
    /// What an entry is found by; for an array the index.
    associatedtype Key: Hashable
    /// What an entry holds. Its `==` must see whatever observers of an entry, or of a part of it, are to see.
    associatedtype Value: Equatable

    /// A table without entries.
    init()

    /// The value of an entry, or nil if there is none.
    func value(forKey key: Key) -> Value?

    /// Calls `body` with each key that was inserted, removed or got another value since an older version: the key, its
    /// value then, and its value now, nil where there was or is none.
    func visitDifference(from older: Self, _ body: (_ key: Key, _ oldValue: Value?, _ newValue: Value?) -> Void)
}

extension TreeDictionary: ObservableTable where Value: Equatable {
    /// The value of a key, in O(log *n*).
    @inlinable
    public func value(forKey key: Key) -> Value? { self[key] }

    /// In time proportional to the number of changes, times log *n*, for versions that come from each other.
    @inlinable
    public func visitDifference(
        from older: Self,
        _ body: (_ key: Key, _ oldValue: Value?, _ newValue: Value?) -> Void
    ) {
        forEachDifference(from: older, body)
    }
}

extension Dictionary: ObservableTable where Value: Equatable {
    /// The value of a key, in O(1).
    @inlinable
    public func value(forKey key: Key) -> Value? { self[key] }

    /// In O(*n*), unless both are the same storage.
    @inlinable
    public func visitDifference(
        from older: Self,
        _ body: (_ key: Key, _ oldValue: Value?, _ newValue: Value?) -> Void
    ) {
        if areOneStorage(self, older) { return }
        for (key, value) in self {
            let oldValue = older[key]
            if oldValue != value { body(key, oldValue, value) }
        }
        for (key, oldValue) in older where self[key] == nil { body(key, oldValue, nil) }
    }
}

extension Array: ObservableTable where Element: Equatable {

    /// The element at an index, or nil if the array is not so long, in O(1).
    @inlinable
    public func value(forKey key: Int) -> Element? { indices.contains(key) ? self[key] : nil }

    /// Index by index, in O(*n*), unless both are the same storage: an element that is inserted in the middle changes
    /// all that follow.
    @inlinable
    public func visitDifference(
        from older: Self,
        _ body: (_ key: Int, _ oldValue: Element?, _ newValue: Element?) -> Void
    ) {
        if areOneStorage(self, older) { return }
        for index in 0..<Swift.max(count, older.count) {
            let (oldValue, newValue) = (older.value(forKey: index), value(forKey: index))
            if oldValue != newValue { body(index, oldValue, newValue) }
        }
    }
}

/// Whether two tables are copies of each other of which neither has been changed since, by their bytes: see
/// ``ByteFilter``.
///
/// - Complexity: O(1).
@inlinable
func areOneStorage<Table: ObservableTable>(_ left: Table, _ right: Table) -> Bool {
    // Sound: both are kept meanwhile, so that the same references in them are to the same objects.
    withUnsafePointer(to: left) { left in
        withUnsafePointer(to: right) { right in
            !ByteFilter(offset: 0, size: MemoryLayout<Table>.size, last: UnsafeRawPointer(right))
                .mayHaveChanged(in: UnsafeRawPointer(left))
        }
    }
}

extension KeyedArray: ObservableTable where Element: Equatable {

    /// The element with an identity, in O(1).
    @inlinable
    public func value(forKey key: Element.ID) -> Element? { self[id: key] }

    /// By identity, in O(*n*), unless both are the same storage; an element that only moves has not changed.
    @inlinable
    public func visitDifference(
        from older: Self,
        _ body: (_ key: Element.ID, _ oldValue: Element?, _ newValue: Element?) -> Void
    ) {
        if areOneStorage(self, older) { return }
        for element in self {
            let oldValue = older[id: element.id]
            if oldValue != element { body(element.id, oldValue, element) }
        }
        for oldValue in older where !contains(id: oldValue.id) { body(oldValue.id, oldValue, nil) }
    }
}

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
