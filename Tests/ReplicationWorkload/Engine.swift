import ActorStorePersistence
import ActorStorePostgres
import ActorStoreRedis

/// The engines whose servers the tests kill.
enum Engine: String, Sendable {
    case redis, postgres

    /// Those of the traits that the package is built with.
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
    func log(port: Int) -> (any ActionLog)? {
        switch self {
        case .redis:
            #if Redis
                return RedisLog(RedisServer(.host("127.0.0.1", port: port)), stream: "tally")
            #else
                return nil
            #endif
        case .postgres:
            #if Postgres
                let server = PostgresServer("host=127.0.0.1 port=\(port) user=postgres dbname=postgres")
                return PostgresLog(server, stream: "tally")
            #else
                return nil
            #endif
        }
    }
}
