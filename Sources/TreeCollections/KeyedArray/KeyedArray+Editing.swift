extension KeyedArray {
    /// Appends an element, unless the array has one with the same identity, which then stays unchanged.
    ///
    /// - Returns: Whether the element was appended, and the position of the element with the identity.
    /// - Complexity: O(1)
    @inlinable
    @discardableResult
    public mutating func append(_ element: Element) -> (inserted: Bool, index: Int) {
        insert(element, at: storage.count)
    }

    /// Inserts an element at a position, unless the array has one with the same identity, which then stays unchanged
    /// and in place.
    ///
    /// - Returns: Whether the element was inserted, and the position of the element with the identity.
    /// - Complexity: O(*n*); O(1) at the end.
    @inlinable
    @discardableResult
    public mutating func insert(_ element: Element, at position: Int) -> (inserted: Bool, index: Int) {
        if let present = index(id: element.id) { return (false, present) }
        storage.insert(element, at: position)
        renumber(from: position)
        return (true, position)
    }

    /// Replaces the element with the same identity, or appends the element if there is no such element.
    ///
    /// - Returns: The element that was replaced; nil if the element was appended.
    /// - Complexity: O(1)
    @inlinable
    @discardableResult
    public mutating func updateOrAppend(_ element: Element) -> Element? {
        guard let position = index(id: element.id) else {
            append(element)
            return nil
        }
        let old = storage[position]
        storage[position] = element
        return old
    }

    /// Removes the element with an identity.
    ///
    /// - Returns: The removed element, or nil if the array does not contain it.
    /// - Complexity: O(*n*); O(1) at the end.
    @inlinable
    @discardableResult
    public mutating func remove(id: Element.ID) -> Element? { index(id: id).map { remove(at: $0) } }

    /// Removes the element at a position.
    ///
    /// - Returns: The removed element.
    /// - Complexity: O(*n*); O(1) at the end.
    @inlinable
    @discardableResult
    public mutating func remove(at position: Int) -> Element {
        let element = storage.remove(at: position)
        forget(element.id, at: position)
        return element
    }

    /// Removes the elements that satisfy a predicate.
    ///
    /// If `shouldBeRemoved` throws, nothing is removed, and the order of the elements is unspecified.
    ///
    /// - Complexity: O(*n*)
    @inlinable
    public mutating func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
        let count = storage.count
        do {
            try storage.removeAll(where: shouldBeRemoved)
        } catch {
            // Some elements have been moved already.
            renumber(from: 0)
            throw error
        }
        if storage.count < count { rebuildIndex() }
    }

    /// Removes all elements.
    ///
    /// - Complexity: O(*n*); O(1) if a copy has the same elements.
    @inlinable
    public mutating func removeAll() { self = KeyedArray() }

    /// Removes the first element.
    ///
    /// - Returns: The removed element, or nil if the array is empty.
    /// - Complexity: O(*n*)
    @inlinable
    public mutating func popFirst() -> Element? { isEmpty ? nil : remove(at: 0) }

    /// Removes the last element.
    ///
    /// - Returns: The removed element, or nil if the array is empty.
    /// - Complexity: O(1)
    @inlinable
    public mutating func popLast() -> Element? { isEmpty ? nil : remove(at: count - 1) }

    /// Moves an element to another position.
    ///
    /// - Parameters:
    ///   - source: The position of the element.
    ///   - destination: Its position after the move.
    /// - Complexity: O(*n*)
    @inlinable
    public mutating func move(from source: Int, to destination: Int) {
        storage.insert(storage.remove(at: source), at: destination)
        renumber(from: Swift.min(source, destination))
    }

    /// Exchanges two elements.
    ///
    /// - Complexity: O(1)
    @inlinable
    public mutating func swapAt(_ first: Int, _ second: Int) {
        storage.swapAt(first, second)
        let index = ownIndex()
        index.positions[storage[first].id] = first
        index.positions[storage[second].id] = second
    }

    /// Sorts the elements.
    ///
    /// If `areInOrder` throws, the order of the elements is unspecified.
    ///
    /// - Complexity: O(*n* log *n*)
    @inlinable
    public mutating func sort(by areInOrder: (Element, Element) throws -> Bool) rethrows {
        // Also after an error, because some elements have been moved already.
        defer { renumber(from: 0) }
        try storage.sort(by: areInOrder)
    }

    /// Reverses the order of the elements.
    ///
    /// - Complexity: O(*n*)
    @inlinable
    public mutating func reverse() {
        storage.reverse()
        renumber(from: 0)
    }

    /// Rebuilds the index after removals.
    ///
    /// - Complexity: O(*n*)
    @inlinable
    mutating func rebuildIndex() {
        var positions: [Element.ID: Int] = [:]
        positions.reserveCapacity(storage.count)
        for (position, element) in storage.enumerated() { positions[element.id] = position }
        index = KeyedArrayIndex(positions: positions)
    }
}
