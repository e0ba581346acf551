import ActorStore
import Synchronization

/// A child in a stack, with its identity.
@usableFromInline
struct StackEntry<Element> {
    @usableFromInline let id: StackElementID
    /// Distinguishes the child from a child with the same identity in another copy of the stack.
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
    /// Returns the position of the entry with a key, or nil if it is missing.
    ///
    /// The entries are in the order in which they were pushed, and so in the order of their identities and of their
    /// stamps.
    ///
    /// - Complexity: O(log *n*)
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

/// Identifies one pushed child, or one removal of children, among all others of this process.
///
/// A stack's identities are not enough: the stack counts them, so that an action refers to the same child in each
/// replay, and two copies of a stack assign the same ones. Stamps are compared only within one run of the process. They
/// take no part in the equality or the encoding of a stack, so a reducer stays a function of the state and the action.
@usableFromInline
struct StackStamp: Hashable, Comparable, Sendable {
    private let number: UInt64

    /// Creates a stamp that is greater than all earlier ones.
    @usableFromInline
    init() { number = Self.last.wrappingAddRelaxed(1).newValue }

    private static let last = AtomicValue<UInt64>(0)

    @usableFromInline
    static func < (left: StackStamp, right: StackStamp) -> Bool { left.number < right.number }
}

/// The children that were removed from a stack most recently. Only a few are recorded, so that a stack stays small.
@usableFromInline
struct StackRemovals: Sendable {
    /// The removal of the last child that is no longer recorded.
    @usableFromInline var start = StackStamp()
    /// The children that were removed after that, and their removals.
    @usableFromInline var known: [(child: StackStamp, removal: StackStamp)] = []

    @inlinable
    init() {}

    /// The last removal.
    @inlinable var last: StackStamp { known.last?.removal ?? start }

    /// Records that several children are removed together.
    @inlinable
    mutating func append<Element>(_ entries: ArraySlice<StackEntry<Element>>) {
        guard entries.count <= 64 else {
            self = StackRemovals()
            return
        }
        let removal = StackStamp()
        forgetSome()
        for entry in entries { known.append((entry.stamp, removal)) }
    }

    /// Records that one child is removed.
    @inlinable
    mutating func append(_ child: StackStamp) {
        forgetSome()
        known.append((child, StackStamp()))
    }

    @inlinable
    mutating func forgetSome() {
        guard known.count >= 32 else { return }
        start = known[known.count - 17].removal
        known.removeFirst(known.count - 16)
        // Children that were removed together are dropped together.
        known.removeAll { $0.removal == start }
    }

    /// Returns the children that were removed after a removal, or nil if they are no longer recorded.
    @inlinable
    func children(since removal: StackStamp) -> [StackStamp]? {
        if removal == start { return known.map(\.child) }
        guard let last = known.lastIndex(where: { $0.removal == removal }) else { return nil }
        return known[(last + 1)...].map(\.child)
    }
}
