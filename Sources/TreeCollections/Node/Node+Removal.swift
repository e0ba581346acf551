extension Node {
    /// Removes the entry of an existing key.
    ///
    /// - Parameter take: Moves the entry out of its memory, and leaves that uninitialised.
    @inlinable
    static func remove<Taken>(
        _ key: Key,
        _ path: HashPath,
        in slot: Slot,
        _ take: (UnsafeMutablePointer<Entry>) -> Taken
    ) -> Taken {
        let view = own(slot)
        let bit = path.bit
        if view.childMap & bit != 0 {
            let child = view.child(at: view.childRank(of: bit))
            let taken = remove(key, path.descended(to: path.depth + 1), in: child, take)
            if View(child).header.pointee.isSingleEntry { inline(child, bit, in: slot) }
            return taken
        }
        if view.entryMap & bit != 0 {
            let rank = view.entryRank(of: bit)
            let taken = take(view.entry(at: rank))
            view.closeEntry(at: rank, bit)
            return taken
        }
        guard let rank = view.collisionRank(of: key) else {
            Self.trapAsUnstable()
        }
        let taken = take(view.entry(at: rank))
        view.closeEntry(at: rank, 0)
        return taken
    }

    // Not inlined, so that the message adds no code to its callers.
    @usableFromInline
    @inline(never)
    static func trapAsUnstable() -> Never {
        fatalError(
            """
            A key of type \(Key.self) changed its == or hash(into:) while it was in a TreeDictionary. Both must depend only \
            on properties that do not change.
            """
        )
    }

    /// Replaces a child by its only entry.
    @inlinable
    static func inline(_ child: Slot, _ bit: UInt32, in slot: Slot) {
        let entry = View(child).takeSingleEntry()
        View(slot).removeChild(bit)
        own(slot, room: View.entryBytes).openEntry(bit).initialize(to: entry)
    }
}
