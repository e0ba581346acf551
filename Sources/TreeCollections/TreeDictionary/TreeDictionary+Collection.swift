extension TreeDictionary: Collection {
    /// The position of an entry. It is valid until the dictionary changes, and in copies that have not changed either.
    public struct Index: Hashable, Comparable, Sendable {
        /// Nil is the end.
        @usableFromInline let position: NodePosition?

        @inlinable
        init(_ position: NodePosition?) { self.position = position }

        /// Whether an index comes before another one of the same dictionary.
        @inlinable
        public static func < (left: Index, right: Index) -> Bool {
            guard let leftPosition = left.position else { return false }
            guard let rightPosition = right.position else { return true }
            return leftPosition < rightPosition
        }
    }

    /// The position of the first entry, or the end if there is none. O(log *n*).
    @inlinable
    public var startIndex: Index {
        guard let root else { return endIndex }
        return withExtendedLifetime(root) { Index(NodeView(root).firstPosition(below: 0, depth: 0)) }
    }

    /// The position behind the last entry. O(1).
    @inlinable
    public var endIndex: Index { Index(nil) }

    /// The position behind another one. O(log *n*); an iterator is faster. Traps at the end.
    @inlinable
    public func index(after index: Index) -> Index {
        guard let position = index.position else {
            fatalError("TreeDictionary.index(after:) was called with endIndex. Compare the index with endIndex first.")
        }
        guard let root else { NodePosition.trapAsInvalid() }
        return withExtendedLifetime(root) { Index(NodeView(root).position(after: position, depth: 0)) }
    }

    /// The entry at a position. O(log *n*), without hashing a key. Traps at the end, and where there is no entry.
    @inlinable
    public subscript(index: Index) -> Element {
        guard let position = index.position else {
            fatalError("A TreeDictionary has no entry at endIndex. Compare the index with endIndex first.")
        }
        guard let root else { NodePosition.trapAsInvalid() }
        return withExtendedLifetime(root) {
            guard let entry = NodeView(root).entry(at: position) else {
                NodePosition.trapAsInvalid()
            }
            return entry.pointee
        }
    }

    /// The position of a key; nil if it is not there. O(log *n*).
    @inlinable
    public func index(forKey key: Key) -> Index? {
        guard let root else { return nil }
        return withExtendedLifetime(root) { NodeView(root).position(of: key).map { Index($0) } }
    }

    /// Removes the entry at a position, and returns it. O(log *n*). Traps at the end, and where there is no entry.
    @inlinable
    @discardableResult
    public mutating func remove(at index: Index) -> Element {
        let key = self[index].key
        return removeEntry(key, HashPath(key)) { $0.move() }
    }
}
