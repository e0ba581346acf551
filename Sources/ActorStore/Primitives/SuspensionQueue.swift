/// Elements that wait in order, any of which can leave early by its key.
@usableFromInline
struct SuspensionQueue<Element> {
    @usableFromInline typealias Key = UInt64

    private var elements: [Key: Element] = [:]
    private var nextKey: Key = 0
    private var oldestKey: Key = 0

    @usableFromInline
    init() {}

    @usableFromInline var isEmpty: Bool { elements.isEmpty }
    var count: Int { elements.count }

    /// Complexity: O(1) on average.
    mutating func append(_ element: Element) -> Key {
        defer { nextKey += 1 }
        elements[nextKey] = element
        return nextKey
    }

    /// Complexity: O(1) on average.
    mutating func remove(_ key: Key) -> Element? {
        defer { if elements.isEmpty { oldestKey = nextKey } }
        return elements.removeValue(forKey: key)
    }

    /// Complexity: O(1) amortised over all that were ever appended.
    mutating func removeFirst() -> Element? {
        while oldestKey < nextKey {
            defer { oldestKey += 1 }
            if let element = elements.removeValue(forKey: oldestKey) { return element }
        }
        return nil
    }

    /// The one that has waited longest.
    var first: Element? {
        mutating get {
            while oldestKey < nextKey {
                if let element = elements[oldestKey] { return element }
                oldestKey += 1
            }
            return nil
        }
    }

    /// Takes all out, in order.
    mutating func removeAll() -> [Element] {
        guard oldestKey < nextKey else { return [] }
        var all: [Element] = []
        while let element = removeFirst() { all.append(element) }
        return all
    }
}
