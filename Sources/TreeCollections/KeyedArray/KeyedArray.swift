/// An array whose elements are also found by their identity, each of which is in it once.
///
/// ```swift
/// var orders: KeyedArray = [Order(id: 7), Order(id: 3)]
/// orders[id: 3]?.isPaid = true
/// orders.append(Order(id: 9))
/// orders.map(\.id)  // 7, 3, 9
/// ```
///
/// It keeps the order of an `Array`, and finds an element by its identity in O(1), as a `Dictionary` does, which it
/// holds beside the elements. Inserting or removing one changes the positions of all behind it, in O(*n*); appending is
/// O(1).
///
/// It has the semantics of a value, and copies itself on write when another copy is kept, as an `Array` does: for large
/// tables of which versions are kept, ``TreeDictionary`` is better.
public struct KeyedArray<Element: Identifiable> {
    /// The elements in their order.
    @usableFromInline var storage: [Element]
    /// Where each element is; nil if there are none, and there never were.
    @usableFromInline var index: KeyedArrayIndex<Element.ID>?

    /// An empty array, which allocates nothing.
    @inlinable
    public init() { storage = [] }

    /// The elements of a sequence. Of those with the same identity the last one counts, at the place of the first.
    @inlinable
    public init(_ elements: some Sequence<Element>) {
        self.init()
        reserveCapacity(elements.underestimatedCount)
        for element in elements { updateOrAppend(element) }
    }

    /// The elements in their order, without copying them.
    @inlinable public var elements: [Element] { storage }

    /// Makes room for a number of elements.
    @inlinable
    public mutating func reserveCapacity(_ capacity: Int) {
        storage.reserveCapacity(capacity)
        if capacity > 0 { ownIndex().positions.reserveCapacity(capacity) }
    }

    /// Says that no element has been removed as long as it stays the same.
    public struct Lineage: Equatable, Sendable {
        @usableFromInline let stamp: UInt64

        @inlinable
        init(stamp: UInt64) { self.stamp = stamp }
    }

    /// What stays the same until an element is removed: while it does, every element of an earlier version of this
    /// array is still there. It can also change for other reasons: when a copy changes that shares its storage with
    /// another.
    ///
    /// Comparing it takes no time, and, unlike an older version to compare with, it does not make the next change copy
    /// the array.
    @inlinable public var lineage: Lineage { Lineage(stamp: index?.stamp ?? 0) }

    /// The identities of elements that have been removed since an earlier version of this array, and are not there now:
    /// of all that the earlier version had, and of those that came and went since, each once. Nil if they are not
    /// known, because too many have been removed, or the lineage has changed for other reasons. O(1).
    ///
    /// The array knows the last 16 elements that were removed one by one, and keeps the identities of up to 32.
    ///
    /// - Parameter older: That of the earlier version.
    @inlinable
    public func removedIDs(since older: Lineage) -> [Element.ID]? {
        guard let index else { return nil }
        if index.stamp == older.stamp { return [] }
        // Until it was removed from, this very index was that of the earlier version: a copy has a stamp of its own.
        guard let first = index.removed.firstIndex(where: { $0.stampBefore == older.stamp }) else { return nil }
        var ids: [Element.ID] = []
        for removal in index.removed[first...] where index.positions[removal.id] == nil && !ids.contains(removal.id) {
            ids.append(removal.id)
        }
        return ids
    }
}

extension KeyedArray {
    /// The identities of the elements that an array had at one moment.
    public struct Members {
        @usableFromInline let index: KeyedArrayIndex<Element.ID>?

        @inlinable
        init(index: KeyedArrayIndex<Element.ID>?) { self.index = index }

        /// Whether there was an element with an identity. O(1).
        @inlinable
        public func contains(_ id: Element.ID) -> Bool { index?.positions[id] != nil }
    }

    /// The identities of the elements. Keeping them does not keep the elements, nor does it make a change of an element
    /// copy anything; but the next change of the identities copies those.
    @inlinable public var members: Members { Members(index: index) }
}

// Sound: an array is a value, and its index is part of its representation: it is changed only through an array that is
// being mutated, hence exclusively accessed, and only while that array has the one reference to it; all others only
// read.
extension KeyedArray: @unchecked Sendable where Element: Sendable, Element.ID: Sendable {}
extension KeyedArray.Members: @unchecked Sendable where Element.ID: Sendable {}

extension KeyedArray: ExpressibleByArrayLiteral {
    /// The elements of a literal; see ``init(_:)``.
    @inlinable
    public init(arrayLiteral elements: Element...) { self.init(elements) }
}
