import ActorStorePersistence
import ActorStorePostgres
import ActorStoreRedis

/// The engines whose servers the tests kill.
enum Engine: String, Sendable {
    case redis, postgres

    /// The engines of the package's traits.
    static var available: [Engine] {
        var engines: [Engine] = []
        #if Redis
            engines.append(.redis)
        #endif
        #if Postgres
            engines.append(.postgres)
        #endif
        return engines
    }

    /// The log on a server of the loopback interface; nil without the trait of the engine.
    ///
    /// - Parameters:
    ///   - awaitsStandby: Whether an append waits for another server with a copy.
    ///   - timeout: The server's time for a response.
    func log(port: Int, awaitsStandby: Bool = false, timeout: Duration = .seconds(10)) -> (any ActionLog)? {
        switch self {
        case .redis:
            #if Redis
                return RedisLog(
                    RedisServer(.host("127.0.0.1", port: port), connectTimeout: timeout, answerTimeout: timeout),
                    stream: "tally",
                    acknowledgement: awaitsStandby ? .replicas(1, within: timeout) : .primary
                )
            #else
                return nil
            #endif
        case .postgres:
            #if Postgres
                let server = PostgresServer(
                    "host=127.0.0.1 port=\(port) user=postgres dbname=postgres",
                    acknowledgement: awaitsStandby ? .standby : .primary,
                    connectionTimeout: timeout,
                    statementTimeout: timeout
                )
                return PostgresLog(server, stream: "tally")
            #else
                return nil
            #endif
        }
    }
}
