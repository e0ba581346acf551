/// Why a wait for an action, or for a state, has ended without it.
public enum WaitError: Error, Sendable, Equatable {
    /// The time that was allowed is over.
    case timedOut
    /// The waiting task was cancelled.
    case cancelled
    /// The store has ended: what was waited for will never come.
    case storeEnded
    /// The store's first state could not be loaded: what was waited for will never come. Only a wait for a store that
    /// loads its first state throws this.
    case notReady
}

extension WaitError: CustomStringConvertible {
    /// Says why the wait has ended.
    public var description: String {
        switch self {
        case .timedOut: "What was waited for did not come within the time allowed."
        case .cancelled: "The task was cancelled while it waited."
        case .storeEnded: "The store has ended, so that what was waited for will never come."
        case .notReady:
            "The store's first state could not be loaded, so that what was waited for will never come; its errors say why."
        }
    }
}
