/// What a ``Recorder`` has recorded, and how far a test has read. A plain value.
struct RecorderTape<Element> {
    private(set) var elements: [Element] = []
    /// How many have been read.
    private var position = 0
    private(set) var failure: (any Error)?
    private(set) var hasEnded = false

    /// How many have not been read.
    var unread: Int { elements.count - position }

    mutating func record(_ element: Element) {
        if !hasEnded { elements.append(element) }
    }

    mutating func end(_ failure: (any Error)?) {
        guard !hasEnded else { return }
        hasEnded = true
        self.failure = failure
    }

    /// Reads on.
    ///
    /// - Returns: so many elements, or as many as there are.
    mutating func read(_ count: Int) -> [Element] {
        let rest = elements[position...].prefix(count)
        position += rest.count
        return Array(rest)
    }
}
