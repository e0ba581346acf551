/// Why standard output did not take what was written.
enum OutputError: ExplainedError, Equatable {
    /// The reader has gone away, as `head` does when it has seen enough.
    case closed
    case failed(reason: String)

    var explanation: String {
        switch self {
        case .closed: "standard output was closed by its reader"
        case .failed(let reason): "cannot write to standard output: \(reason)"
        }
    }
}
