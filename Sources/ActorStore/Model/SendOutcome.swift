/// What became of a sent action.
public enum SendOutcome: Sendable, Equatable {
    /// The action was reduced, or waits its turn and will be, with these exceptions. An interceptor can stop it, or the
    /// loading of the first state can fail: ``StoreStatistics/rejectedActions`` counts both. In a mailbox with
    /// ``MailboxCapacity/OverflowPolicy/dropOldest``, newer actions can displace it as long as it waits:
    /// ``StoreStatistics/droppedActions`` counts that. A shutdown can end the store before its turn comes, and so can
    /// an action before it that takes the entry away to which a child belongs: ``StoreStatistics/lateActions`` counts
    /// that.
    case accepted
    /// The mailbox was full, and the action that had waited longest was dropped. This one waits its turn, like one that
    /// is ``accepted``, and can be dropped for a newer one. ``StoreStatistics/droppedActions`` counts each that is
    /// dropped.
    case acceptedDroppingOldest
    /// The action will not be reduced: the mailbox was full and its policy is to drop what comes, or the effect, the
    /// side effect or the rule that sent it was cancelled or has ended, or nobody presents the child that asked for its
    /// dismissal.
    case dropped
    /// The action was not accepted, for the reason given.
    case refused(StoreError)

    /// Whether the action was reduced, or waits its turn; ``accepted`` says what can keep an action that waits from
    /// being reduced.
    public var isAccepted: Bool {
        switch self {
        case .accepted, .acceptedDroppingOldest: true
        case .dropped, .refused: false
        }
    }
}
