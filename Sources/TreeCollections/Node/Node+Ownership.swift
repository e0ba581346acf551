extension Node {
    /// Makes the node in a slot uniquely referenced, with room for `bytes` more bytes, and returns a view of it.
    ///
    /// On the way down from the root, this makes the whole path exclusive to the dictionary: a node that has a single
    /// reference, from a node that has a single reference, cannot be reached from elsewhere.
    @inlinable
    @inline(__always)
    static func own(_ slot: Slot, room bytes: Int = 0) -> View {
        let isUnique = isKnownUniquelyReferenced(&slot.pointee)
        let view = View(slot)
        if isUnique, bytes <= 0 || view.freeBytes >= bytes { return view }
        replace(slot, isUnique: isUnique, room: bytes)
        return View(slot)
    }

    /// Replaces the node in the slot by another one with the same contents: moved if the node is unique, otherwise
    /// copied.
    @inlinable
    @inline(never)
    static func replace(_ slot: Slot, isUnique: Bool, room: Int) {
        let old = View(slot)
        let bytes = old.usedBytes + max(room, 0)
        // A node that grows while it is unique is likely to grow again; a copy is likely to be one of many versions.
        let node = allocate(bytes: isUnique ? bytes + bytes / 4 : bytes)
        if isUnique { View(node).move(from: old) } else { View(node).copy(from: old) }
        slot.pointee = node
    }
}

extension NodeView {
    /// Moves the contents of a node that is about to be released into this one, which is empty.
    @inlinable
    func move(from old: NodeView) {
        let entries = old.entryCount
        let children = old.childCount
        entry(at: entries - 1).moveInitialize(from: old.entry(at: entries - 1), count: entries)
        child(at: 0).moveInitialize(from: old.child(at: 0), count: children)
        takeMaps(of: old)
        old.header.pointee.entryMap = 0
        old.header.pointee.childMap = 0
        old.header.pointee.entryCount = 0
    }

    /// Copies the contents of a node into this one, which is empty.
    @inlinable
    func copy(from old: NodeView) {
        let entries = old.entryCount
        entry(at: entries - 1).initialize(from: UnsafePointer(old.entry(at: entries - 1)), count: entries)
        // One by one, because this is a plain retain for each, whereas `initialize(from:count:)` uses the type's
        // witness.
        for rank in 0..<old.childCount { child(at: rank).initialize(to: old.child(at: rank).pointee) }
        takeMaps(of: old)
    }

    @inlinable
    func takeMaps(of old: NodeView) {
        header.pointee.entryMap = old.entryMap
        header.pointee.childMap = old.childMap
        header.pointee.entryCount = old.header.pointee.entryCount
    }
}
