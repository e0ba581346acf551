/// A snapshot of a store's counters, for diagnostics and metrics.
public struct StoreStatistics: Sendable, Equatable {
    /// The number of actions reduced so far; equal to the revision.
    public let reducedActions: UInt64
    /// The number of actions in the mailbox that count towards its capacity, see ``MailboxCapacity``, without those
    /// that the reducing thread has already taken out.
    public let waitingActions: Int
    /// The number of dispatches that wait for room in the mailbox.
    public let suspendedDispatches: Int
    /// The number of actions that a full mailbox dropped: new actions with
    /// ``MailboxCapacity/OverflowPolicy/dropNewest``, and displaced ones with
    /// ``MailboxCapacity/OverflowPolicy/dropOldest``. Actions that a full mailbox refused, by
    /// ``MailboxCapacity/OverflowPolicy/reject`` or, if they were sent, by ``MailboxCapacity/OverflowPolicy/suspend``,
    /// are not included: their senders received ``StoreError/overloaded``.
    public let droppedActions: Int
    /// The number of actions that an interceptor rejected, and of actions that waited for a first state that could not
    /// be loaded or whose loading a shutdown abandoned.
    public let rejectedActions: Int
    /// The number of actions that were dropped because they came too late: actions that effects sent after they had
    /// ended or were cancelled, and accepted actions that were not reduced before their store ended, by a shutdown or
    /// with its entry of a table or its optional part. Actions that waited for a first state are not included; they
    /// count as rejected.
    public let lateActions: Int
    /// The number of effects whose task has started and has not ended.
    public let runningEffects: Int
    /// The number of unhandled errors, as published by ``Store/errors``.
    public let failures: Int
    /// The number of observations of all kinds. An observation counts until it is cancelled or released, or its subject
    /// has ended; a sequence counts until its iterator is released.
    public let observers: Int
}
