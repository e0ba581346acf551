import ActorStorePersistence
import ActorStorePostgres
import ActorStoreRedis

/// The server of the stock's log, which the replicas of all desks share.
enum Engine: String, CaseIterable, Sendable {
    case redis, postgres

    /// The log of a server on the loopback interface.
    ///
    /// - Parameter port: The port of the server.
    func log(port: Int) -> any ActionLog {
        switch self {
        case .redis:
            RedisLog(RedisServer(.host("127.0.0.1", port: port)), stream: "stock")
        case .postgres:
            PostgresLog(PostgresServer("host=127.0.0.1 port=\(port) user=postgres dbname=postgres"), stream: "stock")
        }
    }
}

extension Engine: CustomStringConvertible {
    var description: String {
        switch self {
        case .redis: "Redis"
        case .postgres: "PostgreSQL"
        }
    }
}
