/// The accesses to the tree on which all other operations are built.
extension TreeDictionary {
    /// Calls `body` with the entry of a key, and keeps the tree alive meanwhile.
    @inlinable
    @inline(__always)
    func withEntry<Result>(
        for key: Key,
        _ path: HashPath,
        _ body: (UnsafeMutablePointer<Element>?) -> Result
    ) -> Result {
        guard let root else { return body(nil) }
        return withExtendedLifetime(root) { body(NodeView(root).find(key, path)) }
    }

    @inlinable
    func hasEntry(for key: Key, _ path: HashPath) -> Bool {
        withEntry(for: key, path) { $0 != nil }
    }

    /// Returns the entry of a key for a change in place, and inserts it if the key is new.
    @inlinable
    @inline(__always)
    mutating func ownEntry(
        for key: Key,
        _ path: HashPath,
        inserting makeValue: () -> Value
    ) -> (entry: UnsafeMutablePointer<Element>, isNew: Bool) {
        let result = Node.entry(in: &root, for: key, path, inserting: makeValue)
        if result.isNew { entryCount += 1 }
        return result
    }

    /// Returns the entry of an existing key for a change in place.
    @inlinable
    mutating func ownEntry(for key: Key, _ path: HashPath) -> UnsafeMutablePointer<Element> {
        ownEntry(for: key, path) {
            Node<Key, Value>.trapAsUnstable()
        }.entry
    }

    /// Inserts an entry for a new key.
    @inlinable
    mutating func insert(_ value: Value, for key: Key, _ path: HashPath) {
        _ = ownEntry(for: key, path) { value }
    }

    @inlinable
    mutating func removeEntry(for key: Key) -> Element? {
        let path = HashPath(key)
        // Checked first, because the descent for a removal copies shared nodes.
        guard hasEntry(for: key, path) else { return nil }
        return removeEntry(key, path) { $0.move() }
    }

    /// Removes an entry whose value has been moved out of the tree.
    @inlinable
    mutating func removeKeyWithoutValue(_ key: Key, _ path: HashPath) {
        removeEntry(key, path) { entry in
            _ = withUnsafeMutablePointer(to: &entry.pointee.key) { $0.deinitialize(count: 1) }
        }
    }

    /// Removes an existing entry; `take` moves it out.
    @inlinable
    mutating func removeEntry<Taken>(
        _ key: Key,
        _ path: HashPath,
        _ take: (UnsafeMutablePointer<Element>) -> Taken
    ) -> Taken {
        let taken = Node.remove(key, path, in: &root, take)
        entryCount -= 1
        if entryCount == 0 { root = nil }
        return taken
    }
}
