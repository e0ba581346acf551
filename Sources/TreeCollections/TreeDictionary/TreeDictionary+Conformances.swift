extension TreeDictionary: Equatable where Value: Equatable {
    /// Whether both have the same keys with the same values. What the two share is equal without a look, so that
    /// comparing versions of one dictionary takes time in proportion to what differs; otherwise O(*n*).
    @inlinable
    public static func == (left: TreeDictionary, right: TreeDictionary) -> Bool {
        left.isEqual(to: right) { $0 == $1 }
    }
}

extension TreeDictionary: Hashable where Value: Hashable {
    /// Hashes all keys and values, independently of their order. O(*n*).
    @inlinable
    public func hash(into hasher: inout Hasher) {
        var combined = 0
        for (key, value) in self {
            // Each entry gets a copy of the hasher, so that its hash depends on nothing that came before in this loop.
            var entryHasher = hasher
            entryHasher.combine(key)
            entryHasher.combine(value)
            combined ^= entryHasher.finalize()
        }
        hasher.combine(combined)
    }
}

extension TreeDictionary {
    @inlinable
    func isEqual(to other: TreeDictionary, by areEqual: (Value, Value) -> Bool) -> Bool {
        guard count == other.count else { return false }
        guard let root, let otherRoot = other.root else { return true }
        return withExtendedLifetime((root, otherRoot)) {
            NodeView(root).isEqual(to: NodeView(otherRoot), by: areEqual)
        }
    }
}

// Both directions go by way of `Dictionary`, which is the one way to have its encoding in all cases: a keyed container
// for keys that are strings or integers or can be represented as such, otherwise keys and values in turn.

extension TreeDictionary: Encodable where Key: Encodable, Value: Encodable {
    /// Encodes the entries as `Dictionary` does. O(*n*), with a temporary copy.
    public func encode(to encoder: any Encoder) throws {
        try Dictionary(uniqueKeysWithValues: lazy.map { ($0.key, $0.value) }).encode(to: encoder)
    }
}

extension TreeDictionary: Decodable where Key: Decodable, Value: Decodable {
    /// Decodes what a `Dictionary` or a `TreeDictionary` encoded. Throws what `Dictionary` throws.
    public init(from decoder: any Decoder) throws {
        self.init(try [Key: Value](from: decoder))
    }
}

extension TreeDictionary: CustomStringConvertible, CustomDebugStringConvertible {
    /// The entries, as `Dictionary` shows them.
    public var description: String { text }

    /// The entries, as `Dictionary` shows them.
    public var debugDescription: String { text }

    private var text: String {
        guard !isEmpty else { return "[:]" }
        let entries = map { "\(String(reflecting: $0.key)): \(String(reflecting: $0.value))" }
        return "[\(entries.joined(separator: ", "))]"
    }
}

extension TreeDictionary: CustomReflectable {
    /// A mirror that shows the entries, as that of `Dictionary` does.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: map { $0 }, displayStyle: .dictionary) }
}
