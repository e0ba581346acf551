import ActorStore

/// What an observation of a group has of one store.
@usableFromInline
final class StoreGroupMemberChanges<ID: Hashable & Sendable, Value: Equatable & Sendable>: PartFollower,
    @unchecked Sendable
{
    // Sound: all variables are touched only by `changes`, under its lock; everything else is constant.
    let id: ID
    /// By this the observer knows from which of several members of a key it has a value. That of a later store is
    /// greater.
    let number: UInt64
    @usableFromInline let changes: StoreGroupPendingChanges<ID, Value>
    /// What is new; nil if nothing is, or the store has gone.
    @exclusivity(unchecked) @usableFromInline var latest: Value?
    /// Its place among those that have something new, or the one that it had before the observer took these; less than
    /// 0 if it has nothing new.
    @exclusivity(unchecked) @usableFromInline var changedIndex: Int32 = -1
    /// Whether the observer has got a value of it.
    @exclusivity(unchecked) var isTold = false
    @exclusivity(unchecked) @usableFromInline var isGone = false
    /// Whether the observer's first version waits for it.
    @exclusivity(unchecked) @usableFromInline var isAwaited: Bool
    /// Whether it reports nothing more.
    @exclusivity(unchecked) var hasEnded = false

    init(id: ID, changes: StoreGroupPendingChanges<ID, Value>) {
        self.id = id
        self.changes = changes
        (number, isAwaited) = changes.add()
    }

    // Inlinable, and called by closures that are made where the types are known: it costs each action that is observed.

    @inlinable
    package func note(_ value: Value) -> (former: Value?, waiter: UnsafeContinuation<Void, Never>?) {
        changes.note(value, of: self)
    }

    @usableFromInline
    package func noteEnd() -> UnsafeContinuation<Void, Never>? { changes.end(self) }

    @usableFromInline
    package func noteDeparture() { changes.leave(self) }
}
