/// A binary heap with access to its smallest element. A plain value.
struct BinaryHeap<Element: Comparable> {
    /// Each element is at most as large as its two children: counted from one, those at twice its index, and one after
    /// that.
    private(set) var elements: [Element] = []

    init() {}

    /// Creates a heap of elements in any order.
    ///
    /// - Complexity: O(n)
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

    /// Removes and returns the smallest element. The heap must not be empty.
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
