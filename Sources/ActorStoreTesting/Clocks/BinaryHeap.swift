/// Elements of which the smallest one is at hand. A plain value.
struct BinaryHeap<Element: Comparable> {
    /// Each is at most as large as those at twice its place, counted from one, and behind that.
    private(set) var elements: [Element] = []

    init() {}

    /// Creates a heap of elements in any order, in a time that is linear in their number.
    init(_ elements: [Element]) {
        self.elements = elements
        for place in elements.indices.prefix(elements.count / 2).reversed() { sink(place) }
    }

    var first: Element? { elements.first }

    /// Adds an element.
    ///
    /// - Complexity: O(log n)
    mutating func insert(_ element: Element) {
        elements.append(element)
        var place = elements.count - 1
        while place > 0, elements[place] < elements[(place - 1) / 2] {
            elements.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    /// Takes the smallest one out; there must be one.
    ///
    /// - Complexity: O(log n)
    @discardableResult
    mutating func removeFirst() -> Element {
        elements.swapAt(0, elements.count - 1)
        let first = elements.removeLast()
        sink(0)
        return first
    }

    private mutating func sink(_ start: Int) {
        var place = start
        while true {
            var smallest = place
            let children = 2 * place + 1..<max(2 * place + 1, min(2 * place + 3, elements.count))
            for child in children where elements[child] < elements[smallest] { smallest = child }
            if smallest == place { return }
            elements.swapAt(place, smallest)
            place = smallest
        }
    }
}
