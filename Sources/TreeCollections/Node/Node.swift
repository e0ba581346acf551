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
///
/// The memory is declared as words, so that where it begins does not depend on the types of key and value: `deinit` is
/// one for all of them, and would have to ask the runtime.
@usableFromInline
final class Node<Key: Hashable, Value>: ManagedBuffer<NodeHeader, UInt64> {
    @usableFromInline typealias Entry = (key: Key, value: Value)
    @usableFromInline typealias View = NodeView<Key, Value>
    /// The place that holds the reference to a node: in its parent, or in the dictionary. Only the latter can be nil.
    @usableFromInline typealias Slot = UnsafeMutablePointer<Node?>

    @inlinable
    deinit {
        let view = View(self)
        if view.entryCount > 0, !_isPOD(Key.self) || !_isPOD(Value.self) {
            view.entry(at: view.entryCount - 1).deinitialize(count: view.entryCount)
        }
        // As references to any objects, because to release one of this class means to ask for the class first.
        let children = view.contents.assumingMemoryBound(to: Unmanaged<AnyObject>.self)
        for rank in 0..<view.childCount { children[rank].release() }
    }

    /// A node without contents, and with room for that many bytes of them.
    @inlinable
    static func allocate(bytes: Int) -> Node {
        let wordBytes = MemoryLayout<UInt64>.stride
        let words = (bytes + wordBytes - 1) / wordBytes
        let paddingWords = View.paddingBytes / wordBytes
        let buffer = Node.create(minimumCapacity: words + paddingWords) { _ in
            NodeHeader(capacity: UInt32(words * wordBytes))
        }
        // `create` makes an object of the class that it is called on.
        return unsafeDowncast(buffer, to: Node.self)
    }
}

/// What a node says about itself.
///
/// Its size is a multiple of a reference's, so that what follows it in memory is aligned for references.
@usableFromInline
struct NodeHeader {
    /// The slots that hold an entry. Empty in a collision node.
    @usableFromInline var entryMap: UInt32 = 0
    /// The slots that hold a child. No slot holds both.
    @usableFromInline var childMap: UInt32 = 0
    /// How many entries there are: in a collision node the map does not tell.
    @usableFromInline var entryCount: UInt32 = 0
    /// How many bytes there are for entries and children: a multiple of a word's.
    @usableFromInline let capacity: UInt32

    @inlinable
    init(capacity: UInt32) { self.capacity = capacity }

    /// Whether the entries are of keys that have the same hash, so that no slot tells them apart.
    @inlinable
    var isCollision: Bool { entryMap == 0 && entryCount != 0 }

    @inlinable
    var childCount: Int { childMap.nonzeroBitCount }

    /// Whether there is nothing but one entry, which then belongs into the parent.
    @inlinable
    var isSingleEntry: Bool { entryCount == 1 && childMap == 0 }
}
