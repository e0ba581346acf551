extension NodeView {
    /// Returns the entry at a position, with this node as the root, or nil if the position is invalid.
    @inlinable
    func entry(at position: NodePosition) -> UnsafeMutablePointer<Entry>? {
        var view = self
        for depth in 0..<position.depth {
            let bit: UInt32 = 1 &<< position.slot(at: depth)
            guard view.childMap & bit != 0 else { return nil }
            view = NodeView(view.child(at: view.childRank(of: bit)))
        }
        if view.isCollision {
            return position.collisionRank < view.entryCount ? view.entry(at: position.collisionRank) : nil
        }
        let bit: UInt32 = 1 &<< position.slot(at: position.depth)
        return view.entryMap & bit != 0 ? view.entry(at: view.entryRank(of: bit)) : nil
    }

    /// Returns the position of a key, with this node as the root.
    @inlinable
    func position(of key: Key) -> NodePosition? {
        let start = HashPath(key)
        var view = self
        var path = start
        while view.childMap & path.bit != 0 {
            view = NodeView(view.child(at: view.childRank(of: path.bit)))
            path.descend()
        }
        if view.isCollision {
            return view.collisionRank(of: key).map {
                NodePosition(slots: start.rest, depth: path.depth, collisionRank: $0)
            }
        }
        guard view.entryMap & path.bit != 0,
            view.entry(at: view.entryRank(of: path.bit)).pointee.key == key
        else { return nil }
        let position = NodePosition(slots: start.rest, depth: path.depth)
        // Without the bits of lower levels, so that positions of the same entry compare equal.
        return NodePosition(
            slots: position.slots(to: path.depth, then: Int(position.slot(at: path.depth))),
            depth: path.depth
        )
    }

    /// Returns the first position below this node, which is at the level `depth`, below the slots of `prefix`.
    @inlinable
    func firstPosition(below prefix: UInt, depth: Int) -> NodePosition {
        if isCollision { return NodePosition(slots: prefix, depth: depth) }
        let isEntry = entryMap != 0
        let slot = UInt((isEntry ? entryMap : childMap).trailingZeroBitCount)
        let slots = prefix | slot << (HashPath.bitsPerLevel * depth)
        if isEntry { return NodePosition(slots: slots, depth: depth) }
        return NodeView(child(at: 0)).firstPosition(below: slots, depth: depth + 1)
    }

    /// Returns the next position below this node, which is at the level `depth` on the path to `position`.
    @inlinable
    func position(after position: NodePosition, depth: Int) -> NodePosition? {
        let slot = position.slot(at: depth)
        var candidates = childMap
        if depth == position.depth {
            if isCollision {
                let rank = position.collisionRank + 1
                return rank < entryCount
                    ? NodePosition(slots: position.slots, depth: depth, collisionRank: rank) : nil
            }
            let later = entryMap & (UInt32.max << (slot + 1))
            if later != 0 {
                return NodePosition(slots: position.slots(to: depth, then: later.trailingZeroBitCount), depth: depth)
            }
        } else {
            let bit: UInt32 = 1 &<< slot
            guard childMap & bit != 0 else { NodePosition.trapAsInvalid() }
            let below = NodeView(child(at: childRank(of: bit)))
            if let next = below.position(after: position, depth: depth + 1) { return next }
            candidates &= UInt32.max << (slot + 1)
        }
        guard candidates != 0 else { return nil }
        let next = candidates.trailingZeroBitCount
        return NodeView(child(at: childRank(of: 1 &<< UInt32(next))))
            .firstPosition(below: position.slots(to: depth, then: next), depth: depth + 1)
    }
}
