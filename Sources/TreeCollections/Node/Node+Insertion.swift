extension Node {
    /// Returns the entry of a key for a change in place, in nodes that belong to the dictionary alone. Inserts it if
    /// the key is new.
    ///
    /// - Parameter makeValue: Creates the value of a new entry, before anything is changed.
    @inlinable
    static func entry(
        in root: Slot,
        for key: Key,
        _ start: HashPath,
        inserting makeValue: () -> Value
    ) -> (entry: UnsafeMutablePointer<Entry>, isNew: Bool) {
        guard root.pointee != nil else {
            let node = allocate(bytes: View.entryBytes)
            let entry = View(node).openEntry(start.bit)
            entry.initialize(to: (key, makeValue()))
            root.pointee = node
            return (entry, true)
        }
        var slot = root
        var path = start
        while true {
            let view = View(slot)
            let bit = path.bit
            if view.childMap & bit != 0 {
                let rank = view.childRank(of: bit)
                slot = own(slot).child(at: rank)
                path.descend()
            } else if view.entryMap & bit != 0 {
                let rank = view.entryRank(of: bit)
                if view.entry(at: rank).pointee.key == key { return (own(slot).entry(at: rank), false) }
                return (split(slot, rank, path, key, makeValue()), true)
            } else if view.isCollision {
                if let rank = view.collisionRank(of: key) { return (own(slot).entry(at: rank), false) }
                let value = makeValue()
                let entry = own(slot, room: View.entryBytes).appendCollision()
                entry.initialize(to: (key, value))
                return (entry, true)
            } else {
                let value = makeValue()
                let entry = own(slot, room: View.entryBytes).openEntry(bit)
                entry.initialize(to: (key, value))
                return (entry, true)
            }
        }
    }

    /// Replaces the entry at `rank` by a child with that entry and a new one.
    @inlinable
    static func split(
        _ slot: Slot,
        _ rank: Int,
        _ path: HashPath,
        _ key: Key,
        _ value: Value
    ) -> UnsafeMutablePointer<Entry> {
        // Computed before anything is moved, because it runs code of the key.
        let oldPath = HashPath(View(slot).entry(at: rank).pointee.key)
        let view = own(slot, room: View.childBytes - View.entryBytes)
        let old = view.entry(at: rank).move()
        view.closeEntry(at: rank, path.bit)
        let depth = path.depth + 1
        let pair = pair(old, oldPath.descended(to: depth), (key, value), path.descended(to: depth))
        view.insertChild(pair.node, path.bit)
        return pair.second
    }

    /// Creates a node with two entries, and returns it with the address of the second one.
    @inlinable
    static func pair(
        _ first: Entry,
        _ firstPath: HashPath,
        _ second: Entry,
        _ secondPath: HashPath
    ) -> (node: Node, second: UnsafeMutablePointer<Entry>) {
        if firstPath.depth == HashPath.collisionDepth {
            let node = allocate(bytes: 2 * View.entryBytes)
            let view = View(node)
            view.appendCollision().initialize(to: first)
            let place = view.appendCollision()
            place.initialize(to: second)
            return (node, place)
        }
        if firstPath.bit == secondPath.bit {
            let depth = firstPath.depth + 1
            let below = pair(first, firstPath.descended(to: depth), second, secondPath.descended(to: depth))
            let node = allocate(bytes: View.childBytes)
            View(node).insertChild(below.node, firstPath.bit)
            return (node, below.second)
        }
        let node = allocate(bytes: 2 * View.entryBytes)
        let view = View(node)
        view.openEntry(firstPath.bit).initialize(to: first)
        // The entry that is placed last does not move.
        let place = view.openEntry(secondPath.bit)
        place.initialize(to: second)
        return (node, place)
    }
}
