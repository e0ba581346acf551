/// A dictionary that keeps the insertion order of its keys. A plain value.
///
/// Cancellations, ends and notifications follow this order. The order of a dictionary differs between instances, and
/// the order of addresses between processes, so that a seed of a simulation would not determine a run.
struct ArrivalTable<Key: Hashable, Value> {
    private var entries: [Key: (number: UInt64, value: Value)] = [:]
    /// The number of insertions so far.
    private var lastNumber: UInt64 = 0

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// The value of a key. A key keeps its place when its value changes.
    subscript(key: Key) -> Value? {
        get { entries[key]?.value }
        set {
            guard let newValue else { return entries[key] = nil }
            lastNumber += 1
            entries[key, default: (lastNumber, newValue)].value = newValue
        }
    }

    /// The value of a key, for changes in place. Inserts the default value if the key is missing.
    subscript(key: Key, default value: @autoclosure () -> Value) -> Value {
        get { entries[key]?.value ?? value() }
        _modify {
            lastNumber += 1
            yield &entries[key, default: (lastNumber, value())].value
        }
    }

    mutating func removeValue(forKey key: Key) -> Value? { entries.removeValue(forKey: key)?.value }

    /// The keys, in insertion order.
    ///
    /// - Complexity: O(*n* log *n*).
    var keys: [Key] { entries.sorted { $0.value.number < $1.value.number }.map(\.key) }

    /// The values, in the insertion order of their keys.
    ///
    /// - Complexity: O(*n* log *n*).
    var inOrder: [Value] { entries.values.sorted { $0.number < $1.number }.map { $0.value } }
}

extension Dictionary where Key == UInt64 {
    /// The values in the order of their keys, which is the insertion order if the keys grow; see ``ArrivalTable``.
    ///
    /// - Complexity: O(*n* log *n*).
    package var inOrder: [Value] { sorted { $0.key < $1.key }.map { $0.value } }
}

/// A queue whose elements can also be removed by their keys.
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

    /// - Complexity: O(1) on average.
    mutating func append(_ element: Element) -> Key {
        defer { nextKey += 1 }
        elements[nextKey] = element
        return nextKey
    }

    /// - Complexity: O(1) on average.
    mutating func remove(_ key: Key) -> Element? {
        defer { if elements.isEmpty { oldestKey = nextKey } }
        return elements.removeValue(forKey: key)
    }

    /// - Complexity: O(1) amortized over all appended elements.
    mutating func removeFirst() -> Element? {
        while oldestKey < nextKey {
            defer { oldestKey += 1 }
            if let element = elements.removeValue(forKey: oldestKey) { return element }
        }
        return nil
    }

    /// The element that has waited longest.
    var first: Element? {
        mutating get {
            while oldestKey < nextKey {
                if let element = elements[oldestKey] { return element }
                oldestKey += 1
            }
            return nil
        }
    }

    /// Removes and returns all elements, in order.
    ///
    /// - Complexity: O(*n*).
    mutating func removeAll() -> [Element] {
        guard oldestKey < nextKey else { return [] }
        var all: [Element] = []
        while let element = removeFirst() { all.append(element) }
        return all
    }
}
