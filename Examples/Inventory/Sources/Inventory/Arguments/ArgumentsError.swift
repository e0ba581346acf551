/// The reason why the command line is invalid.
enum ArgumentsError: Error, Equatable, CustomStringConvertible {
    case unknown(String)
    case missing(String)
    case invalid(String, String)

    var description: String {
        switch self {
        case .unknown(let argument): "unknown argument '\(argument)'"
        case .missing(let name): "\(name) is missing"
        case .invalid(let name, let text): "\(name) must not be '\(text)'"
        }
    }
}
