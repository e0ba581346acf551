import TreeCollections

/// A table of a state whose entries have a reducer: `TreeDictionary`, `KeyedArray`, `Dictionary`, an `Array` of
/// identifiable elements, and a stack. See `forEach`.
///
/// The cost of detecting which entries a parent has removed depends on the table:
/// - A `KeyedArray` and a stack report whether there were removals, and are examined only then. They list the removed
///   entries if there are only a few: 16 that were removed one by one, or 64 that a stack has lost at once. After more
///   removals, or after one while another copy is retained, the next change of the same table in the same action, or in
///   a later action of the same batch, copies the identities or, for a stack, the children.
/// - A `TreeDictionary` is retained while the parent's reducer runs, so each change by that reducer copies a few nodes.
/// - A `Dictionary` and an `Array` are retained, too, so the first change by the parent's reducer copies the whole
///   table, in O(*n*). Changes by the entries' own reducer do not.
///
/// With ``ChildEffects/outliveChild`` removals are not detected, and nothing is retained, except for a stack, whose
/// children can be dismissed.
public protocol ReducibleTable<EntryID, Entry>: SendableMetatype {
    /// The identity of an entry.
    associatedtype EntryID: Hashable
    /// The type of the entries.
    associatedtype Entry
    /// A version of the table, with the information that is needed to find removed entries later.
    associatedtype Version
    /// The set of present entries, for a table that reports only that entries were removed.
    associatedtype Members: TableMembers<EntryID>

    /// Changes an entry in place. The entry must keep its identity.
    ///
    /// - Parameters:
    ///   - id: The identity of the entry.
    ///   - body: A closure that changes the entry.
    /// - Returns: The result of `body`; nil if there is no such entry.
    mutating func modifyEntry<Result>(_ id: EntryID, _ body: (inout Entry) -> Result) -> Result?

    /// The current version of the table.
    var entryVersion: Version { get }

    /// Returns the entries that have been removed since an earlier version.
    ///
    /// - Parameter version: The earlier version.
    /// - Returns: The removed entries.
    func removals(since version: Version) -> RemovedEntries<EntryID, Members>
}

/// The entries that have been removed from a ``ReducibleTable``.
public enum RemovedEntries<EntryID, Members> {
    /// No entries were removed.
    case none
    /// These entries were removed.
    case these([EntryID])
    /// All earlier entries were removed, except these.
    case allExcept(Members)
}

/// A set of entries of a table.
public protocol TableMembers<EntryID>: SendableMetatype {
    /// The identity of an entry.
    associatedtype EntryID

    /// Returns whether the set contains an entry.
    ///
    /// - Parameter id: The identity of the entry.
    /// - Returns: Whether the set contains it.
    func contains(_ id: EntryID) -> Bool
}

extension Set: TableMembers {}

extension TreeDictionary: ReducibleTable {
    /// Changes the value of a key in place.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - body: A closure that changes the value.
    /// - Returns: The result of `body`; nil if the dictionary does not contain the key.
    /// - Complexity: O(log *n*).
    @inlinable
    public mutating func modifyEntry<Result>(_ key: Key, _ body: (inout Value) -> Result) -> Result? {
        modifyValue(forKey: key, body)
    }

    /// The dictionary, which shares its nodes with later versions.
    @inlinable public var entryVersion: TreeDictionary { self }

    /// Returns the keys that have been removed since an earlier version.
    ///
    /// - Parameter older: The earlier version.
    /// - Returns: The removed keys.
    /// - Complexity: O(*m*), where *m* is the number of changes.
    @inlinable
    public func removals(since older: TreeDictionary) -> RemovedEntries<Key, Set<Key>> {
        if isIdentical(to: older) { return .none }
        var removed: [Key] = []
        forEachRemovedKey(since: older) { removed.append($0) }
        return removed.isEmpty ? .none : .these(removed)
    }
}

extension Dictionary: ReducibleTable {
    /// Changes the value of a key in place.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - body: A closure that changes the value.
    /// - Returns: The result of `body`; nil if the dictionary does not contain the key.
    /// - Complexity: O(1).
    @inlinable
    public mutating func modifyEntry<Result>(_ key: Key, _ body: (inout Value) -> Result) -> Result? {
        guard let index = index(forKey: key) else { return nil }
        return body(&values[index])
    }

    /// The dictionary.
    @inlinable public var entryVersion: Dictionary { self }

    /// Returns the keys that have been removed since an earlier version.
    ///
    /// - Parameter older: The earlier version.
    /// - Returns: The removed keys.
    /// - Complexity: O(1) if nothing has changed, otherwise O(*n*).
    @inlinable
    public func removals(since older: Dictionary) -> RemovedEntries<Key, Set<Key>> {
        // Returns immediately if both have the same storage.
        if keys == older.keys { return .none }
        let removed = older.keys.filter { index(forKey: $0) == nil }
        return removed.isEmpty ? .none : .these(removed)
    }
}

extension Array: ReducibleTable where Element: Identifiable {
    /// Changes an element in place. Traps if the element does not keep its identity.
    ///
    /// - Parameters:
    ///   - id: The identity of the element.
    ///   - body: A closure that changes the element.
    /// - Returns: The result of `body`; nil if there is no such element.
    /// - Complexity: O(*n*), because the element is searched for.
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

    /// Returns the identities of the elements that have been removed since an earlier version.
    ///
    /// - Parameter older: The earlier version.
    /// - Returns: The removed identities.
    /// - Complexity: O(1) if nothing has changed, otherwise O(*n*).
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
            // Only compared: both arrays retain their storage during the comparison, so equal addresses mean the same
            // storage.
            other.withUnsafeBufferPointer { $0.baseAddress == elements.baseAddress }
        }
    }
}

extension KeyedArray.Members: TableMembers {}

extension KeyedArray: ReducibleTable {
    /// Changes an element in place.
    ///
    /// - Parameters:
    ///   - id: The identity of the element.
    ///   - body: A closure that changes the element.
    /// - Returns: The result of `body`; nil if there is no such element.
    /// - Complexity: O(1).
    @inlinable
    public mutating func modifyEntry<Result>(_ id: Element.ID, _ body: (inout Element) -> Result) -> Result? {
        modify(id: id, body)
    }

    /// A value that changes when an element is removed; nil for an empty array.
    @inlinable public var entryVersion: Lineage? { isEmpty ? nil : lineage }

    /// Returns the identities of the elements that have been removed since an earlier version: those identities if
    /// there are only a few, and otherwise the set of the present ones.
    ///
    /// - Parameter version: The earlier version.
    /// - Returns: The removed identities.
    @inlinable
    public func removals(since version: Lineage?) -> RemovedEntries<Element.ID, Members> {
        guard let version, version != lineage else { return .none }
        if let removed = removedIDs(since: version) { return removed.isEmpty ? .none : .these(removed) }
        // Retaining the members makes the next change of the identities copy them, in O(n) like the removal itself.
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
