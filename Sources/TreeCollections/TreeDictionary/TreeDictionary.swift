/// A dictionary whose copies share what they have in common.
///
/// It is used like `Dictionary`, and has its semantics of a value. The difference shows when a copy is kept while the
/// other one changes: `Dictionary` then copies everything, a tree dictionary only the few nodes on the way to the entry
/// that changes, O(log *n*). Two versions can then be compared in time proportional to what differs between them, see
/// ``difference(from:)``. While there is no other copy, changes are made in place.
///
/// ```swift
/// var prices: TreeDictionary = ["apple": 3, "pear": 4]
/// let before = prices
/// prices["pear"] = 5
/// prices.difference(from: before).updated  // pear: from 4 to 5
/// ```
///
/// A lookup takes longer than that of `Dictionary`, because it visits a node on each of about log₃₂ *n* levels. All
/// complexities assume a good `hash(into:)`; keys that have the same hash are searched one by one.
///
/// It is a hash trie in the form that Steindorfer and Vinju call CHAMP ("Optimizing Hash-Array Mapped Tries for Fast
/// and Lean Immutable JVM Collections", OOPSLA 2015). The order of iteration is not specified and differs between runs
/// of a program; dictionaries with the same keys have the same order, apart from keys whose hashes are equal.
public struct TreeDictionary<Key: Hashable, Value> {
    /// A key with its value.
    public typealias Element = (key: Key, value: Value)

    /// The top of the tree; nil if there are no entries.
    @usableFromInline var root: Node<Key, Value>?
    @usableFromInline var entryCount: Int

    /// An empty dictionary, which allocates nothing.
    @inlinable
    public init() { self.init(root: nil, count: 0) }

    @inlinable
    init(root: Node<Key, Value>?, count: Int) {
        self.root = root
        entryCount = count
    }

    /// The number of entries. O(1).
    @inlinable
    public var count: Int { entryCount }

    /// Whether there are no entries. O(1).
    @inlinable
    public var isEmpty: Bool { entryCount == 0 }

    /// Whether both are the same version: one is a copy of the other, and neither has changed since. O(1).
    ///
    /// Dictionaries that are identical are equal. Others can be equal too.
    @inlinable
    public func isIdentical(to other: TreeDictionary) -> Bool { root === other.root }
}

// Sound: a dictionary is a value, and its nodes are its representation. They are changed only through a dictionary that
// is being mutated, hence exclusively accessed, and only while that dictionary has the one reference to each node on
// the way; all others only read. So nodes behave as the values that they hold, which are Sendable, and references are
// counted atomically.
extension TreeDictionary: @unchecked Sendable where Key: Sendable, Value: Sendable {}
