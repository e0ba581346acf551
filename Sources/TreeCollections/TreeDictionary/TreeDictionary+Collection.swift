extension TreeDictionary: Collection {
    /// The position of an entry. It is valid until the dictionary changes, and in unchanged copies.
    public struct Index: Hashable, Comparable, Sendable {
        /// Nil is the end.
        @usableFromInline let position: NodePosition?

        @inlinable
        init(_ position: NodePosition?) { self.position = position }

        /// Returns whether an index comes before another one of the same dictionary.
        @inlinable
        public static func < (left: Index, right: Index) -> Bool {
            guard let leftPosition = left.position else { return false }
            guard let rightPosition = right.position else { return true }
            return leftPosition < rightPosition
        }
    }

    /// The position of the first entry, or the end if the dictionary is empty.
    ///
    /// - Complexity: O(log *n*)
    @inlinable
    public var startIndex: Index {
        guard let root else { return endIndex }
        return withExtendedLifetime(root) { Index(NodeView(root).firstPosition(below: 0, depth: 0)) }
    }

    /// The position after the last entry.
    ///
    /// - Complexity: O(1)
    @inlinable
    public var endIndex: Index { Index(nil) }

    /// Returns the position after another one. Traps at the end. An iterator is faster.
    ///
    /// - Returns: The next position.
    /// - Complexity: O(log *n*)
    @inlinable
    public func index(after index: Index) -> Index {
        guard let position = index.position else {
            fatalError("TreeDictionary.index(after:) was called with endIndex. Compare the index with endIndex first.")
        }
        guard let root else { NodePosition.trapAsInvalid() }
        return withExtendedLifetime(root) { Index(NodeView(root).position(after: position, depth: 0)) }
    }

    /// The entry at a position. Traps at the end, and if there is no entry. It does not hash a key.
    ///
    /// - Complexity: O(log *n*)
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

    /// Returns the position of a key, or nil if it is not in the dictionary.
    ///
    /// - Returns: The position, or nil if the key is not in the dictionary.
    /// - Complexity: O(log *n*)
    @inlinable
    public func index(forKey key: Key) -> Index? {
        guard let root else { return nil }
        return withExtendedLifetime(root) { NodeView(root).position(of: key).map { Index($0) } }
    }

    /// Removes the entry at a position. Traps at the end, and if there is no entry.
    ///
    /// - Returns: The removed entry.
    /// - Complexity: O(log *n*)
    @inlinable
    @discardableResult
    public mutating func remove(at index: Index) -> Element {
        let key = self[index].key
        return removeEntry(key, HashPath(key)) { $0.move() }
    }
}
