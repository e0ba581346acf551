extension Node {
    /// Makes the node in a slot one that only this slot refers to, with room for that many more bytes, and returns
    /// where it lies.
    ///
    /// On the way down from the root this makes the whole path the dictionary's own: a node that is referred to once,
    /// by a node that is referred to once, cannot be reached by anybody else.
    @inlinable
    @inline(__always)
    static func own(_ slot: Slot, room bytes: Int = 0) -> View {
        let isUnique = isKnownUniquelyReferenced(&slot.pointee)
        let view = View(slot)
        if isUnique, bytes <= 0 || view.freeBytes >= bytes { return view }
        replace(slot, isUnique: isUnique, room: bytes)
        return View(slot)
    }

    /// Puts another node with the same contents into the slot: moved there if no one else needs them, otherwise copied.
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
    /// Moves the contents of a node that is about to go away into this one, which is empty.
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
        // One by one, because that is a plain retain for each, where `initialize(from:count:)` asks the type's witness.
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
