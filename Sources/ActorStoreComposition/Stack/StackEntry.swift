import ActorStore
import Synchronization

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

/// Tells one child that was pushed, or one removal of children, from all others of this process.
///
/// A stack's identities cannot do that: they are counted by the stack, so that an action means the same child in each
/// replay, and two copies of a stack give the same ones. Stamps are compared within one run of the process only, and
/// are no part of what a stack is equal by, or encoded as; so a reducer stays a function of the state and the action.
@usableFromInline
struct StackStamp: Hashable, Comparable, Sendable {
    private let number: UInt64

    /// A stamp that is greater than all before it.
    @usableFromInline
    init() { number = Self.last.wrappingAddRelaxed(1).newValue }

    private static let last = AtomicValue<UInt64>(0)

    @usableFromInline
    static func < (left: StackStamp, right: StackStamp) -> Bool { left.number < right.number }
}

/// Which children a stack has lost last. Only a few, so that a stack stays small.
@usableFromInline
struct StackRemovals: Sendable {
    /// When the last child went that is not among those that are known.
    @usableFromInline var start = StackStamp()
    /// The children that went since, and when.
    @usableFromInline var known: [(child: StackStamp, removal: StackStamp)] = []

    @inlinable
    init() {}

    /// When the last child went.
    @inlinable var last: StackStamp { known.last?.removal ?? start }

    /// Takes note that some children go at once.
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

    /// Takes note that one child goes.
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
        // Those that went at once are forgotten at once.
        known.removeAll { $0.removal == start }
    }

    /// The children that went after others; nil if they are no longer known.
    @inlinable
    func children(since removal: StackStamp) -> [StackStamp]? {
        if removal == start { return known.map(\.child) }
        guard let last = known.lastIndex(where: { $0.removal == removal }) else { return nil }
        return known[(last + 1)...].map(\.child)
    }
}
