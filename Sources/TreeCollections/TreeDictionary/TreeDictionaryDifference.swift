/// What differs between two versions of a ``TreeDictionary``, made by ``TreeDictionary/difference(from:)``.
///
/// The order in each of the arrays is not specified.
public struct TreeDictionaryDifference<Key: Hashable, Value> {
    /// The entries that only the newer version has.
    public var inserted: [Entry] = []
    /// The entries that only the older version has.
    public var removed: [Entry] = []
    /// The keys that both versions have, with different values.
    public var updated: [Update] = []

    /// No difference.
    @inlinable
    public init() {}

    /// Whether the versions are equal.
    @inlinable
    public var isEmpty: Bool { inserted.isEmpty && removed.isEmpty && updated.isEmpty }

    /// A key that one of the versions has, with its value there.
    public struct Entry {
        /// The key.
        public var key: Key
        /// The value that one of the versions has for it.
        public var value: Value

        /// An entry of one of the versions.
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

        /// A change of the value of a key.
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
    /// Whether both have the same changes, in whatever order: that of keys with equal hashes depends on the history of
    /// the dictionaries.
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
    /// What has to be changed in an older version to get this one.
    ///
    /// Versions that come from each other share all but a few nodes, which are skipped: the time is in proportion to
    /// the number of changes between them, times log *n*. Dictionaries that share nothing are compared in O(*n*).
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

    /// Calls `body` with each key that was inserted, removed or got another value since an older version, without
    /// making a ``TreeDictionaryDifference`` of them. The time is that of ``difference(from:)``.
    ///
    /// - Parameters:
    ///   - older: the version to compare with; any other dictionary will do.
    ///   - body: gets the key, its value in the older version, or nil if it was not there, and its value in this one,
    ///     or nil if it is gone. The order is not specified.
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
    /// Calls `body` with each key that has been removed since an older version, whatever has become of the values.
    ///
    /// Versions that come from each other share all but a few nodes, which are skipped: the time is in proportion to
    /// the number of changes between them, times log *n*.
    ///
    /// - Parameters:
    ///   - older: the version to compare with; any other dictionary will do.
    ///   - body: gets a key that the older version has, and this one has not. The order is not specified.
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
