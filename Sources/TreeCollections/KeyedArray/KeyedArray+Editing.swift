extension KeyedArray {
    /// Appends an element, unless there is one with its identity already, which then stays as it is. O(1).
    ///
    /// - Returns: whether it was appended, and the position of the element with the identity.
    @inlinable
    @discardableResult
    public mutating func append(_ element: Element) -> (inserted: Bool, index: Int) {
        insert(element, at: storage.count)
    }

    /// Inserts an element at a position, unless there is one with its identity already, which then stays as it is and
    /// where it is. O(*n*), or O(1) at the end.
    ///
    /// - Returns: whether it was inserted, and the position of the element with the identity.
    @inlinable
    @discardableResult
    public mutating func insert(_ element: Element, at position: Int) -> (inserted: Bool, index: Int) {
        if let present = index(id: element.id) { return (false, present) }
        storage.insert(element, at: position)
        renumber(from: position)
        return (true, position)
    }

    /// Replaces the element that has the same identity, or appends the element if there is none. O(1).
    ///
    /// - Returns: the element that was replaced.
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

    /// Removes the element with an identity, and returns it; nil if there is none. O(*n*), or O(1) at the end.
    @inlinable
    @discardableResult
    public mutating func remove(id: Element.ID) -> Element? { index(id: id).map { remove(at: $0) } }

    /// Removes the element at a position, and returns it. O(*n*), or O(1) at the end.
    @inlinable
    @discardableResult
    public mutating func remove(at position: Int) -> Element {
        let element = storage.remove(at: position)
        forget(element.id, at: position)
        return element
    }

    /// Removes the elements for which a condition holds. O(*n*).
    ///
    /// If `shouldBeRemoved` throws, nothing is removed, and the order of the elements is not specified.
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
    @inlinable
    public mutating func removeAll() { self = KeyedArray() }

    /// Removes the first element, and returns it; nil if there is none. O(*n*).
    @inlinable
    public mutating func popFirst() -> Element? { isEmpty ? nil : remove(at: 0) }

    /// Removes the last element, and returns it; nil if there is none. O(1).
    @inlinable
    public mutating func popLast() -> Element? { isEmpty ? nil : remove(at: count - 1) }

    /// Moves the element at a position to another one; `destination` is its position afterwards. O(*n*).
    @inlinable
    public mutating func move(from source: Int, to destination: Int) {
        storage.insert(storage.remove(at: source), at: destination)
        renumber(from: Swift.min(source, destination))
    }

    /// Exchanges two elements. O(1).
    @inlinable
    public mutating func swapAt(_ first: Int, _ second: Int) {
        storage.swapAt(first, second)
        let index = ownIndex()
        index.positions[storage[first].id] = first
        index.positions[storage[second].id] = second
    }

    /// Sorts the elements. O(*n* log *n*).
    ///
    /// If `areInOrder` throws, the order of the elements is not specified.
    @inlinable
    public mutating func sort(by areInOrder: (Element, Element) throws -> Bool) rethrows {
        // Also after an error, because some elements have been moved already.
        defer { renumber(from: 0) }
        try storage.sort(by: areInOrder)
    }

    /// Reverses the order. O(*n*).
    @inlinable
    public mutating func reverse() {
        storage.reverse()
        renumber(from: 0)
    }

    /// Makes the index anew, after elements have gone. O(*n*).
    @inlinable
    mutating func rebuildIndex() {
        var positions: [Element.ID: Int] = [:]
        positions.reserveCapacity(storage.count)
        for (position, element) in storage.enumerated() { positions[element.id] = position }
        index = KeyedArrayIndex(positions: positions)
    }
}
