import Synchronization

/// Where each element of a ``KeyedArray`` is.
@usableFromInline
final class KeyedArrayIndex<ID: Hashable> {
    @usableFromInline var positions: [ID: Int]
    /// Not that of any other index, nor one that this one had before an element was removed.
    @usableFromInline var stamp: UInt64
    /// The elements that were removed last, with the stamp from before that. Only a few, so that little is kept of
    /// them.
    @usableFromInline var removed: [(id: ID, stampBefore: UInt64)] = []

    @inlinable
    init(positions: [ID: Int]) {
        self.positions = positions
        stamp = IndexStamp.next()
    }

    /// Takes note that an element is gone.
    @inlinable
    func noteRemoval(of id: ID) {
        if removed.count == 32 { removed.removeFirst(16) }
        removed.append((id, stamp))
        stamp = IndexStamp.next()
    }
}

/// Numbers that no two indices have.
@usableFromInline
enum IndexStamp {
    private static let last = Atomic<UInt64>(0)

    @usableFromInline
    static func next() -> UInt64 { last.add(1, ordering: .relaxed).newValue }
}

extension KeyedArray {
    /// The index, which nobody else refers to.
    @inlinable
    mutating func ownIndex() -> KeyedArrayIndex<Element.ID> {
        if isKnownUniquelyReferenced(&index), let index { return index }
        let own = KeyedArrayIndex(positions: index?.positions ?? [:])
        index = own
        return own
    }

    /// Corrects the positions from one on, after elements have come, gone or moved.
    @inlinable
    mutating func renumber(from position: Int) {
        Self.renumber(&ownIndex().positions, storage, from: position)
    }

    // By reference, so that there is one access to the index instead of one for each element.
    @inlinable
    static func renumber(_ positions: inout [Element.ID: Int], _ elements: [Element], from position: Int) {
        for position in position..<elements.count { positions[elements[position].id] = position }
    }

    /// Traps if an element was changed into another one.
    @inlinable
    func checkIdentity(at position: Int, _ id: Element.ID) {
        guard storage[position].id == id else { Self.trapBecauseIdentityChanged() }
    }

    // Without the identities, which may be something that no log must show.
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
