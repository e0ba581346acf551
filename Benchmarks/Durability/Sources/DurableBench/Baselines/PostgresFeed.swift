import CPostgres
import Foundation

/// Plain libpq: an `INSERT` and a `NOTIFY` with the position of the row in one transaction. Each listener reads the
/// rows of its notifications by a `SELECT`.
final class PostgresFeed: SignalFeed {
    private let connection: PlainPostgres
    private let table: String

    init(_ connectionString: String, table: String) throws {
        connection = try PlainPostgres(connectionString)
        self.table = table
    }

    func create() throws {
        try connection.execute("CREATE TABLE \(table) (position bigserial PRIMARY KEY, payload bytea NOT NULL)")
    }

    func beginPublishing() throws {
        try connection.execute(
            """
            PREPARE publication (bytea) AS
            WITH added AS (INSERT INTO \(table) (payload) VALUES ($1) RETURNING position)
            SELECT pg_notify('\(table)', position::text) FROM added
            """
        )
    }

    func publish(_ bytes: Data) throws { try connection.perform("publication", Array(bytes)) }

    func beginFollowing() throws {
        try connection.execute(
            "PREPARE reading (text) AS SELECT payload FROM \(table) WHERE position = ANY ($1::bigint[]) ORDER BY position"
        )
        try connection.execute("LISTEN \(table)")
    }

    func follow(_ body: (Data) throws -> Void) throws {
        while true {
            let positions = try connection.waitForNotifications()
            try connection.read("reading", "{\(positions.joined(separator: ","))}") { try body(Data($0)) }
        }
    }
}
