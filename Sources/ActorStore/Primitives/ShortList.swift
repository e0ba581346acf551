/// An ordered collection that usually has at most one element, and uses heap memory only for further elements.
@usableFromInline
struct ShortList<Element>: RandomAccessCollection {
    @usableFromInline var first: Element?
    @usableFromInline var others: [Element] = []

    @inlinable
    init() {}

    @inlinable
    init(_ element: Element) { first = element }

    @inlinable var startIndex: Int { 0 }
    @inlinable var endIndex: Int { first == nil ? 0 : others.count + 1 }
    @inlinable var isEmpty: Bool { first == nil }

    @inlinable
    subscript(index: Int) -> Element {
        guard let first, index == 0 else { return others[index - 1] }
        return first
    }

    /// Calls `body` with each element. A loop over the collection takes several times as long.
    ///
    /// - Complexity: O(*n*).
    @inlinable
    @inline(__always)
    func forEach(_ body: (Element) throws -> Void) rethrows {
        guard let first else { return }
        try body(first)
        for element in others { try body(element) }
    }

    @inlinable
    mutating func append(_ element: Element) {
        if first == nil { first = element } else { others.append(element) }
    }
}

extension ShortList: Sendable where Element: Sendable {}
