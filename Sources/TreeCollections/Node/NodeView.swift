/// Where the parts of a node lie. It neither keeps the node alive nor counts references, which is what makes a way
/// through the tree fast.
///
/// Sound while the node lives and is not replaced: those who walk through the tree keep its root, and the tree keeps
/// the rest. What is written through a view must be a node that `own(_:room:)` returned.
@usableFromInline
struct NodeView<Key: Hashable, Value> {
    @usableFromInline typealias Entry = (key: Key, value: Value)
    @usableFromInline typealias Slot = UnsafeMutablePointer<Node<Key, Value>?>

    @usableFromInline let header: UnsafeMutablePointer<NodeHeader>
    /// Where the children begin. The alignment is that of references at least, because both the header of an object and
    /// that of a node are multiples of it.
    @usableFromInline let contents: UnsafeMutableRawPointer

    @inlinable
    @inline(__always)
    init(_ node: Node<Key, Value>) {
        (header, contents) = node.withUnsafeMutablePointers { ($0, UnsafeMutableRawPointer($1)) }
    }

    /// The node that a slot refers to; there must be one.
    @inlinable
    @inline(__always)
    init(_ slot: Slot) {
        // A reference that is not nil has the representation of an unmanaged one.
        let reference = UnsafeRawPointer(slot).load(as: Unmanaged<Node<Key, Value>>.self)
        self = reference._withUnsafeGuaranteedRef { NodeView($0) }
    }

    @inlinable
    var entryMap: UInt32 { header.pointee.entryMap }

    @inlinable
    var childMap: UInt32 { header.pointee.childMap }

    @inlinable
    var entryCount: Int { Int(truncatingIfNeeded: header.pointee.entryCount) }

    @inlinable
    var childCount: Int { header.pointee.childCount }

    @inlinable
    var isCollision: Bool { header.pointee.isCollision }

    /// Behind the first entry; the others lie before it, in the order of their slots.
    @inlinable
    @inline(__always)
    var entriesEnd: UnsafeMutablePointer<Entry> {
        // No byte is part of an entry and of a reference at the same time, and what leaves a place leaves it
        // uninitialised; nothing accesses the memory as the words that it is declared as.
        let end = contents + Int(truncatingIfNeeded: header.pointee.capacity)
        // Without padding the end is aligned already. With it, it is rounded up, to an address of this object alone.
        let aligned = Self.paddingBytes == 0 ? end : end.alignedUp(for: Entry.self)
        return aligned.assumingMemoryBound(to: Entry.self)
    }

    /// What has to be added to the memory so that its end can be aligned for entries.
    @inlinable
    static var paddingBytes: Int { max(0, MemoryLayout<Entry>.alignment - MemoryLayout<UInt64>.alignment) }

    @inlinable
    @inline(__always)
    func entry(at rank: Int) -> UnsafeMutablePointer<Entry> { entriesEnd - (rank &+ 1) }

    @inlinable
    @inline(__always)
    func child(at rank: Int) -> Slot { contents.assumingMemoryBound(to: Node<Key, Value>?.self) + rank }

    /// How many entries lie in slots before that of `bit`.
    @inlinable
    func entryRank(of bit: UInt32) -> Int { (entryMap & (bit &- 1)).nonzeroBitCount }

    /// How many children lie in slots before that of `bit`.
    @inlinable
    func childRank(of bit: UInt32) -> Int { (childMap & (bit &- 1)).nonzeroBitCount }

    @inlinable static var entryBytes: Int { MemoryLayout<Entry>.stride }

    @inlinable static var childBytes: Int { MemoryLayout<Node<Key, Value>?>.stride }

    @inlinable
    var usedBytes: Int { entryCount &* Self.entryBytes &+ childCount &* Self.childBytes }

    @inlinable
    var freeBytes: Int { Int(truncatingIfNeeded: header.pointee.capacity) &- usedBytes }
}
