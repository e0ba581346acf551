/// How many actions a store lets wait, and what happens to one more.
///
/// An action waits only while the store is busy with others: an idle store reduces at once. Reads, subscriptions and
/// the ends of effects pass through the mailbox too, in order, but never count and are never dropped.
///
/// The thread that has the store's turn takes all waiting actions out of the mailbox at once, and reduces them one
/// after the other. Those that it has taken out no longer count, and are not dropped, so that up to `limit` of them can
/// be accepted and not yet reduced beside as many in the mailbox.
public struct MailboxCapacity: Sendable, Equatable {
    /// What happens to an action that finds the mailbox full.
    public struct OverflowPolicy: Sendable, Equatable {
        enum Kind: Sendable { case suspend, reject, dropNewest, dropOldest }
        let kind: Kind

        /// `dispatch` suspends until there is room, first come, first served; it throws ``StoreError/cancelled`` if its
        /// task is cancelled meanwhile. `send` cannot suspend: it is refused with ``StoreError/overloaded``,
        /// also in an effect, which can send with ``Send/waitingForRoom(_:isolation:)`` instead.
        public static let suspend = OverflowPolicy(kind: .suspend)
        /// `dispatch` throws ``StoreError/overloaded``, `send` is refused with it.
        public static let reject = OverflowPolicy(kind: .reject)
        /// The action that comes is dropped: `dispatch` throws ``StoreError/overloaded``, `send` returns
        /// ``SendOutcome/dropped``.
        public static let dropNewest = OverflowPolicy(kind: .dropNewest)
        /// The oldest action in the mailbox is dropped, and a `dispatch` that awaited it throws
        /// ``StoreError/overloaded``; the action that comes is accepted. So an action whose `send` returned
        /// ``SendOutcome/accepted`` can be dropped later, for which only ``StoreStatistics/droppedActions`` is a sign.
        public static let dropOldest = OverflowPolicy(kind: .dropOldest)
    }

    let limit: Int?
    let policy: OverflowPolicy

    /// Any number of actions may wait; memory is the limit.
    public static let unbounded = MailboxCapacity(limit: nil, policy: .reject)

    /// At most `limit` actions may wait in the mailbox.
    ///
    /// - Parameters:
    ///   - limit: The number of actions, at least 1. Less is a programmer error, and traps.
    ///   - policy: What happens to an action that finds the mailbox full.
    public static func bounded(_ limit: Int, whenFull policy: OverflowPolicy) -> MailboxCapacity {
        guard limit >= 1 else {
            fatalError("MailboxCapacity.bounded(\(limit), …) has no room for an action. Give a limit of at least 1.")
        }
        return MailboxCapacity(limit: limit, policy: policy)
    }
}
