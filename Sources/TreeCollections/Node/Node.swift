/// A node of the tree, in one allocation: a header, then children from the front and entries from the back of the
/// remaining memory, with the free space between them.
///
/// A node has 32 slots, and its maps say which of them hold an entry and which a child. The contents are packed in the
/// order of their slots. At the level where all bits of the hash are used up, there are collision nodes instead, which
/// are lists of entries.
///
/// The shape of a tree is a function of its keys, independent of its history: a child has at least two entries below
/// it; a single entry is stored in the parent instead. Comparisons rely on that.
///
/// A node is changed in place only by a dictionary that has the only path to it; see `own(_:room:)`.
///
/// The memory is declared as words, so that its start does not depend on the types of key and value: `deinit` is shared
/// by all of them, and would otherwise have to query the runtime.
@usableFromInline
final class Node<Key: Hashable, Value>: ManagedBuffer<NodeHeader, UInt64> {
    @usableFromInline typealias Entry = (key: Key, value: Value)
    @usableFromInline typealias View = NodeView<Key, Value>
    /// The location of the reference to a node: in its parent, or in the dictionary. Only the latter can be nil.
    @usableFromInline typealias Slot = UnsafeMutablePointer<Node?>

    @inlinable
    deinit {
        let view = View(self)
        if view.entryCount > 0, !_isPOD(Key.self) || !_isPOD(Value.self) {
            view.entry(at: view.entryCount - 1).deinitialize(count: view.entryCount)
        }
        // As references to any objects, because releasing one of this class requires a lookup of the class first.
        let children = view.contents.assumingMemoryBound(to: Unmanaged<AnyObject>.self)
        for rank in 0..<view.childCount { children[rank].release() }
    }

    /// Creates a node without contents, with room for a number of bytes.
    @inlinable
    static func allocate(bytes: Int) -> Node {
        let wordBytes = MemoryLayout<UInt64>.stride
        let words = (bytes + wordBytes - 1) / wordBytes
        let paddingWords = View.paddingBytes / wordBytes
        let buffer = Node.create(minimumCapacity: words + paddingWords) { _ in
            NodeHeader(capacity: UInt32(words * wordBytes))
        }
        // `create` returns an object of the class that it is called on.
        return unsafeDowncast(buffer, to: Node.self)
    }
}

/// The metadata of a node.
///
/// Its size is a multiple of a reference's, so that the memory after it is aligned for references.
@usableFromInline
struct NodeHeader {
    /// The slots that hold an entry. Empty in a collision node.
    @usableFromInline var entryMap: UInt32 = 0
    /// The slots that hold a child. No slot holds both.
    @usableFromInline var childMap: UInt32 = 0
    /// The number of entries, which the map of a collision node does not give.
    @usableFromInline var entryCount: UInt32 = 0
    /// The number of bytes for entries and children, a multiple of a word's size.
    @usableFromInline let capacity: UInt32

    @inlinable
    init(capacity: UInt32) { self.capacity = capacity }

    /// Whether the entries have keys with the same hash, which no slot distinguishes.
    @inlinable
    var isCollision: Bool { entryMap == 0 && entryCount != 0 }

    @inlinable
    var childCount: Int { childMap.nonzeroBitCount }

    /// Whether the node has a single entry and nothing else; the entry then belongs in the parent.
    @inlinable
    var isSingleEntry: Bool { entryCount == 1 && childMap == 0 }
}
