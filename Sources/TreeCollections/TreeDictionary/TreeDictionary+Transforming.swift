extension TreeDictionary {
    /// Returns a dictionary of the entries that satisfy a predicate. It shares the nodes from which nothing was left
    /// out with this dictionary, so both together need little memory, and are compared quickly.
    ///
    /// - Returns: A dictionary of the entries for which `isIncluded` returns `true`.
    /// - Complexity: O(*n*) calls of `isIncluded`.
    @inlinable
    public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> TreeDictionary {
        var result = self
        for element in self where try !isIncluded(element) { result.removeValue(forKey: element.key) }
        return result
    }

    /// Returns a dictionary with the same keys and transformed values. It does not hash the keys.
    ///
    /// - Returns: A dictionary of the transformed values.
    /// - Complexity: O(*n*)
    @inlinable
    public func mapValues<Mapped>(_ transform: (Value) throws -> Mapped) rethrows -> TreeDictionary<Key, Mapped> {
        guard let root else { return TreeDictionary<Key, Mapped>() }
        return try withExtendedLifetime(root) {
            TreeDictionary<Key, Mapped>(root: try NodeView(root).mapValues(transform), count: count)
        }
    }

    /// Returns a dictionary of the transformed values that are not nil, with their keys.
    ///
    /// - Returns: A dictionary of the transformed values that are not nil.
    /// - Complexity: O(*n*)
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
