/// The reason why standard output did not accept the output.
enum OutputError: ExplainedError, Equatable {
    /// The reader has gone away, like `head` after its last line.
    case closed
    case failed(reason: String)

    var explanation: String {
        switch self {
        case .closed: "standard output was closed by its reader"
        case .failed(let reason): "cannot write to standard output: \(reason)"
        }
    }
}
