import ActorStore

/// The state of one store in an observation of a group.
@usableFromInline
final class StoreGroupMemberChanges<ID: Hashable & Sendable, Value: Equatable & Sendable>: PartFollower,
    @unchecked Sendable
{
    // Sound: all variables are accessed only by `changes`, under its lock; everything else is constant.
    let id: ID
    /// Distinguishes the members of one key. The number of a later store is greater.
    let number: UInt64
    @usableFromInline let changes: StoreGroupPendingChanges<ID, Value>
    /// The pending value; nil if there is no new value, or the store is gone.
    @exclusivity(unchecked) @usableFromInline var latest: Value?
    /// Its position among the members with a pending value, or its former one if the observer has taken these; less
    /// than 0 if it has no pending value.
    @exclusivity(unchecked) @usableFromInline var changedIndex: Int32 = -1
    /// Whether the observer has received a value of it.
    @exclusivity(unchecked) var isTold = false
    @exclusivity(unchecked) @usableFromInline var isGone = false
    /// Whether the observer's first version waits for it.
    @exclusivity(unchecked) @usableFromInline var isAwaited: Bool
    /// Whether it reports no more values.
    @exclusivity(unchecked) var hasEnded = false

    init(id: ID, changes: StoreGroupPendingChanges<ID, Value>) {
        self.id = id
        self.changes = changes
        (number, isAwaited) = changes.add()
    }

    // Inlinable, and called by closures that are created where the types are known: this is part of the cost of each
    // observed action.

    @inlinable
    package func note(_ value: Value) -> (former: Value?, waiter: UnsafeContinuation<Void, Never>?) {
        changes.note(value, of: self)
    }

    @usableFromInline
    package func noteEnd() -> UnsafeContinuation<Void, Never>? { changes.end(self) }

    @usableFromInline
    package func noteDeparture() { changes.leave(self) }
}
