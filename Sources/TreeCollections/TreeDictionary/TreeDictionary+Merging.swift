extension TreeDictionary {
    /// Adds the entries of a sequence.
    ///
    /// - Parameters:
    ///   - other: keys and values.
    ///   - combine: makes one value of the value so far and that of the sequence, for keys that are there already.
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

    /// Adds the entries of another dictionary. O(*m*) for its *m* entries, and O(1) if this one is empty, since then
    /// both share everything.
    ///
    /// - Parameters:
    ///   - other: the other dictionary.
    ///   - combine: makes one value of this dictionary's and the other's, for keys that are in both.
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

    /// A copy with the entries of a sequence added, as `merge(_:uniquingKeysWith:)` adds them.
    @inlinable
    public func merging(
        _ other: some Sequence<(Key, Value)>,
        uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows -> TreeDictionary {
        var result = self
        try result.merge(other, uniquingKeysWith: combine)
        return result
    }

    /// A copy with the entries of another dictionary added, as `merge(_:uniquingKeysWith:)` adds them.
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
