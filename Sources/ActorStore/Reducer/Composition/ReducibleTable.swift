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
    associatedtype Roster
    /// Which entries there are, for a table that only tells that some have gone.
    associatedtype Members: TableMembers<EntryID>

    /// Changes an entry in place, and returns what `body` does; nil if there is no such entry. The entry must keep its
    /// identity.
    mutating func modifyEntry<Result>(_ id: EntryID, _ body: (inout Entry) -> Result) -> Result?

    /// Which entries there are.
    var entryRoster: Roster { get }

    /// Which of the entries that there were are there no longer.
    func departures(since roster: Roster) -> Departures<EntryID, Members>
}

/// Which entries have gone from a ``ReducibleTable``.
public enum Departures<EntryID, Members> {
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
