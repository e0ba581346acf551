import TreeCollections

/// A table of a state whose entries have a reducer: `TreeDictionary`, `KeyedArray`, `Dictionary`, an `Array` of
/// elements with identities, and a stack. See `forEach`.
///
/// What it costs to see which entries a parent has removed depends on the table:
/// - a `KeyedArray` and a stack tell at once, and only removals have them look. They know which entries have gone if
///   those are a few: 16 that were removed one by one, or 64 that a stack has lost at once. After a removal of more, or
///   of one while another copy is kept, a change of the same table that comes in the same action, or in a later one of
///   the same batch, copies the identities or, of a stack, the children;
/// - a `TreeDictionary` is kept for the time that the parent's reducer runs, so that each change which that makes
///   copies a few nodes;
/// - a `Dictionary` and an `Array` are kept too, so that the first change which the parent's reducer makes copies all
///   of it, in O(*n*). Changes that the entries' own reducer makes do not.
///
/// With ``ChildEffects/outliveChild`` nobody looks, and nothing is kept, except for a stack, whose children can be
/// dismissed.
public protocol ReducibleTable<EntryID, Entry>: SendableMetatype {
    /// What an entry is found by.
    associatedtype EntryID: Hashable
    /// An entry.
    associatedtype Entry
    /// Which entries there are, as far as the table needs it to tell later which have gone.
    associatedtype Version
    /// Which entries there are, for a table that only tells that some have gone.
    associatedtype Members: TableMembers<EntryID>

    /// Changes an entry in place, and returns what `body` does; nil if there is no such entry. The entry must keep its
    /// identity.
    mutating func modifyEntry<Result>(_ id: EntryID, _ body: (inout Entry) -> Result) -> Result?

    /// Which entries there are.
    var entryVersion: Version { get }

    /// Which of the entries that there were are there no longer.
    func removals(since version: Version) -> RemovedEntries<EntryID, Members>
}

/// Which entries have gone from a ``ReducibleTable``.
public enum RemovedEntries<EntryID, Members> {
    /// None.
    case none
    /// These.
    case these([EntryID])
    /// Whichever there were, except these.
    case allExcept(Members)
}

/// Some entries of a table.
public protocol TableMembers<EntryID>: SendableMetatype {
    /// What an entry is found by.
    associatedtype EntryID

    /// Whether an entry is among them.
    func contains(_ id: EntryID) -> Bool
}

extension Set: TableMembers {}

extension TreeDictionary: ReducibleTable {
    /// Changes the value of a key in place. O(log *n*).
    @inlinable
    public mutating func modifyEntry<Result>(_ key: Key, _ body: (inout Value) -> Result) -> Result? {
        modifyValue(forKey: key, body)
    }

    /// The dictionary, which shares its nodes with later versions.
    @inlinable public var entryVersion: TreeDictionary { self }

    /// The keys that have been removed, in time proportional to the number of changes.
    @inlinable
    public func removals(since older: TreeDictionary) -> RemovedEntries<Key, Set<Key>> {
        if isIdentical(to: older) { return .none }
        var removed: [Key] = []
        forEachRemovedKey(since: older) { removed.append($0) }
        return removed.isEmpty ? .none : .these(removed)
    }
}

extension Dictionary: ReducibleTable {
    /// Changes the value of a key in place. O(1).
    @inlinable
    public mutating func modifyEntry<Result>(_ key: Key, _ body: (inout Value) -> Result) -> Result? {
        guard let index = index(forKey: key) else { return nil }
        return body(&values[index])
    }

    /// The dictionary.
    @inlinable public var entryVersion: Dictionary { self }

    /// The keys that have been removed. O(1) if nothing has changed, otherwise O(*n*).
    @inlinable
    public func removals(since older: Dictionary) -> RemovedEntries<Key, Set<Key>> {
        // Compared at once if both are the same storage.
        if keys == older.keys { return .none }
        let removed = older.keys.filter { index(forKey: $0) == nil }
        return removed.isEmpty ? .none : .these(removed)
    }
}

extension Array: ReducibleTable where Element: Identifiable {
    /// Changes an element in place. It is searched for, in O(*n*). Traps if the element does not keep its identity.
    @inlinable
    public mutating func modifyEntry<Result>(_ id: Element.ID, _ body: (inout Element) -> Result) -> Result? {
        guard let position = firstIndex(where: { $0.id == id }) else { return nil }
        defer {
            if self[position].id != id {
                fatalError(
                    """
                    An element of an array changed its identity from \(ValueDescription(of: id)) to \
                    \(ValueDescription(of: self[position].id)) while its action was reduced. Remove the element in the \
                    parent's reducer, and insert one with the new identity.
                    """
                )
            }
        }
        return body(&self[position])
    }

    /// The array.
    @inlinable public var entryVersion: [Element] { self }

    /// The identities of the elements that have been removed. O(1) if nothing has changed, otherwise O(*n*).
    @inlinable
    public func removals(since older: [Element]) -> RemovedEntries<Element.ID, Set<Element.ID>> {
        if isSameStorage(as: older) { return .none }
        let present = Set(lazy.map(\.id))
        let removed = older.lazy.map(\.id).filter { !present.contains($0) }
        return removed.isEmpty ? .none : .these(Array<Element.ID>(removed))
    }

    @inlinable
    func isSameStorage(as other: [Element]) -> Bool {
        guard count == other.count else { return false }
        return withUnsafeBufferPointer { elements in
            // Only compared: both arrays hold their storage meanwhile, so that the same address is the same storage.
            other.withUnsafeBufferPointer { $0.baseAddress == elements.baseAddress }
        }
    }
}

extension KeyedArray.Members: TableMembers {}

extension KeyedArray: ReducibleTable {
    /// Changes an element in place. O(1).
    @inlinable
    public mutating func modifyEntry<Result>(_ id: Element.ID, _ body: (inout Element) -> Result) -> Result? {
        modify(id: id, body)
    }

    /// What changes when an element goes; nil if there are none.
    @inlinable public var entryVersion: Lineage? { isEmpty ? nil : lineage }

    /// The identities of the elements that have been removed, if these are a few; otherwise all that are not there.
    @inlinable
    public func removals(since version: Lineage?) -> RemovedEntries<Element.ID, Members> {
        guard let version, version != lineage else { return .none }
        if let removed = removedIDs(since: version) { return removed.isEmpty ? .none : .these(removed) }
        // Keeping them makes the next change of the identities copy them, in O(n) like the removal itself.
        return .allExcept(members)
    }
}

extension TreeDictionary: ReadableTable {
    func entry(_ id: Key, _ search: inout ChildSearch) -> Value? { self[id] }
}

extension Dictionary: ReadableTable {
    func entry(_ id: Key, _ search: inout ChildSearch) -> Value? { self[id] }
}

extension Array: ReadableTable where Element: Identifiable {
    func entry(_ id: Element.ID, _ search: inout ChildSearch) -> Element? { search.element(id, of: self) }
}

extension KeyedArray: ReadableTable {
    func entry(_ id: Element.ID, _ search: inout ChildSearch) -> Element? { self[id: id] }
}
