extension TreeDictionary {
    /// Accesses the value of a key; nil if the key is not in the dictionary. Setting nil removes the key.
    ///
    /// A value can be changed in place: `dictionary[key]?.append(1)` does not copy it, unless another copy of the
    /// dictionary shares it.
    ///
    /// - Complexity: O(log *n*)
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
            // The value is moved out of the tree meanwhile, so that it has no second reference, which would make the
            // change copy it. The gap is not visible, because the path belongs to this dictionary alone, which is being
            // modified.
            let place = withUnsafeMutablePointer(to: &ownEntry(for: key, path).pointee.value) { $0 }
            var value: Value? = place.move()
            defer {
                if let value = value.take() { place.initialize(to: value) } else { removeKeyWithoutValue(key, path) }
            }
            yield &value
        }
    }

    /// Accesses the value of a key, or a default if the key is not in the dictionary. Changing the value then adds it.
    ///
    /// The value is changed in place, as in `counts[word, default: 0] += 1`.
    ///
    /// - Complexity: O(log *n*)
    @inlinable
    public subscript(key: Key, default defaultValue: @autoclosure () -> Value) -> Value {
        get { withEntry(for: key, HashPath(key)) { $0?.pointee.value } ?? defaultValue() }
        _modify {
            let entry = ownEntry(for: key, HashPath(key), inserting: defaultValue).entry
            yield &entry.pointee.value
        }
    }

    /// Changes the value of a key in place.
    ///
    /// It does the same as changing `dictionary[key]?`, without allocating memory for moving the value out and back.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - body: Changes the value.
    /// - Returns: The result of `body`, or nil if the key is not in the dictionary.
    /// - Complexity: O(log *n*)
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

    /// Returns whether the dictionary contains a key.
    ///
    /// - Returns: Whether the dictionary contains the key.
    /// - Complexity: O(log *n*)
    @inlinable
    public func containsKey(_ key: Key) -> Bool { hasEntry(for: key, HashPath(key)) }

    /// Sets the value of a key.
    ///
    /// As in `Dictionary`, an existing key is kept, even if it can be distinguished from the new one.
    ///
    /// - Returns: The former value; nil if the key was added.
    /// - Complexity: O(log *n*)
    @inlinable
    @discardableResult
    public mutating func updateValue(_ value: Value, forKey key: Key) -> Value? {
        let (entry, isNew) = ownEntry(for: key, HashPath(key)) { value }
        guard !isNew else { return nil }
        let old = entry.pointee.value
        entry.pointee.value = value
        return old
    }

    /// Removes a key. If the key is not in the dictionary, nothing is changed or copied.
    ///
    /// - Returns: The value that was removed; nil if the key was not in the dictionary.
    /// - Complexity: O(log *n*)
    @inlinable
    @discardableResult
    public mutating func removeValue(forKey key: Key) -> Value? {
        removeEntry(for: key)?.value
    }

    /// Removes all entries.
    ///
    /// - Complexity: O(*n*); O(1) if another copy has the same entries.
    @inlinable
    public mutating func removeAll() { self = TreeDictionary() }

    /// Removes an unspecified entry.
    ///
    /// - Returns: The removed entry, or nil if the dictionary is empty.
    /// - Complexity: O(log *n*)
    @inlinable
    public mutating func popFirst() -> Element? {
        guard let key = first?.key else { return nil }
        return removeEntry(for: key)
    }
}
