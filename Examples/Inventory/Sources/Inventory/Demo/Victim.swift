/// The target of a kill.
enum Victim: Hashable, Sendable {
    case server
    case desk(String)
}

extension Victim: CustomStringConvertible {
    var description: String {
        switch self {
        case .server: "server"
        case .desk(let name): "desk \(name)"
        }
    }
}
