/// A dictionary that knows in which order its keys came. A plain value.
///
/// What is cancelled, ended or told goes in that order: that of a dictionary is another one each time that one is made,
/// and the order of addresses in each process, so that a seed of a simulation would not be one run.
struct ArrivalTable<Key: Hashable, Value> {
    private var entries: [Key: (number: UInt64, value: Value)] = [:]
    /// How many times a value was put in.
    private var lastNumber: UInt64 = 0

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// The value of a key, which keeps its place when it gets another one.
    subscript(key: Key) -> Value? {
        get { entries[key]?.value }
        set {
            guard let newValue else { return entries[key] = nil }
            lastNumber += 1
            entries[key, default: (lastNumber, newValue)].value = newValue
        }
    }

    /// The value of a key, to be changed where it is; put in if there is none.
    subscript(key: Key, default value: @autoclosure () -> Value) -> Value {
        get { entries[key]?.value ?? value() }
        _modify {
            lastNumber += 1
            yield &entries[key, default: (lastNumber, value())].value
        }
    }

    mutating func removeValue(forKey key: Key) -> Value? { entries.removeValue(forKey: key)?.value }

    /// The keys, in the order in which they came.
    ///
    /// - Complexity: O(*n* log *n*).
    var keys: [Key] { entries.sorted { $0.value.number < $1.value.number }.map(\.key) }

    /// The values, in the order in which their keys came.
    ///
    /// - Complexity: O(*n* log *n*).
    var inOrder: [Value] { entries.values.sorted { $0.number < $1.number }.map { $0.value } }
}

extension Dictionary where Key == UInt64 {
    /// What has numbers that grow, as it came: see ``ArrivalTable``.
    ///
    /// - Complexity: O(*n* log *n*).
    package var inOrder: [Value] { sorted { $0.key < $1.key }.map { $0.value } }
}

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
