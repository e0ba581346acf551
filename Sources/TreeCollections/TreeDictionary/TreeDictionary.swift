/// A persistent dictionary, whose copies share their common parts.
///
/// It has the interface and the value semantics of `Dictionary`. It differs if a copy is retained while another one
/// changes: `Dictionary` then copies everything, a tree dictionary only the few nodes on the path to the changed entry,
/// O(log *n*). Two versions can then be compared in time proportional to what differs between them; see
/// ``difference(from:)``. Without another copy, changes are made in place.
///
/// ```swift
/// var prices: TreeDictionary = ["apple": 3, "pear": 4]
/// let before = prices
/// prices["pear"] = 5
/// prices.difference(from: before).updated  // pear: from 4 to 5
/// ```
///
/// A lookup takes longer than that of `Dictionary`, because it visits a node on each of about log₃₂ *n* levels. All
/// complexities assume a good `hash(into:)`; keys with the same hash are searched one by one.
///
/// It is a hash trie in the form that Steindorfer and Vinju call CHAMP ("Optimizing Hash-Array Mapped Tries for Fast
/// and Lean Immutable JVM Collections", OOPSLA 2015). The order of iteration is unspecified and differs between runs of
/// a program; dictionaries with the same keys have the same order, except for keys whose hashes are equal.
public struct TreeDictionary<Key: Hashable, Value> {
    /// A key with its value.
    public typealias Element = (key: Key, value: Value)

    /// The root of the tree; nil if the dictionary is empty.
    @usableFromInline var root: Node<Key, Value>?
    @usableFromInline var entryCount: Int

    /// Creates an empty dictionary, without an allocation.
    @inlinable
    public init() { self.init(root: nil, count: 0) }

    @inlinable
    init(root: Node<Key, Value>?, count: Int) {
        self.root = root
        entryCount = count
    }

    /// The number of entries.
    ///
    /// - Complexity: O(1)
    @inlinable
    public var count: Int { entryCount }

    /// Whether the dictionary is empty.
    ///
    /// - Complexity: O(1)
    @inlinable
    public var isEmpty: Bool { entryCount == 0 }

    /// Returns whether both are the same version: one is a copy of the other, and neither has changed since.
    ///
    /// Identical dictionaries are equal. Other dictionaries can be equal, too.
    ///
    /// - Returns: Whether both are the same version.
    /// - Complexity: O(1)
    @inlinable
    public func isIdentical(to other: TreeDictionary) -> Bool { root === other.root }
}

// Sound: a dictionary is a value, and its nodes are its representation. They are changed only through a dictionary that
// is being mutated, hence accessed exclusively, and only while that dictionary has the only reference to each node on
// the path; all other accesses only read. So nodes behave like the values that they hold, which are Sendable, and
// references are counted atomically.
extension TreeDictionary: @unchecked Sendable where Key: Sendable, Value: Sendable {}
