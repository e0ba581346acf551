import ActorStorePersistence
import ActorStorePostgres
import CPostgres
import Foundation

/// Streams in a database.
struct PostgresEngine: DurableEngine {
    let instance: PostgresInstance

    init(_ syncTime: SyncTime) throws { instance = try PostgresInstance.shared(syncTime) }

    func makeLog() -> any ActionLog { instance.log(UUID().uuidString) }

    /// Makes the server use the files of its write-ahead log again, and create none for a while.
    func settle() throws { try checkpoint() }

    func checkpoint() throws { try PlainPostgres(instance.connectionString).execute("CHECKPOINT") }
}

/// Plain libpq. A group of rows is a pipeline, which is one transaction.
final class PlainPostgres: PlainInserts, @unchecked Sendable {
    // Sound: a benchmark has one producer, so that one thread at a time uses the connection.
    private let connection: OpaquePointer
    private var engine: PostgresEngine?

    init(_ connectionString: String) throws {
        guard let connection = PQconnectdb(connectionString) else { throw SetUpError("libpq has no memory.") }
        self.connection = connection
        guard PQstatus(connection) == CONNECTION_OK else { throw error }
    }

    convenience init(on engine: PostgresEngine) throws {
        try self.init(engine.instance.connectionString)
        self.engine = engine
        let table = "plain_\(UInt64.random(in: .min ... .max))"
        try execute("CREATE TABLE \(table) (position bigserial PRIMARY KEY, payload bytea NOT NULL)")
        try execute("PREPARE insertion (bytea) AS INSERT INTO \(table) (payload) VALUES ($1)")
        try execute("PREPARE reading AS SELECT payload FROM \(table) ORDER BY position")
    }

    deinit { PQfinish(connection) }

    func execute(_ text: String) throws { try check(PQexec(connection, text)) }

    /// Makes the server execute a prepared statement with one parameter.
    func perform(_ statement: String, _ bytes: [UInt8]) throws {
        try withParameter(bytes) { values, lengths, formats in
            try check(PQexecPrepared(connection, statement, 1, values, lengths, formats, 1))
        }
    }

    /// Reads the first column of the results of a prepared statement with a text parameter.
    func read(_ statement: String, _ text: String, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let result = text.withCString { text in
            var value: UnsafePointer<CChar>? = text
            return PQexecPrepared(connection, statement, 1, &value, nil, nil, 1)
        }
        guard PQresultStatus(result) == PGRES_TUPLES_OK else { return try check(result) }
        defer { PQclear(result) }
        for row in 0..<PQntuples(result) {
            let count = Int(PQgetlength(result, row, 0))
            try body(UnsafeRawBufferPointer(start: PQgetvalue(result, row, 0), count: count))
        }
    }

    /// Waits for notifications, and returns their payloads.
    func waitForNotifications() throws -> [String] {
        while true {
            var texts: [String] = []
            while let notification = PQnotifies(connection) {
                texts.append(String(cString: notification.pointee.extra))
                PQfreemem(notification)
            }
            if !texts.isEmpty { return texts }
            var descriptor = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
            guard poll(&descriptor, 1, -1) >= 0 || errno == EINTR, PQconsumeInput(connection) == 1 else { throw error }
        }
    }

    func insert(_ count: Int, atOnce: Int) throws {
        var left = count
        while left > 0 {
            let group = min(left, atOnce)
            if group > 1 { try insertByPipeline(group) } else { try perform("insertion", Booking.bytes) }
            left -= group
        }
    }

    private func insertByPipeline(_ count: Int) throws {
        guard PQenterPipelineMode(connection) == 1 else { throw error }
        try withParameter(Booking.bytes) { values, lengths, formats in
            for _ in 0..<count {
                guard PQsendQueryPrepared(connection, "insertion", 1, values, lengths, formats, 1) == 1 else {
                    throw error
                }
            }
        }
        guard PQpipelineSync(connection) == 1 else { throw error }
        for _ in 0..<count {
            try check(PQgetResult(connection))
            // The end of the results of one command.
            PQclear(PQgetResult(connection))
        }
        try check(PQgetResult(connection))
        guard PQexitPipelineMode(connection) == 1 else { throw error }
    }

    /// Passes one binary parameter in the form of libpq.
    private func withParameter(
        _ bytes: [UInt8],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int32>, UnsafePointer<Int32>) throws -> Void
    ) throws {
        try bytes.withUnsafeBytes { bytes in
            var value: UnsafePointer<CChar>? = bytes.bindMemory(to: CChar.self).baseAddress
            var length = Int32(bytes.count)
            var format: Int32 = 1
            try body(&value, &length, &format)
        }
    }

    func readAll(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard PQsendQueryPrepared(connection, "reading", 0, nil, nil, nil, 1) == 1,
            PQsetSingleRowMode(connection) == 1
        else { throw error }
        while let row = PQgetResult(connection) {
            defer { PQclear(row) }
            guard PQresultStatus(row) == PGRES_SINGLE_TUPLE else { continue }
            try body(UnsafeRawBufferPointer(start: PQgetvalue(row, 0, 0), count: Int(PQgetlength(row, 0, 0))))
        }
    }

    private func check(_ result: OpaquePointer?) throws {
        defer { PQclear(result) }
        guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_PIPELINE_SYNC].contains(PQresultStatus(result)) else {
            throw error
        }
    }

    private var error: SetUpError { SetUpError("libpq says: \(String(cString: PQerrorMessage(connection)))") }
}
