/// A node of the tree, in one allocation: a header, then children from the front and entries from the back of what
/// follows, with the spare room between them.
///
/// A node has 32 slots, and its maps say which of them hold an entry and which a child. Those that do are packed in the
/// order of their slots. At the level where all bits of the hash are used up there are collision nodes instead, which
/// are a list of entries.
///
/// The shape of a tree is a function of its keys, whatever its history: a child has at least two entries below it, or
/// else its only entry would lie in its parent. Comparisons rely on that.
///
/// Nodes are changed in place only by a dictionary that is the only one to reach them; see `own(_:room:)`.
@usableFromInline
final class Node<Key: Hashable, Value>: ManagedBuffer<NodeHeader, (key: Key, value: Value)> {
    @usableFromInline typealias Entry = (key: Key, value: Value)
    @usableFromInline typealias View = NodeView<Key, Value>
    /// The place that holds the reference to a node: in its parent, or in the dictionary. Only the latter can be nil.
    @usableFromInline typealias Slot = UnsafeMutablePointer<Node?>

    @inlinable
    deinit {
        let view = View(self)
        for rank in 0..<view.entryCount { view.entry(at: rank).deinitialize(count: 1) }
        for rank in 0..<view.childCount { view.child(at: rank).deinitialize(count: 1) }
    }

    /// A node without contents, and with room for that many bytes of them.
    @inlinable
    static func allocate(bytes: Int) -> Node {
        let stride = MemoryLayout<Entry>.stride
        let capacity = (bytes + stride - 1) / stride
        let buffer = Node.create(minimumCapacity: capacity) { _ in
            NodeHeader(capacity: UInt32(truncatingIfNeeded: capacity))
        }
        // `create` makes an object of the class that it is called on.
        return unsafeDowncast(buffer, to: Node.self)
    }
}
