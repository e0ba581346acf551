/// The reason why a file could not be read at all.
enum InputFileError: ExplainedError, Equatable {
    case cannotOpen(path: String, reason: String)
    case cannotRead(path: String, reason: String)
    case isDirectory(path: String)
    case tooLarge(path: String)

    var explanation: String {
        switch self {
        case .cannotOpen(let path, let reason): "cannot open '\(path.printable(limit: 500))': \(reason)"
        case .cannotRead(let path, let reason): "cannot read '\(path.printable(limit: 500))': \(reason)"
        case .isDirectory(let path): "'\(path.printable(limit: 500))' is a directory; a CSV file is needed"
        case .tooLarge(let path): "'\(path.printable(limit: 500))' holds more than 1 GiB"
        }
    }
}
