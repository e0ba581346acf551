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
