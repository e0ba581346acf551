/// The location of an entry in a tree: the slots on the path to it. It holds no reference to a node, so it can be
/// stored, sent and compared, and an invalid one can be detected.
@usableFromInline
struct NodePosition: Hashable, Sendable {
    /// The slots from the root to the entry, five bits each, from the lowest. They are the beginning of the key's hash.
    @usableFromInline var slots: UInt
    /// The number of levels above the node that holds the entry.
    @usableFromInline var depth: Int
    /// The rank in a collision node, otherwise 0.
    @usableFromInline var collisionRank: Int

    @inlinable
    init(slots: UInt, depth: Int, collisionRank: Int = 0) {
        self.slots = slots
        self.depth = depth
        self.collisionRank = collisionRank
    }

    @usableFromInline
    static func trapAsInvalid() -> Never {
        fatalError(
            """
            A TreeDictionary was given an index that is not valid for it. An index is valid for one version of the \
            dictionary. Get a new one with index(forKey:) after each change.
            """
        )
    }

    /// Returns the slot at a level.
    @inlinable
    func slot(at depth: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: (slots >> (HashPath.bitsPerLevel * depth)) & 31)
    }

    /// Returns the slots above a level, with another slot at that level.
    @inlinable
    func slots(to depth: Int, then slot: Int) -> UInt {
        let shift = HashPath.bitsPerLevel * depth
        return slots & ((1 << shift) &- 1) | UInt(slot) << shift
    }
}

extension NodePosition: Comparable {
    /// The order of iteration: the entries of a node, then those of its children.
    @inlinable
    static func < (left: NodePosition, right: NodePosition) -> Bool {
        for depth in 0..<HashPath.collisionDepth {
            guard (left.depth == depth) == (right.depth == depth) else { return left.depth == depth }
            let (leftSlot, rightSlot) = (left.slot(at: depth), right.slot(at: depth))
            guard leftSlot == rightSlot else { return leftSlot < rightSlot }
            if left.depth == depth { return false }
        }
        return left.collisionRank < right.collisionRank
    }
}
