extension TreeDictionary: Equatable where Value: Equatable {
    /// Returns whether both dictionaries have the same keys with the same values. Shared nodes are not visited, so
    /// comparing versions of one dictionary takes time in proportion to what differs.
    ///
    /// - Complexity: O(*n*)
    @inlinable
    public static func == (left: TreeDictionary, right: TreeDictionary) -> Bool {
        left.isEqual(to: right) { $0 == $1 }
    }
}

extension TreeDictionary: Hashable where Value: Hashable {
    /// Hashes all keys and values, independently of their order.
    ///
    /// - Complexity: O(*n*)
    @inlinable
    public func hash(into hasher: inout Hasher) {
        var combined = 0
        for (key, value) in self {
            // Each entry gets a copy of the hasher, so that its hash does not depend on earlier iterations of this
            // loop.
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

// Both directions convert to `Dictionary`, because this is the only way to obtain its encoding in all cases: a keyed
// container for keys that are strings or integers or can be represented as such, otherwise alternating keys and values.

extension TreeDictionary: Encodable where Key: Encodable, Value: Encodable {
    /// Encodes the entries as `Dictionary` does, with a temporary copy.
    ///
    /// - Complexity: O(*n*)
    public func encode(to encoder: any Encoder) throws {
        try Dictionary(uniqueKeysWithValues: lazy.map { ($0.key, $0.value) }).encode(to: encoder)
    }
}

extension TreeDictionary: Decodable where Key: Decodable, Value: Decodable {
    /// Decodes the encoding of a `Dictionary` or a `TreeDictionary`.
    ///
    /// - Throws: The errors of decoding a `Dictionary`.
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
    /// A mirror of the entries, like that of `Dictionary`.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: map { $0 }, displayStyle: .dictionary) }
}
