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
