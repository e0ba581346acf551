/// Elements that an observer has not taken yet: a plain value, without locks or tasks.
@usableFromInline
struct ElementBuffer<Element> {
    // In an order that leaves no gaps, because there is room for one in each observer.
    @usableFromInline var elements: [Element?] = []
    @usableFromInline var head = 0
    /// How many elements the observer will never get.
    @usableFromInline var dropped = 0
    /// How many elements there can be; the largest number stands for no limit.
    @usableFromInline let limit: Int32
    @usableFromInline let overflow: BufferingPolicy.Overflow
    /// Whether the last element that came was dropped, so that the observer would rest on an old one.
    @usableFromInline var missesNewest = false
    /// Whether the buffer ran over and the observation is to end when it is empty.
    @usableFromInline var isClosed = false

    init(limit: Int, overflow: BufferingPolicy.Overflow) {
        self.limit = Int32(clamping: limit)
        self.overflow = overflow
    }

    @inlinable var count: Int { elements.count - head }

    @inlinable var isFull: Bool { count >= Int(limit) && limit != .max }

    /// Whether the store should stop until there is room.
    @inlinable var suspendsStore: Bool { overflow.kind == .suspendStore && isFull }

    /// Adds an element, or has one give way.
    ///
    /// - Returns: the element that gave way, for the caller to release outside its lock.
    @inlinable
    mutating func append(_ element: Element) -> Element? {
        guard !isClosed else {
            dropped += 1
            return element
        }
        guard isFull, overflow.kind != .suspendStore else {
            elements.append(element)
            missesNewest = false
            return nil
        }
        dropped += 1
        switch overflow.kind {
        case .dropOldest:
            let oldest = popFirst()
            elements.append(element)
            return oldest
        case .dropNewest:
            missesNewest = true
            return element
        case .finish:
            isClosed = true
            return element
        case .suspendStore:
            preconditionFailure("A buffer that suspends the store loses nothing.")
        }
    }

    /// Adds the last element that there will be, whether there is room or not.
    mutating func appendLast(_ element: Element) {
        elements.append(element)
        if missesNewest { dropped -= 1 }
        missesNewest = false
    }

    /// Takes the element out that has waited longest.
    ///
    /// - Complexity: O(1), amortised.
    @inlinable
    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: head <= 64)
            head = 0
        } else if head > 64 && head > elements.count / 2 {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Empties the buffer.
    ///
    /// - Returns: what was in it, for the caller to release outside its lock.
    mutating func removeAll() -> [Element?] {
        defer {
            elements = []
            head = 0
        }
        return elements
    }

    /// Takes note that the observer was given the newest element after all.
    @inlinable
    mutating func catchUp() {
        missesNewest = false
        dropped -= 1
    }
}
