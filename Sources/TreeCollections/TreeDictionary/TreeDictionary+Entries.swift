/// The ways into the tree that everything else goes.
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

    /// The entry of a key, which may be changed in place; it is made if there is none.
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

    /// The entry of a key that is known to be there, which may be changed in place.
    @inlinable
    mutating func ownEntry(for key: Key, _ path: HashPath) -> UnsafeMutablePointer<Element> {
        ownEntry(for: key, path) {
            Node<Key, Value>.trapAsUnstable()
        }.entry
    }

    /// Adds an entry for a key that is known not to be there.
    @inlinable
    mutating func insert(_ value: Value, for key: Key, _ path: HashPath) {
        _ = ownEntry(for: key, path) { value }
    }

    @inlinable
    mutating func removeEntry(for key: Key) -> Element? {
        let path = HashPath(key)
        // Asked first, because the way down to a removal copies what is shared.
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

    /// Removes an entry that is known to be there, by having `take` move it away.
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
