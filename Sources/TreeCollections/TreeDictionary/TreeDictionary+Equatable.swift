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
