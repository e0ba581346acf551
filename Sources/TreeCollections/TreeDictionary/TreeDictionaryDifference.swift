/// The difference between two versions of a ``TreeDictionary``, as returned by ``TreeDictionary/difference(from:)``.
///
/// The order in each array is unspecified.
public struct TreeDictionaryDifference<Key: Hashable, Value> {
    /// The entries that only the newer version has.
    public var inserted: [Entry] = []
    /// The entries that only the older version has.
    public var removed: [Entry] = []
    /// The keys that both versions have, with different values.
    public var updated: [Update] = []

    /// Creates an empty difference.
    @inlinable
    public init() {}

    /// Whether the versions are equal.
    @inlinable
    public var isEmpty: Bool { inserted.isEmpty && removed.isEmpty && updated.isEmpty }

    /// A key that one of the versions has, with its value there.
    public struct Entry {
        /// The key.
        public var key: Key
        /// Its value in that version.
        public var value: Value

        /// Creates an entry of one of the versions.
        @inlinable
        public init(key: Key, value: Value) {
            self.key = key
            self.value = value
        }
    }

    /// A key that both versions have, with different values.
    public struct Update {
        /// The key.
        public var key: Key
        /// The value in the older version.
        public var oldValue: Value
        /// The value in the newer version.
        public var newValue: Value

        /// Creates a change of a key's value.
        @inlinable
        public init(key: Key, oldValue: Value, newValue: Value) {
            self.key = key
            self.oldValue = oldValue
            self.newValue = newValue
        }
    }
}

extension TreeDictionaryDifference: Sendable where Key: Sendable, Value: Sendable {}
extension TreeDictionaryDifference.Entry: Sendable where Key: Sendable, Value: Sendable {}
extension TreeDictionaryDifference.Update: Sendable where Key: Sendable, Value: Sendable {}

extension TreeDictionaryDifference.Entry: Equatable where Value: Equatable {}
extension TreeDictionaryDifference.Update: Equatable where Value: Equatable {}

extension TreeDictionaryDifference: Equatable where Value: Equatable {
    /// Returns whether both have the same changes, in any order: the order of keys with equal hashes depends on the
    /// history of the dictionaries.
    ///
    /// - Complexity: O(*n*)
    public static func == (left: TreeDictionaryDifference, right: TreeDictionaryDifference) -> Bool {
        byKey(left.inserted, \.key) == byKey(right.inserted, \.key)
            && byKey(left.removed, \.key) == byKey(right.removed, \.key)
            && byKey(left.updated, \.key) == byKey(right.updated, \.key)
    }

    private static func byKey<Change>(_ changes: [Change], _ key: (Change) -> Key) -> [Key: [Change]] {
        Dictionary(grouping: changes, by: key)
    }
}

extension TreeDictionary where Value: Equatable {
    /// Returns the changes that turn an older version into this one.
    ///
    /// - Parameter older: The version to compare with. Any other dictionary is allowed.
    /// - Returns: The insertions, removals and updates.
    /// - Complexity: In proportion to the number of changes times log *n* for versions of one dictionary, which share
    ///   all but a few nodes: shared nodes are skipped. O(*n*) for dictionaries that share nothing.
    @inlinable
    public func difference(from older: TreeDictionary) -> TreeDictionaryDifference<Key, Value> {
        var difference = TreeDictionaryDifference<Key, Value>()
        forEachDifference(from: older) { key, oldValue, newValue in
            switch (oldValue, newValue) {
            case (let oldValue?, let newValue?):
                difference.updated.append(.init(key: key, oldValue: oldValue, newValue: newValue))
            case (nil, let value?):
                difference.inserted.append(.init(key: key, value: value))
            case (let value?, nil):
                difference.removed.append(.init(key: key, value: value))
            case (nil, nil):
                break
            }
        }
        return difference
    }

    /// Calls `body` with each key that was inserted, removed or updated since an older version, without creating a
    /// ``TreeDictionaryDifference``.
    ///
    /// - Parameters:
    ///   - older: The version to compare with. Any other dictionary is allowed.
    ///   - body: Receives the key, its value in the older version, or nil if it was inserted, and its value in this
    ///     one, or nil if it was removed. The order is unspecified.
    /// - Complexity: In proportion to the number of changes times log *n* for versions of one dictionary; O(*n*) for
    ///   dictionaries that share nothing.
    @inlinable
    public func forEachDifference(
        from older: TreeDictionary,
        _ body: (_ key: Key, _ oldValue: Value?, _ newValue: Value?) throws -> Void
    ) rethrows {
        try withExtendedLifetime((root, older.root)) {
            switch (older.root, root) {
            case (let old?, let new?):
                try NodeView.forEachDifference(NodeView(old), NodeView(new), body)
            case (nil, let new?):
                try NodeView(new).forEachEntry { try body($0.pointee.key, nil, $0.pointee.value) }
            case (let old?, nil):
                try NodeView(old).forEachEntry { try body($0.pointee.key, $0.pointee.value, nil) }
            case (nil, nil):
                break
            }
        }
    }
}

extension TreeDictionary {
    /// Calls `body` with each key that was removed since an older version, regardless of the values.
    ///
    /// - Parameters:
    ///   - older: The version to compare with. Any other dictionary is allowed.
    ///   - body: Receives a key that the older version has, and this one does not. The order is unspecified.
    /// - Complexity: In proportion to the number of changes times log *n* for versions of one dictionary, which share
    ///   all but a few nodes: shared nodes are skipped.
    @inlinable
    public func forEachRemovedKey(since older: TreeDictionary, _ body: (_ key: Key) throws -> Void) rethrows {
        try withExtendedLifetime((root, older.root)) {
            guard let old = older.root else { return }
            if let new = root {
                try NodeView.forEachRemovedKey(NodeView(old), NodeView(new), body)
            } else {
                try NodeView(old).forEachEntry { try body($0.pointee.key) }
            }
        }
    }
}
