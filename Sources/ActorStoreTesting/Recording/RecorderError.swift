/// Why a ``Recorder`` has no further value.
public enum RecorderError: Error, Sendable, Equatable {
    /// None has come within the time allowed.
    case timedOut
    /// What is recorded has ended.
    case ended
    /// The waiting task was cancelled.
    case cancelled
}

extension RecorderError: CustomStringConvertible {
    /// Says why there is no further value.
    public var description: String {
        switch self {
        case .timedOut: "No further value has come within the time allowed."
        case .ended: "What is recorded has ended, so that no further value will come."
        case .cancelled: "The task was cancelled while it waited."
        }
    }
}
