/// What became of a sent action.
public enum SendOutcome: Sendable, Equatable {
    /// The action was reduced, or waits its turn and will be, unless an interceptor stops it; see
    /// ``StoreStatistics/rejectedActions``.
    case accepted
    /// The action waits its turn and will be reduced; the mailbox was full, and the action that had waited longest was
    /// dropped for it.
    case acceptedDroppingOldest
    /// The mailbox was full and its policy is to drop what comes: the action will not be reduced.
    case dropped
    /// The action was not accepted, for the reason given.
    case refused(StoreError)

    /// Whether the action was or will be reduced.
    public var isAccepted: Bool {
        switch self {
        case .accepted, .acceptedDroppingOldest: true
        case .dropped, .refused: false
        }
    }
}
