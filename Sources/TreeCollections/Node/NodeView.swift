/// The locations of the parts of a node. It neither retains the node nor counts references, which makes traversals of
/// the tree fast.
///
/// Sound while the node lives and is not replaced: traversals retain the root of the tree, and the tree retains the
/// rest. A node may be changed through a view only if `own(_:room:)` returned it.
@usableFromInline
struct NodeView<Key: Hashable, Value> {
    @usableFromInline typealias Entry = (key: Key, value: Value)
    @usableFromInline typealias Slot = UnsafeMutablePointer<Node<Key, Value>?>

    @usableFromInline let header: UnsafeMutablePointer<NodeHeader>
    /// The start of the children. It is aligned at least for references, because the header of an object and that of a
    /// node are both multiples of a reference's size.
    @usableFromInline let contents: UnsafeMutableRawPointer

    @inlinable
    @inline(__always)
    init(_ node: Node<Key, Value>) {
        (header, contents) = node.withUnsafeMutablePointers { ($0, UnsafeMutableRawPointer($1)) }
    }

    /// Creates a view of the node that a slot refers to; it must not be nil.
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

    /// Points after the first entry; the others are before it, in the order of their slots.
    @inlinable
    @inline(__always)
    var entriesEnd: UnsafeMutablePointer<Entry> {
        // No byte is part of an entry and of a reference at the same time, moving an entry or a reference out leaves
        // its memory uninitialised, and the memory is never accessed as the words that it is declared as.
        let end = contents + Int(truncatingIfNeeded: header.pointee.capacity)
        // Without padding, the end is already aligned. With padding, it is rounded up, to an address within this
        // object.
        let aligned = Self.paddingBytes == 0 ? end : end.alignedUp(for: Entry.self)
        return aligned.assumingMemoryBound(to: Entry.self)
    }

    /// The number of additional bytes that allow the end to be aligned for entries.
    @inlinable
    static var paddingBytes: Int { max(0, MemoryLayout<Entry>.alignment - MemoryLayout<UInt64>.alignment) }

    @inlinable
    @inline(__always)
    func entry(at rank: Int) -> UnsafeMutablePointer<Entry> { entriesEnd - (rank &+ 1) }

    @inlinable
    @inline(__always)
    func child(at rank: Int) -> Slot { contents.assumingMemoryBound(to: Node<Key, Value>?.self) + rank }

    /// Returns the number of entries in slots before that of `bit`.
    @inlinable
    func entryRank(of bit: UInt32) -> Int { (entryMap & (bit &- 1)).nonzeroBitCount }

    /// Returns the number of children in slots before that of `bit`.
    @inlinable
    func childRank(of bit: UInt32) -> Int { (childMap & (bit &- 1)).nonzeroBitCount }

    @inlinable static var entryBytes: Int { MemoryLayout<Entry>.stride }

    @inlinable static var childBytes: Int { MemoryLayout<Node<Key, Value>?>.stride }

    @inlinable
    var usedBytes: Int { entryCount &* Self.entryBytes &+ childCount &* Self.childBytes }

    @inlinable
    var freeBytes: Int { Int(truncatingIfNeeded: header.pointee.capacity) &- usedBytes }
}
