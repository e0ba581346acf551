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
    /// What an entry holds.
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
