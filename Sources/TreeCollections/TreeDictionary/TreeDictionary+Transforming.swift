extension TreeDictionary {
    /// The entries for which `isIncluded` says so. O(*n*) calls; the result shares with this dictionary the nodes of
    /// which nothing was left out, so it is cheap to keep both and to compare them.
    @inlinable
    public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> TreeDictionary {
        var result = self
        for element in self where try !isIncluded(element) { result.removeValue(forKey: element.key) }
        return result
    }

    /// The same keys, each with what `transform` makes of its value. O(*n*), without hashing a key.
    @inlinable
    public func mapValues<Mapped>(_ transform: (Value) throws -> Mapped) rethrows -> TreeDictionary<Key, Mapped> {
        guard let root else { return TreeDictionary<Key, Mapped>() }
        return try withExtendedLifetime(root) {
            TreeDictionary<Key, Mapped>(root: try NodeView(root).mapValues(transform), count: count)
        }
    }

    /// The keys for which `transform` makes something of their values, with that. O(*n*).
    @inlinable
    public func compactMapValues<Mapped>(
        _ transform: (Value) throws -> Mapped?
    ) rethrows -> TreeDictionary<Key, Mapped> {
        var result = TreeDictionary<Key, Mapped>()
        for (key, value) in self {
            guard let mapped = try transform(value) else { continue }
            result.insert(mapped, for: key, HashPath(key))
        }
        return result
    }
}
