/// The steps of a node's change. Each of them leaves a node with correct maps and counts, if not in canonical form.
extension NodeView {
    /// Makes room for the entry of an empty slot, and counts it. The caller must initialise it immediately.
    @inlinable
    func openEntry(_ bit: UInt32) -> UnsafeMutablePointer<Entry> {
        let rank = entryRank(of: bit)
        let count = entryCount
        if rank < count {
            // The later entries are before it in memory, and move towards the front.
            let last = entry(at: count - 1)
            (last - 1).moveInitialize(from: last, count: count - rank)
        }
        header.pointee.entryMap |= bit
        header.pointee.entryCount &+= 1
        return entry(at: rank)
    }

    /// Closes the gap of an entry that has been moved out or deinitialised.
    @inlinable
    func closeEntry(at rank: Int, _ bit: UInt32) {
        let count = entryCount
        if rank < count - 1 {
            let last = entry(at: count - 1)
            (last + 1).moveInitialize(from: last, count: count - 1 - rank)
        }
        header.pointee.entryMap &= ~bit
        header.pointee.entryCount &-= 1
    }

    /// Adds a child in an empty slot.
    @inlinable
    func insertChild(_ node: Node<Key, Value>, _ bit: UInt32) {
        let rank = childRank(of: bit)
        let place = child(at: rank)
        let later = childCount - rank
        if later > 0 { (place + 1).moveInitialize(from: place, count: later) }
        place.initialize(to: node)
        header.pointee.childMap |= bit
    }

    /// Removes a child, and releases it.
    @inlinable
    func removeChild(_ bit: UInt32) {
        let rank = childRank(of: bit)
        let place = child(at: rank)
        place.deinitialize(count: 1)
        let later = childCount - 1 - rank
        if later > 0 { place.moveInitialize(from: place + 1, count: later) }
        header.pointee.childMap &= ~bit
    }

    /// Makes room after the last entry of a collision node. The caller must initialise it immediately.
    @inlinable
    func appendCollision() -> UnsafeMutablePointer<Entry> {
        header.pointee.entryCount &+= 1
        return entry(at: entryCount - 1)
    }

    /// Moves the only entry out of a node that has nothing else, and leaves the node empty.
    @inlinable
    func takeSingleEntry() -> Entry {
        header.pointee.entryMap = 0
        header.pointee.entryCount = 0
        return entry(at: 0).move()
    }
}
