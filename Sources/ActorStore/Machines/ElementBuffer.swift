/// An observer's unread elements: a plain value, without locks or tasks.
@usableFromInline
struct ElementBuffer<Element> {
    // Ordered to leave no gaps, because each observer has storage for one.
    @usableFromInline var elements: [Element?] = []
    @usableFromInline var head = 0
    /// The number of elements that the observer will never receive.
    @usableFromInline var dropped = 0
    /// The maximum number of elements; the largest number means no limit.
    @usableFromInline let limit: Int32
    @usableFromInline let overflow: BufferingPolicy.Overflow
    /// Whether the last element was dropped, so that the observer would otherwise be left with an outdated one.
    @usableFromInline var missesNewest = false
    /// Whether the buffer has overflowed, and the observation ends once it is empty.
    @usableFromInline var isClosed = false

    init(limit: Int, overflow: BufferingPolicy.Overflow) {
        self.limit = Int32(clamping: limit)
        self.overflow = overflow
    }

    @inlinable var count: Int { elements.count - head }

    @inlinable var isFull: Bool { count >= Int(limit) && limit != .max }

    /// Whether the store must be suspended until an element is taken.
    @inlinable var suspendsStore: Bool { overflow.kind == .suspendStore && isFull }

    /// Adds an element, or drops one if the buffer is full.
    ///
    /// - Returns: The dropped element, which the caller releases outside its lock.
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
            preconditionFailure("Internal inconsistency: a buffer that suspends the store would drop an element.")
        }
    }

    /// Adds the last element of the observation, even if the buffer is full.
    mutating func appendLast(_ element: Element) {
        elements.append(element)
        if missesNewest { dropped -= 1 }
        missesNewest = false
    }

    /// Removes and returns the oldest element.
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
    /// - Returns: The elements, which the caller releases outside its lock.
    mutating func removeAll() -> [Element?] {
        defer {
            elements = []
            head = 0
        }
        return elements
    }

    /// Records that the observer has received the newest element, although it was dropped.
    @inlinable
    mutating func catchUp() {
        missesNewest = false
        dropped -= 1
    }
}
