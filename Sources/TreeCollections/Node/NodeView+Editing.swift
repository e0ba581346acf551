/// The steps that changes of a node consist of. Each of them leaves a node whose maps and counts are right, if not the
/// canonical one.
extension NodeView {
    /// Opens a place for the entry of a slot that is empty, and counts it. The caller must fill it at once.
    @inlinable
    func openEntry(_ bit: UInt32) -> UnsafeMutablePointer<Entry> {
        let rank = entryRank(of: bit)
        let count = entryCount
        if rank < count {
            // The later ones lie before it in memory, and move towards the front.
            let last = entry(at: count - 1)
            (last - 1).moveInitialize(from: last, count: count - rank)
        }
        header.pointee.entryMap |= bit
        header.pointee.entryCount &+= 1
        return entry(at: rank)
    }

    /// Closes the place of an entry that has been moved away or deinitialised.
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

    /// Adds a child in a slot that is empty.
    @inlinable
    func insertChild(_ node: Node<Key, Value>, _ bit: UInt32) {
        let rank = childRank(of: bit)
        let place = child(at: rank)
        let later = childCount - rank
        if later > 0 { (place + 1).moveInitialize(from: place, count: later) }
        place.initialize(to: node)
        header.pointee.childMap |= bit
    }

    /// Takes a child out, and lets go of it.
    @inlinable
    func removeChild(_ bit: UInt32) {
        let rank = childRank(of: bit)
        let place = child(at: rank)
        place.deinitialize(count: 1)
        let later = childCount - 1 - rank
        if later > 0 { place.moveInitialize(from: place + 1, count: later) }
        header.pointee.childMap &= ~bit
    }

    /// Opens a place behind the last entry of a collision node. The caller must fill it at once.
    @inlinable
    func appendCollision() -> UnsafeMutablePointer<Entry> {
        header.pointee.entryCount &+= 1
        return entry(at: entryCount - 1)
    }

    /// Takes the only entry out of a node that has nothing else, and leaves it empty.
    @inlinable
    func takeSingleEntry() -> Entry {
        header.pointee.entryMap = 0
        header.pointee.entryCount = 0
        return entry(at: 0).move()
    }
}
