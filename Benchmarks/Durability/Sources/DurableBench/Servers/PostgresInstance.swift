import ActorStorePostgres
import Foundation

/// A PostgreSQL server for benchmarks, with the default settings where they matter here.
final class PostgresInstance: Sendable {
    /// A server with the syncs of the disk, and one with slow syncs.
    private static let onDisk = Result { try PostgresInstance(.disk) }
    private static let slow = Result { try PostgresInstance(.slow) }

    /// A server for all benchmarks with that sync time.
    static func shared(_ syncTime: SyncTime) throws -> PostgresInstance {
        switch syncTime {
        case .disk: try onDisk.get()
        case .slow: try slow.get()
        }
    }

    private let process: ServerProcess
    let connectionString: String

    private init(_ syncTime: SyncTime) throws {
        let programs = try Self.programs()
        // PostgreSQL refuses root.
        let isRoot = getuid() == 0
        let user = isRoot ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
        let folder = try Folder(ownedBy: isRoot ? "postgres" : nil)
        let data = folder.path + "/data"
        try ChildProcess.run(
            user + [
                programs + "/initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale",
                "--no-sync",
            ]
        )
        let port = try ServerProcess.freePort()
        let settings = [
            "listen_addresses=127.0.0.1", "port=\(port)", "unix_socket_directories=\(folder.path)", "fsync=on",
            "synchronous_commit=on", "shared_buffers=128MB", "logging_collector=off",
            "min_wal_size=\(16 * (Self.segments + 2))MB",
        ]
        process = try ServerProcess(
            [programs + "/postgres", "-D", data] + settings.flatMap { ["-c", $0] },
            as: user,
            in: folder,
            syncTime
        )
        connectionString = "host=127.0.0.1 port=\(port) user=postgres dbname=postgres"
        let connection = try process.waitUntilReady { try PlainPostgres(connectionString) }
        for _ in 0..<Self.segments {
            try connection.execute("SELECT pg_logical_emit_message(true, '', ''), pg_switch_wal()")
        }
        try connection.execute("CHECKPOINT")
    }

    /// The number of files of the write-ahead log that exist before a benchmark, as in a server that has run for long
    /// and uses its files again. A commit that has to create one waits for 30 ms.
    private static let segments = 20

    func log(_ stream: String) -> PostgresLog { Self.log(stream, connectionString) }

    /// A log in a server started by another process.
    static func log(_ stream: String, _ connectionString: String) -> PostgresLog {
        PostgresLog(PostgresServer(connectionString, statementTimeout: .seconds(60)), stream: stream)
    }

    private static func programs() throws -> String {
        let root = "/usr/lib/postgresql"
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? [])
            .sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }
        guard let version = versions.first else {
            throw SetUpError("There is no PostgreSQL server on this machine. On Debian: apt-get install postgresql")
        }
        return "\(root)/\(version)/bin"
    }
}
