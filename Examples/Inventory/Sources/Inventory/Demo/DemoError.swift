/// The reason why a demo could not finish.
enum DemoError: Error, CustomStringConvertible {
    case noServerProgram(Engine)
    case noPort
    case serverFailed(log: String)
    case serverEnded
    case deskEnded(String)
    case unreadable(desk: String, line: String)
    case tookTooLong
    case interrupted

    var description: String {
        switch self {
        case .noServerProgram(.redis):
            "there is no redis-server; install it, on Debian with: apt-get install redis-server"
        case .noServerProgram(.postgres):
            "there is no PostgreSQL server; install it, on Debian with: apt-get install postgresql"
        case .noPort: "no port of the loopback interface is free"
        case .serverFailed(let log): "the data of the server cannot be created: \(log)"
        case .serverEnded: "the server has ended by itself"
        case .deskEnded(let name): "desk \(name) has ended by itself"
        case .unreadable(let desk, let line): "desk \(desk) said what no desk says: '\(line)'"
        case .tookTooLong: "the demo takes far longer than it should; something does not answer"
        case .interrupted: "interrupted"
        }
    }
}
