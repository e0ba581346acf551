extension TreeDictionary {
    /// Adds the entries of a sequence.
    ///
    /// - Parameters:
    ///   - other: The keys and values.
    ///   - combine: Combines the value so far with that of the sequence, for existing keys.
    /// - Complexity: O(*m*), where *m* is the number of entries of the sequence.
    @inlinable
    public mutating func merge(
        _ other: some Sequence<(Key, Value)>,
        uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        for (key, value) in other {
            let (entry, isNew) = ownEntry(for: key, HashPath(key)) { value }
            if !isNew { entry.pointee.value = try combine(entry.pointee.value, value) }
        }
    }

    /// Adds the entries of another dictionary.
    ///
    /// - Parameters:
    ///   - other: The other dictionary.
    ///   - combine: Combines this dictionary's value with the other's, for keys that are in both.
    /// - Complexity: O(*m*), where *m* is the number of entries of the other dictionary; O(1) if this one is empty,
    ///   because both then share all nodes.
    @inlinable
    public mutating func merge(
        _ other: TreeDictionary,
        uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        guard !isEmpty else { return self = other }
        for (key, value) in other {
            let (entry, isNew) = ownEntry(for: key, HashPath(key)) { value }
            if !isNew { entry.pointee.value = try combine(entry.pointee.value, value) }
        }
    }

    /// Returns a copy with the entries of a sequence added.
    ///
    /// - Parameters:
    ///   - other: The keys and values.
    ///   - combine: Combines the value so far with that of the sequence, for existing keys.
    /// - Returns: The merged dictionary.
    /// - Complexity: O(*m*), where *m* is the number of entries of the sequence.
    @inlinable
    public func merging(
        _ other: some Sequence<(Key, Value)>,
        uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows -> TreeDictionary {
        var result = self
        try result.merge(other, uniquingKeysWith: combine)
        return result
    }

    /// Returns a copy with the entries of another dictionary added.
    ///
    /// - Parameters:
    ///   - other: The other dictionary.
    ///   - combine: Combines this dictionary's value with the other's, for keys that are in both.
    /// - Returns: The merged dictionary.
    /// - Complexity: O(*m*), where *m* is the number of entries of the other dictionary; O(1) if this one is empty,
    ///   because both then share all nodes.
    @inlinable
    public func merging(
        _ other: TreeDictionary,
        uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows -> TreeDictionary {
        var result = self
        try result.merge(other, uniquingKeysWith: combine)
        return result
    }
}
