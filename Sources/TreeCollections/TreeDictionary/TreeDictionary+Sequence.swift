extension TreeDictionary: Sequence {
    /// Returns an iterator over the entries of this version.
    ///
    /// The order is unspecified, but stays the same while the dictionary does.
    ///
    /// - Returns: An iterator.
    @inlinable
    public func makeIterator() -> Iterator { Iterator(root) }

    /// An iterator over the entries of a dictionary: those of a node, then those of its children. It allocates once, if
    /// there is more than one node.
    public struct Iterator: IteratorProtocol {
        /// Keeps the tree alive and, as a second reference to the root, unchanged.
        @usableFromInline let root: Node<Key, Value>?
        /// Points after the next entry, since entries are stored backwards.
        @usableFromInline var entry: UnsafeMutablePointer<Element>?
        @usableFromInline var remainingEntries = 0
        @usableFromInline var children = Children()
        /// The remaining children on higher levels.
        @usableFromInline var higher: [Children] = []

        /// The children of a node that have not been visited.
        @usableFromInline
        struct Children {
            @usableFromInline var next: UnsafeMutablePointer<Node<Key, Value>?>?
            @usableFromInline var remaining = 0

            @inlinable
            init() {}
        }

        @inlinable
        init(_ root: Node<Key, Value>?) {
            self.root = root
            if let root { enter(NodeView(root)) }
        }

        /// Returns the next entry, or nil if there are no more.
        @inlinable
        public mutating func next() -> Element? {
            // The root has no later use, and the optimiser might release it early.
            defer { withExtendedLifetime(root) {} }
            while remainingEntries == 0 {
                guard let node = nextNode() else { return nil }
                enter(node)
            }
            guard let entry else { return nil }
            remainingEntries &-= 1
            self.entry = entry - 1
            return (entry - 1).pointee
        }

        @inlinable
        mutating func enter(_ node: NodeView<Key, Value>) {
            remainingEntries = node.entryCount
            entry = node.entriesEnd
            children.remaining = node.childCount
            children.next = node.child(at: 0)
        }

        @inlinable
        mutating func nextNode() -> NodeView<Key, Value>? {
            if children.remaining == 0 {
                guard let above = higher.popLast() else { return nil }
                children = above
            }
            guard let child = children.next else { return nil }
            children.next = child + 1
            children.remaining &-= 1
            if children.remaining > 0 { higher.append(children) }
            return NodeView(child)
        }
    }
}

// Sound: its pointers refer to the tree that it retains and that does not change; see `TreeDictionary`'s own
// conformance.
extension TreeDictionary.Iterator: @unchecked Sendable where Key: Sendable, Value: Sendable {}
