/// Figures about a store at one moment, for diagnostics and metrics.
public struct StoreStatistics: Sendable, Equatable {
    /// Actions reduced so far; the same as the revision.
    public let reducedActions: UInt64
    /// Actions that wait in the mailbox. Those that the thread at work has taken out to reduce are not included.
    public let waitingActions: Int
    /// Dispatches that wait for room in the mailbox.
    public let suspendedDispatches: Int
    /// Actions that a full mailbox dropped, by the policies that drop: the new one with
    /// ``MailboxCapacity/OverflowPolicy/dropNewest``, and those that gave way to a new one with
    /// ``MailboxCapacity/OverflowPolicy/dropOldest``. Actions that a full mailbox refused, by
    /// ``MailboxCapacity/OverflowPolicy/reject`` or, if they were sent, by ``MailboxCapacity/OverflowPolicy/suspend``,
    /// are not included: their senders got ``StoreError/overloaded``.
    public let droppedActions: Int
    /// Actions that an interceptor did not let through, and those that waited for a first state that could not be
    /// loaded, or that a shutdown has given up.
    public let rejectedActions: Int
    /// Actions that came too late and were dropped for that: those that effects sent after they had ended or been
    /// cancelled, and those that a store had accepted and not reduced when it ended, by a shutdown, or with the entry
    /// of a table, or the optional part, that it belongs to. Not those that waited for a first state, which count as
    /// rejected.
    public let lateActions: Int
    /// Effects whose task has been started and has not ended.
    public let runningEffects: Int
    /// Errors that nobody made an action of: those that ``Store/errors`` was told.
    public let failures: Int
    /// Observations of all kinds, from their beginning until they are cancelled or released, or what they observe has
    /// ended; a sequence until its iterator is released.
    public let observers: Int
}
