extension TreeDictionary: Sequence {
    /// The entries, in an order that is not specified but stays the same while the dictionary does. The iterator goes
    /// through the version from which it was made.
    @inlinable
    public func makeIterator() -> Iterator { Iterator(root) }

    /// Goes through the entries of a dictionary: those of a node, then those of its children. It allocates once, if
    /// there is more than one node.
    public struct Iterator: IteratorProtocol {
        /// Keeps the tree alive and, being a second reference to the root, unchanged.
        @usableFromInline let root: Node<Key, Value>?
        /// Behind the next entry, since entries lie backwards.
        @usableFromInline var entry: UnsafeMutablePointer<Element>?
        @usableFromInline var remainingEntries = 0
        @usableFromInline var children = Children()
        /// The children that are left on higher levels.
        @usableFromInline var higher: [Children] = []

        /// Children of a node that have still to be visited.
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

        /// The next entry, or nil if there are no more.
        @inlinable
        public mutating func next() -> Element? {
            // Nothing else uses the root again, and the optimiser might let go of it.
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

// Sound: its pointers lead into the tree that it keeps and that does not change; see `TreeDictionary`'s own
// conformance.
extension TreeDictionary.Iterator: @unchecked Sendable where Key: Sendable, Value: Sendable {}
