import Synchronization

/// The position of each element of a ``KeyedArray``.
@usableFromInline
final class KeyedArrayIndex<ID: Hashable> {
    @usableFromInline var positions: [ID: Int]
    /// A stamp that differs from those of all other indices, and from those that this index had before earlier
    /// removals.
    @usableFromInline var stamp: UInt64
    /// The elements that were removed most recently, each with the stamp before its removal. Only a few, to retain
    /// little of them.
    @usableFromInline var removed: [(id: ID, stampBefore: UInt64)] = []

    @inlinable
    init(positions: [ID: Int]) {
        self.positions = positions
        stamp = IndexStamp.next()
    }

    /// Records that an element was removed.
    @inlinable
    func noteRemoval(of id: ID) {
        if removed.count == 32 { removed.removeFirst(16) }
        removed.append((id, stamp))
        stamp = IndexStamp.next()
    }
}

/// Generates numbers that are unique among all indices.
@usableFromInline
enum IndexStamp {
    private static let last = Atomic<UInt64>(0)

    @usableFromInline
    static func next() -> UInt64 { last.add(1, ordering: .relaxed).newValue }
}

extension KeyedArray {
    /// Returns the index, uniquely referenced.
    @inlinable
    mutating func ownIndex() -> KeyedArrayIndex<Element.ID> {
        if isKnownUniquelyReferenced(&index), let index { return index }
        let own = KeyedArrayIndex(positions: index?.positions ?? [:])
        index = own
        return own
    }

    /// Updates the positions from a position on, after elements were inserted, removed or moved.
    @inlinable
    mutating func renumber(from position: Int) {
        Self.renumber(&ownIndex().positions, storage, from: position)
    }

    // By reference, so that the index is accessed once, and not once for each element.
    @inlinable
    static func renumber(_ positions: inout [Element.ID: Int], _ elements: [Element], from position: Int) {
        for position in position..<elements.count { positions[elements[position].id] = position }
    }

    /// Traps if the identity of an element has changed.
    @inlinable
    func checkIdentity(at position: Int, _ id: Element.ID) {
        guard storage[position].id == id else { Self.trapBecauseIdentityChanged() }
    }

    // Without the identities, which may be confidential.
    @usableFromInline
    @inline(never)
    static func trapBecauseIdentityChanged() -> Never {
        fatalError(
            """
            An element of a KeyedArray of type \(Element.self) changed its identity. Remove the element and insert one with \
            the new identity.
            """
        )
    }
}
