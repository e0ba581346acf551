/// Why a wait for an action, or for a state, has ended without it.
public enum WaitError: Error, Sendable, Equatable {
    /// The time that was allowed is over.
    case timedOut
    /// The waiting task was cancelled.
    case cancelled
    /// The store has ended: what was waited for will never come.
    case storeEnded
}

extension WaitError: CustomStringConvertible {
    /// Says why the wait has ended.
    public var description: String {
        switch self {
        case .timedOut: "What was waited for did not come within the time allowed."
        case .cancelled: "The task was cancelled while it waited."
        case .storeEnded: "The store has ended, so that what was waited for will never come."
        }
    }
}
