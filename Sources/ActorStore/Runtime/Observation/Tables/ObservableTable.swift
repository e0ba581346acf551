import TreeCollections

/// A table whose entries can be observed individually: `TreeDictionary`, `KeyedArray`, `Dictionary` and `Array`.
///
/// The cost of finding the entries that an action changed depends on the table. A `TreeDictionary` finds them in time
/// proportional to the number of changes, because its versions share what they have in common; a `Dictionary`, a
/// `KeyedArray` and an `Array` compare every entry. While a store retains the last version for the comparison, the next
/// action that changes a `Dictionary`, a `KeyedArray` or an `Array` copies it; a `TreeDictionary` copies a few nodes.
public protocol ObservableTable<Key, Value>: Equatable {
    /// The type that identifies an entry; for an array the index.
    associatedtype Key: Hashable
    /// The type of an entry's value. Its `==` must detect every change that observers of an entry, or of a part of it,
    /// are to receive.
    associatedtype Value: Equatable

    /// Creates an empty table.
    init()

    /// Returns the value of an entry, or nil if the entry does not exist.
    ///
    /// - Parameter key: The key of the entry.
    /// - Returns: The value for `key`, or nil.
    func value(forKey key: Key) -> Value?

    /// Calls `body` for each key that was inserted, removed or given another value since an older version.
    ///
    /// - Parameters:
    ///   - older: The older version.
    ///   - body: A closure that receives the key, its old value and its new value. A value is nil where the entry does
    ///     not exist.
    func visitDifference(from older: Self, _ body: (_ key: Key, _ oldValue: Value?, _ newValue: Value?) -> Void)
}

extension TreeDictionary: ObservableTable where Value: Equatable {
    /// Returns the value of a key, or nil if the dictionary does not contain the key.
    ///
    /// - Parameter key: The key.
    /// - Returns: The value for `key`, or nil.
    /// - Complexity: O(log *n*), where *n* is the number of entries.
    @inlinable
    public func value(forKey key: Key) -> Value? { self[key] }

    /// Calls `body` for each key that was inserted, removed or given another value since an older version.
    ///
    /// - Parameters:
    ///   - older: The older version.
    ///   - body: A closure that receives the key, its old value and its new value. A value is nil where the key is
    ///     missing.
    /// - Complexity: O(*d* log *n*), where *d* is the number of changes and *n* the number of entries, if one version
    ///   was made from the other.
    @inlinable
    public func visitDifference(
        from older: Self,
        _ body: (_ key: Key, _ oldValue: Value?, _ newValue: Value?) -> Void
    ) {
        forEachDifference(from: older, body)
    }
}

extension Dictionary: ObservableTable where Value: Equatable {
    /// Returns the value of a key, or nil if the dictionary does not contain the key.
    ///
    /// - Parameter key: The key.
    /// - Returns: The value for `key`, or nil.
    /// - Complexity: O(1).
    @inlinable
    public func value(forKey key: Key) -> Value? { self[key] }

    /// Calls `body` for each key that was inserted, removed or given another value since an older version.
    ///
    /// - Parameters:
    ///   - older: The older version.
    ///   - body: A closure that receives the key, its old value and its new value. A value is nil where the key is
    ///     missing.
    /// - Complexity: O(*n*), where *n* is the number of entries in both versions; O(1) if both share their storage.
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

    /// Returns the element at an index, or nil if the index is out of bounds.
    ///
    /// - Parameter key: The index.
    /// - Returns: The element at `key`, or nil.
    /// - Complexity: O(1).
    @inlinable
    public func value(forKey key: Int) -> Element? { indices.contains(key) ? self[key] : nil }

    /// Calls `body` for each index that was added, removed or given another element since an older version.
    ///
    /// Elements are compared index by index, so inserting an element in the middle changes all that follow.
    ///
    /// - Parameters:
    ///   - older: The older version.
    ///   - body: A closure that receives the index, its old element and its new element. An element is nil where the
    ///     index is out of bounds.
    /// - Complexity: O(*n*), where *n* is the length of the longer version; O(1) if both share their storage.
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

/// Returns whether two tables are unmodified copies of each other, by comparing their bytes; see ``ByteFilter``.
///
/// - Complexity: O(1).
@inlinable
func areOneStorage<Table: ObservableTable>(_ left: Table, _ right: Table) -> Bool {
    // Sound: both are retained meanwhile, so equal references in them refer to the same objects.
    withUnsafePointer(to: left) { left in
        withUnsafePointer(to: right) { right in
            !ByteFilter(offset: 0, size: MemoryLayout<Table>.size, last: UnsafeRawPointer(right))
                .mayHaveChanged(in: UnsafeRawPointer(left))
        }
    }
}

extension KeyedArray: ObservableTable where Element: Equatable {

    /// Returns the element with an identity, or nil if the array does not contain it.
    ///
    /// - Parameter key: The identity.
    /// - Returns: The element with the identity `key`, or nil.
    /// - Complexity: O(1).
    @inlinable
    public func value(forKey key: Element.ID) -> Element? { self[id: key] }

    /// Calls `body` for each identity that was inserted, removed or given another element since an older version. An
    /// element that only moves has not changed.
    ///
    /// - Parameters:
    ///   - older: The older version.
    ///   - body: A closure that receives the identity, its old element and its new element. An element is nil where the
    ///     identity is missing.
    /// - Complexity: O(*n*), where *n* is the number of elements in both versions; O(1) if both share their storage.
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

/// An asynchronous sequence of the changes of a table. The first element contains all entries as inserted; each further
/// one contains what was inserted, removed and updated since the element before.
///
/// Only the first element can be empty: a version that differs only in the order of its entries is skipped.
///
/// The sequence retains only the version that its observer has seen. A busy observer receives all changes since then as
/// one difference, without keys that changed and changed back. The difference is computed in the observer's task.
public struct TableChanges<Table: ObservableTable & Sendable>: AsyncSequence, Sendable
where Table.Key: Sendable, Table.Value: Sendable {
    @usableFromInline let versions: StoreSequence<Table>

    @inlinable
    init(versions: StoreSequence<Table>) {
        self.versions = versions
    }

    /// Creates an iterator.
    @inlinable
    public func makeAsyncIterator() -> Iterator { Iterator(versions: versions.makeAsyncIterator()) }

    /// An iterator over the changes.
    public struct Iterator: AsyncIteratorProtocol {
        @usableFromInline var versions: StoreSequence<Table>.Iterator
        @usableFromInline var last = Table()
        @usableFromInline var isFirst = true

        @inlinable
        init(versions: StoreSequence<Table>.Iterator) {
            self.versions = versions
        }

        /// Returns the next changes, or nil if the observation has ended or the task was cancelled.
        ///
        /// - Parameter actor: The actor on which this runs; by default the caller's.
        /// - Returns: The next changes, or `nil` after the end.
        /// - Complexity: That of ``ObservableTable/visitDifference(from:_:)``.
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
