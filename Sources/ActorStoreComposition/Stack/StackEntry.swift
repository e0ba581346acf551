import ActorStore

/// A child in a stack, with its identity.
@usableFromInline
struct StackEntry<Element> {
    @usableFromInline let id: StackElementID
    /// Tells the child from one of another copy of the stack that has the same identity.
    @usableFromInline let stamp: StackStamp
    @usableFromInline var element: Element

    @inlinable
    init(id: StackElementID, stamp: StackStamp, element: Element) {
        self.id = id
        self.stamp = stamp
        self.element = element
    }
}

extension StackEntry: Sendable where Element: Sendable {}

extension StackEntry: Equatable where Element: Equatable {
    @usableFromInline
    static func == (left: StackEntry, right: StackEntry) -> Bool {
        left.id == right.id && left.element == right.element
    }
}

extension StackEntry: Hashable where Element: Hashable {
    @usableFromInline
    func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(element)
    }
}

private enum StackEntryKey: String, CodingKey { case id, element }

extension StackEntry: Encodable where Element: Encodable {
    @usableFromInline
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: StackEntryKey.self)
        try container.encode(id, forKey: .id)
        try container.encode(element, forKey: .element)
    }
}

extension StackEntry: Decodable where Element: Decodable {
    @usableFromInline
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: StackEntryKey.self)
        id = try container.decode(StackElementID.self, forKey: .id)
        stamp = StackStamp()
        element = try container.decode(Element.self, forKey: .element)
    }
}

extension Array {
    /// Where the entry with a key is; nil if it is not there. O(log *n*).
    ///
    /// The entries are in the order in which they were pushed, and so in that of their identities, and of their stamps.
    @inlinable
    func position<Key: Comparable, Child>(of key: Key, by keyOf: (StackEntry<Child>) -> Key) -> Int?
    where Element == StackEntry<Child> {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if keyOf(self[middle]) < key { low = middle + 1 } else { high = middle }
        }
        return low < count && keyOf(self[low]) == key ? low : nil
    }
}
