extension KeyedArray {
    /// The position of the element with an identity; nil if there is none. O(1).
    @inlinable
    public func index(id: Element.ID) -> Int? { index?.positions[id] }

    /// Whether there is an element with an identity. O(1).
    @inlinable
    public func contains(id: Element.ID) -> Bool { index(id: id) != nil }

    /// The identities, in the order of the elements, without copying them.
    @inlinable
    public var ids: LazyMapCollection<[Element], Element.ID> { storage.lazy.map { $0.id } }

    /// The element with an identity; nil if there is none. O(1).
    ///
    /// Setting an element replaces the one with its identity, or appends it; it must have the identity that it is set
    /// for, or this traps. Setting nil removes. An element is changed in place: `orders[id: 3]?.isPaid = true` does not
    /// copy it.
    @inlinable
    public subscript(id id: Element.ID) -> Element? {
        get { index(id: id).map { storage[$0] } }
        set {
            guard let newValue else {
                remove(id: id)
                return
            }
            Self.check(newValue, hasIdentity: id)
            updateOrAppend(newValue)
        }
        _modify {
            let position = index(id: id)
            // Taken out of the array meanwhile, so that it has no second reference which would have it copied. Nobody
            // sees the gap, because the array is exclusively accessed.
            var element = position.map { takeElement(at: $0) }
            defer {
                if let position {
                    returnElement(element, to: position, id)
                } else if let element {
                    Self.check(element, hasIdentity: id)
                    append(element)
                }
            }
            yield &element
        }
    }

    /// Changes the element with an identity in place, and returns what `body` does; nil if there is no such element.
    /// O(1). Traps if the element does not keep its identity.
    @inlinable
    @discardableResult
    public mutating func modify<Result>(
        id: Element.ID,
        _ body: (inout Element) throws -> Result
    ) rethrows -> Result? {
        guard let position = index(id: id) else { return nil }
        defer { checkIdentity(at: position, id) }
        return try body(&storage[position])
    }

    /// Takes an element away, and leaves the last one in its place.
    @inlinable
    mutating func takeElement(at position: Int) -> Element {
        storage.swapAt(position, storage.count - 1)
        return storage.removeLast()
    }

    /// The counterpart of ``takeElement(at:)``.
    @inlinable
    mutating func returnElement(_ element: Element?, to position: Int, _ id: Element.ID) {
        guard let element else {
            // The last one, which is in its place, goes to the end again, and all behind the gap move up.
            if position < storage.count { storage.append(storage.remove(at: position)) }
            forget(id, at: position)
            return
        }
        storage.append(element)
        storage.swapAt(position, storage.count - 1)
        checkIdentity(at: position, id)
    }

    /// Corrects the index after an element has gone.
    @inlinable
    mutating func forget(_ id: Element.ID, at position: Int) {
        let index = ownIndex()
        index.positions[id] = nil
        index.noteRemoval(of: id)
        // Not by way of the array: with the reference here, the index would seem to be shared, and be copied.
        Self.renumber(&index.positions, storage, from: position)
    }

    @inlinable
    static func check(_ element: Element, hasIdentity id: Element.ID) {
        guard element.id == id else { trapBecauseIdentityDiffers() }
    }

    // Not inlined, like the other one, so that the message costs its callers nothing.
    @usableFromInline
    @inline(never)
    static func trapBecauseIdentityDiffers() -> Never {
        fatalError(
            """
            A KeyedArray got an element of type \(Element.self) with another identity than the one that it was set for. Set \
            an element for its own identity.
            """
        )
    }
}
