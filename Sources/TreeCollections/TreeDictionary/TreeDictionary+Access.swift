extension TreeDictionary {
    /// The value of a key, or nil if there is none. Setting nil removes the key.
    ///
    /// A value can be changed in place: `dictionary[key]?.append(1)` does not copy it, unless another copy of the
    /// dictionary has it too. O(log *n*).
    @inlinable
    public subscript(key: Key) -> Value? {
        get { withEntry(for: key, HashPath(key)) { $0?.pointee.value } }
        set {
            if let newValue {
                updateValue(newValue, forKey: key)
            } else {
                removeValue(forKey: key)
            }
        }
        _modify {
            let path = HashPath(key)
            guard hasEntry(for: key, path) else {
                var value: Value?
                defer { if let value = value.take() { insert(value, for: key, path) } }
                yield &value
                return
            }
            // Taken out of the tree meanwhile, so that it has no second reference which would have it copied. Nobody
            // sees the gap, because the path is this dictionary's own, and the dictionary is being modified.
            let place = withUnsafeMutablePointer(to: &ownEntry(for: key, path).pointee.value) { $0 }
            var value: Value? = place.move()
            defer {
                if let value = value.take() { place.initialize(to: value) } else { removeKeyWithoutValue(key, path) }
            }
            yield &value
        }
    }

    /// The value of a key, or a default if there is none, which changing the value then adds to the dictionary.
    ///
    /// The value is changed in place, as with `counts[word, default: 0] += 1`. O(log *n*).
    @inlinable
    public subscript(key: Key, default defaultValue: @autoclosure () -> Value) -> Value {
        get { withEntry(for: key, HashPath(key)) { $0?.pointee.value } ?? defaultValue() }
        _modify {
            let entry = ownEntry(for: key, HashPath(key), inserting: defaultValue).entry
            yield &entry.pointee.value
        }
    }

    /// Changes the value of a key in place, and returns what `body` does; nil if there is no value. O(log *n*).
    ///
    /// It does the same as changing `dictionary[key]?`, without allocating memory for the way there and back.
    @inlinable
    @discardableResult
    public mutating func modifyValue<Result>(
        forKey key: Key,
        _ body: (inout Value) throws -> Result
    ) rethrows -> Result? {
        let path = HashPath(key)
        guard hasEntry(for: key, path) else { return nil }
        return try body(&ownEntry(for: key, path).pointee.value)
    }

    /// Whether there is a value for a key. O(log *n*).
    @inlinable
    public func containsKey(_ key: Key) -> Bool { hasEntry(for: key, HashPath(key)) }

    /// Sets the value of a key, and returns the one that it had. O(log *n*).
    ///
    /// As with `Dictionary`, a key that is there already stays, even if the new one can be told from it.
    @inlinable
    @discardableResult
    public mutating func updateValue(_ value: Value, forKey key: Key) -> Value? {
        let (entry, isNew) = ownEntry(for: key, HashPath(key)) { value }
        guard !isNew else { return nil }
        let old = entry.pointee.value
        entry.pointee.value = value
        return old
    }

    /// Removes a key, and returns the value that it had. O(log *n*). Without the key nothing is changed or copied.
    @inlinable
    @discardableResult
    public mutating func removeValue(forKey key: Key) -> Value? {
        removeEntry(for: key)?.value
    }

    /// Removes all entries. O(1) if another copy has them too, otherwise O(*n*).
    @inlinable
    public mutating func removeAll() { self = TreeDictionary() }

    /// Removes an entry, and returns it; nil if the dictionary is empty. Which one is not specified. O(log *n*).
    @inlinable
    public mutating func popFirst() -> Element? {
        guard let key = first?.key else { return nil }
        return removeEntry(for: key)
    }
}
