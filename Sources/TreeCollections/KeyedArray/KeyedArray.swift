/// An array of unique elements that are also found by their identity.
///
/// ```swift
/// var orders: KeyedArray = [Order(id: 7), Order(id: 3)]
/// orders[id: 3]?.isPaid = true
/// orders.append(Order(id: 9))
/// orders.map(\.id)  // 7, 3, 9
/// ```
///
/// It has the order of an `Array`, and finds an element by its identity in O(1) with a `Dictionary` of positions.
/// Inserting or removing an element changes the positions of all elements after it, in O(*n*); appending is O(1).
///
/// It has value semantics and is copied on write, like an `Array`. For large tables of which you keep versions, use
/// ``TreeDictionary``.
public struct KeyedArray<Element: Identifiable> {
    /// The elements in their order.
    @usableFromInline var storage: [Element]
    /// The position of each element; nil if the array is empty, and always was.
    @usableFromInline var index: KeyedArrayIndex<Element.ID>?

    /// Creates an empty array, without an allocation.
    @inlinable
    public init() { storage = [] }

    /// Creates an array of the elements of a sequence. Among elements with the same identity, the last one is kept, at
    /// the position of the first.
    ///
    /// - Complexity: O(*n*)
    @inlinable
    public init(_ elements: some Sequence<Element>) {
        self.init()
        reserveCapacity(elements.underestimatedCount)
        for element in elements { updateOrAppend(element) }
    }

    /// The elements in their order. They are not copied.
    @inlinable public var elements: [Element] { storage }

    /// Reserves memory for a number of elements.
    ///
    /// - Complexity: O(*n*)
    @inlinable
    public mutating func reserveCapacity(_ capacity: Int) {
        storage.reserveCapacity(capacity)
        if capacity > 0 { ownIndex().positions.reserveCapacity(capacity) }
    }

    /// A value that stays the same while no element is removed.
    public struct Lineage: Equatable, Sendable {
        @usableFromInline let stamp: UInt64

        @inlinable
        init(stamp: UInt64) { self.stamp = stamp }
    }

    /// A value that changes when an element is removed: while it is the same, every element of an earlier version of
    /// this array is still in it. It can also change for another reason: when a copy changes that shares its storage
    /// with another.
    ///
    /// Comparing it is O(1). Unlike retaining an older version for the comparison, it does not make the next change
    /// copy the array.
    @inlinable public var lineage: Lineage { Lineage(stamp: index?.stamp ?? 0) }

    /// Returns the identities of elements that were removed since an earlier version of this array, and are not in it
    /// now, each once: those of the earlier version, and those that were added and removed since.
    ///
    /// The array records the last 16 elements that were removed one by one, and retains the identities of up to 32.
    ///
    /// - Parameter older: The lineage of the earlier version.
    /// - Returns: The identities; nil if they are not known, because too many were removed, or the lineage has changed
    ///   for another reason.
    /// - Complexity: O(1)
    @inlinable
    public func removedIDs(since older: Lineage) -> [Element.ID]? {
        guard let index else { return nil }
        if index.stamp == older.stamp { return [] }
        // Before the removal, this index was that of the earlier version: a copy has a stamp of its own.
        guard let first = index.removed.firstIndex(where: { $0.stampBefore == older.stamp }) else { return nil }
        var ids: [Element.ID] = []
        for removal in index.removed[first...] where index.positions[removal.id] == nil && !ids.contains(removal.id) {
            ids.append(removal.id)
        }
        return ids
    }
}

extension KeyedArray {
    /// The identities of the elements of an array at one moment.
    public struct Members {
        @usableFromInline let index: KeyedArrayIndex<Element.ID>?

        @inlinable
        init(index: KeyedArrayIndex<Element.ID>?) { self.index = index }

        /// Returns whether the array had an element with an identity.
        ///
        /// - Returns: Whether the array had the element.
        /// - Complexity: O(1)
        @inlinable
        public func contains(_ id: Element.ID) -> Bool { index?.positions[id] != nil }
    }

    /// The identities of the elements. Retaining them does not retain the elements, and does not make a change of an
    /// element copy anything. The next change of the identities copies these.
    @inlinable public var members: Members { Members(index: index) }
}

// Sound: an array is a value, and its index is part of its representation. The index is changed only through an array
// that is being mutated, hence accessed exclusively, and only while that array has the only reference to it; all other
// accesses only read.
extension KeyedArray: @unchecked Sendable where Element: Sendable, Element.ID: Sendable {}
extension KeyedArray.Members: @unchecked Sendable where Element.ID: Sendable {}

extension KeyedArray: ExpressibleByArrayLiteral {
    /// Creates an array of the elements of a literal. Among elements with the same identity, the last one is kept, at
    /// the position of the first.
    ///
    /// - Complexity: O(*n*)
    @inlinable
    public init(arrayLiteral elements: Element...) { self.init(elements) }
}
