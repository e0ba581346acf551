extension KeyedArray {
    /// Returns the position of the element with an identity, or nil if it is not in the array.
    ///
    /// - Returns: The position, or nil if the element is not in the array.
    /// - Complexity: O(1)
    @inlinable
    public func index(id: Element.ID) -> Int? { index?.positions[id] }

    /// Returns whether the array contains an element with an identity.
    ///
    /// - Returns: Whether the array contains the element.
    /// - Complexity: O(1)
    @inlinable
    public func contains(id: Element.ID) -> Bool { index(id: id) != nil }

    /// The identities, in the order of the elements, as a lazy view.
    @inlinable
    public var ids: LazyMapCollection<[Element], Element.ID> { storage.lazy.map { $0.id } }

    /// Accesses the element with an identity; nil if it is not in the array.
    ///
    /// Setting an element replaces the one with its identity, or appends it. It must have the identity used as the
    /// subscript; otherwise this traps. Setting nil removes the element. An element can be changed in place:
    /// `orders[id: 3]?.isPaid = true` does not copy it.
    ///
    /// - Complexity: O(1); O(*n*) if an element is removed, unless it is the last one.
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
            // The element is moved out of the array meanwhile, so that it has no second reference, which would make the
            // change copy it. The gap is not visible, because access to the array is exclusive.
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

    /// Changes the element with an identity in place. Traps if its identity changes.
    ///
    /// - Parameters:
    ///   - id: The identity.
    ///   - body: Changes the element.
    /// - Returns: The result of `body`, or nil if the array has no such element.
    /// - Complexity: O(1)
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

    /// Moves an element out of the array, and puts the last one in its place.
    @inlinable
    mutating func takeElement(at position: Int) -> Element {
        storage.swapAt(position, storage.count - 1)
        return storage.removeLast()
    }

    /// Reverses ``takeElement(at:)``.
    @inlinable
    mutating func returnElement(_ element: Element?, to position: Int, _ id: Element.ID) {
        guard let element else {
            // The element was removed: the last one, which is in its place, moves back to the end, and all after the
            // gap move up.
            if position < storage.count { storage.append(storage.remove(at: position)) }
            forget(id, at: position)
            return
        }
        storage.append(element)
        storage.swapAt(position, storage.count - 1)
        checkIdentity(at: position, id)
    }

    /// Updates the index after the removal of an element.
    @inlinable
    mutating func forget(_ id: Element.ID, at position: Int) {
        let index = ownIndex()
        index.positions[id] = nil
        index.noteRemoval(of: id)
        // A static method, because `ownIndex()` would find the index shared with the local reference, and copy it.
        Self.renumber(&index.positions, storage, from: position)
    }

    @inlinable
    static func check(_ element: Element, hasIdentity id: Element.ID) {
        guard element.id == id else { trapBecauseIdentityDiffers() }
    }

    // Not inlined, so that the message adds no code to its callers.
    @usableFromInline
    @inline(never)
    static func trapBecauseIdentityDiffers() -> Never {
        fatalError(
            """
            An element of type \(Element.self) was set in a KeyedArray for an identity that it does not have. Set an \
            element for its own identity.
            """
        )
    }
}
