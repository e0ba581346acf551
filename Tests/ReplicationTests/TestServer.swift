import ActionLogConformance
import Foundation
import Testing

@testable import ReplicationWorkload

/// A separate server for a test, with its data in a temporary folder, which survives kills. It ends with this process,
/// also in a crash.
actor TestServer {
    nonisolated let engine: Engine
    nonisolated let port: Int
    private let folder: String
    private let programs: String
    /// The environment of the server's own process: `NAME=value`.
    private let environment: [String]
    /// The port by which a standby reaches its primary; nil for a primary.
    private var primaryPort: Int?
    private var watchdog: ChildProcess?
    private var copies = 0

    /// Creates the data of a server.
    ///
    /// - Parameters:
    ///   - primaryPort: The port of the primary that it copies, if it is a standby.
    ///   - environment: The environment of its process.
    init(_ engine: Engine, standbyAt primaryPort: Int? = nil, environment: [String] = []) async throws {
        self.engine = engine
        self.primaryPort = primaryPort
        self.environment = environment
        port = try #require(freeLoopbackPort())
        folder =
            FileManager.default.temporaryDirectory.appendingPathComponent("server-\(UUID().uuidString.prefix(13))")
            .path
        programs = try Self.programs(of: engine)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        guard engine == .postgres else { return }
        if getuid() == 0 {
            try FileManager.default.setAttributes([.ownerAccountName: "postgres"], ofItemAtPath: folder)
        }
        if let primaryPort {
            let primary = "host=127.0.0.1 port=\(primaryPort) user=postgres application_name=standby"
            let words = ["-R", "-X", "stream", "-c", "fast", "--no-sync", "-d", primary]
            try await run(asServerUser + ["\(programs)/pg_basebackup", "-D", data] + words)
            return
        }
        let words = [
            "\(programs)/initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync",
        ]
        try await run(asServerUser + words)
    }

    private var data: String { folder + "/data" }

    /// The folder of a server's programs: on Debian, PostgreSQL's are not in the `PATH`.
    private static func programs(of engine: Engine) throws -> String {
        let root = "/usr/lib/postgresql"
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).compactMap { Int($0) }
        var folders = versions.sorted(by: >).map { "\(root)/\($0)/bin" } + ["/usr/bin"]
        folders += (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let program = engine == .redis ? "redis-server" : "initdb"
        let found = folders.first { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
        return try #require(found, "There is no \(program). Install the Debian packages redis-server and postgresql.")
    }

    /// PostgreSQL refuses root.
    private var asServerUser: [String] {
        engine == .postgres && getuid() == 0
            ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
    }

    /// Starts it. Replicas retry until it responds.
    func start() throws {
        let server =
            switch engine {
            case .redis:
                [
                    "\(programs)/redis-server", "--port", "\(port)", "--bind", "127.0.0.1", "--dir", folder, "--save",
                    "", "--logfile", "server.log", "--appendonly", "yes", "--appendfsync", "always",
                    "--maxmemory-policy", "noeviction", "--auto-aof-rewrite-percentage", "0",
                    "--aof-load-truncated", "no",
                    "--repl-diskless-sync-delay", "0",
                ] + (primaryPort.map { ["--replicaof", "127.0.0.1", "\($0)"] } ?? [])
            case .postgres:
                [
                    "\(programs)/postgres", "-D", data, "-c", "listen_addresses=127.0.0.1", "-c", "port=\(port)",
                    "-c", "unix_socket_directories=", "-c", "shared_buffers=16MB",
                ]
            }
        let program = environment.isEmpty ? server : ["/usr/bin/env"] + environment + server
        watchdog = try ChildProcess("/usr/bin/env", asServerUser + ["sh", "-c", Self.script, folder] + program)
    }

    /// Runs the server until a line arrives or the input ends, and then kills it with all its processes.
    private static let script = """
        folder=$0
        "$@" < /dev/null > /dev/null 2>> "$folder/errors" &
        server=$!
        read line
        # Stopped first, so that it starts no process that the list lacks: a new server waits for the end of all.
        kill -STOP $server 2> /dev/null
        processes=$(grep -ls "^PPid:[[:space:]]*$server\\$" /proc/[0-9]*/status | cut -d/ -f3)
        kill -KILL $server $processes 2> /dev/null
        wait $server 2> /dev/null
        for process in $processes; do
            while kill -0 $process 2> /dev/null; do sleep 0.01; done
        done
        [ "$line" = keep ] || rm -rf "$folder"
        """

    /// Kills all of its processes at once, like a crash.
    func kill() async throws {
        try watchdog?.tell("keep")
        try await watchdog?.waitForEnd()
        watchdog = nil
    }

    /// Ends it, and deletes its data.
    func end() async throws {
        try watchdog?.tell("remove")
        try await watchdog?.waitForEnd()
        watchdog = nil
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Breaks all connections; waits for a starting server.
    func cutConnections() async throws {
        switch engine {
        case .redis: try await command(["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"])
        case .postgres:
            try await command([
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'
                """
            ])
        }
    }

    /// Makes the server execute a command in its own language; waits for a starting one.
    @discardableResult
    func command(_ words: [String]) async throws -> String {
        let client =
            switch engine {
            case .redis: ["redis-cli", "-e", "-p", "\(port)"]
            case .postgres:
                ["\(programs)/psql", "-h", "127.0.0.1", "-p", "\(port)", "-U", "postgres", "-X", "-A", "-t", "-c"]
            }
        let end = ContinuousClock.now + .seconds(60)
        while true {
            do { return try await run(client + words) } catch  where ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    /// Waits until it responds.
    func waitUntilReady() async throws {
        try await command(engine == .redis ? ["PING"] : ["SELECT 1"])
    }

    // MARK: Losses

    /// A state that the server can go back to.
    struct Copy: Sendable {
        /// The time of the copy.
        let moment: UInt64
        /// Its data at that time; for Redis, the length of its append-only file.
        fileprivate let folder: String
        fileprivate let size: UInt64
    }

    /// Copies the server's data. PostgreSQL is killed for it, and started again.
    func copy() async throws -> Copy {
        let moment = now()
        guard engine == .postgres else { return Copy(moment: moment, folder: "", size: try appendOnlyFile().size) }
        try await kill()
        copies += 1
        let copy = Copy(moment: moment, folder: "\(folder)/copy\(copies)", size: 0)
        try await run(["cp", "-a", data, copy.folder])
        try start()
        return copy
    }

    /// Replaces the server's data by a copy; the server must not run.
    ///
    /// - Parameter rest: For Redis, the part of later data that is kept, as the last sync before a power loss may have
    ///   kept it: from 0 to 1.
    func restore(_ copy: Copy, keeping rest: Double = 0) async throws {
        guard engine == .redis else {
            try await run(["rm", "-rf", data])
            try await run(["mv", copy.folder, data])
            return
        }
        let (path, size) = try appendOnlyFile()
        let kept = copy.size + UInt64(Double(size - copy.size) * rest)
        try #require(truncate(path, off_t(kept)) == 0)
        // The server refuses to start with the beginning of a script's effects at the end of its file. This removes it.
        let manifest = folder + "/appendonlydir/appendonly.aof.manifest"
        try await run(["sh", "-c", "echo y | redis-check-aof --fix \"$0\"", manifest])
    }

    /// The append-only file of a Redis server.
    private func appendOnlyFile() throws -> (path: String, size: UInt64) {
        let directory = folder + "/appendonlydir"
        let names = try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.contains(".incr.") }
        let path = directory + "/" + (try #require(names.max { $0.count == $1.count ? $0 < $1 : $0.count < $1.count }))
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? UInt64
        return (path, try #require(size))
    }

    // MARK: Standbys

    /// Makes commits wait for a standby, from the next one on. Redis waits if the client requests it.
    func awaitStandby() async throws {
        guard engine == .postgres else { return }
        try await command(["ALTER SYSTEM SET synchronous_standby_names = 'standby'"])
        try await command(["SELECT pg_reload_conf()"])
    }

    /// Promotes a standby to primary.
    func promote() async throws {
        primaryPort = nil
        switch engine {
        case .redis: try await command(["REPLICAOF", "NO", "ONE"])
        case .postgres: try await command(["SELECT pg_promote()"])
        }
    }

    /// Waits until a standby has all current data of this server.
    func waitUntilCopied(by standby: TestServer) async throws {
        let end = ContinuousClock.now + .seconds(60)
        let own = try await progress()
        while try await standby.progress() < own {
            try #require(ContinuousClock.now < end, "The standby does not follow.")
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Waits until the server waits for its standby.
    func waitUntilStandbyIsAwaited() async throws {
        let end = ContinuousClock.now + .seconds(60)
        while true {
            switch engine {
            case .redis: if try await command(["INFO", "replication"]).contains("state=online") { return }
            case .postgres:
                if try await command(["SELECT sync_state FROM pg_stat_replication"]).contains("sync") { return }
            }
            try #require(ContinuousClock.now < end, "There is no standby.")
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// The number of bytes of its history.
    private func progress() async throws -> UInt64 {
        switch engine {
        case .redis:
            let name = primaryPort == nil ? "master_repl_offset:" : "slave_repl_offset:"
            let lines = try await command(["INFO", "replication"]).split(whereSeparator: \.isNewline)
            let line = lines.first { $0.hasPrefix(name) }
            return line.flatMap { UInt64($0.dropFirst(name.count)) } ?? 0
        case .postgres:
            let place = primaryPort == nil ? "pg_current_wal_flush_lsn()" : "pg_last_wal_receive_lsn()"
            let text = try await command(["SELECT coalesce(pg_wal_lsn_diff(\(place), '0/0'), 0)"])
            return UInt64(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
        }
    }

    /// Runs a program to its end.
    @discardableResult
    private func run(_ words: [String]) async throws -> String {
        let script = "\"$@\" > \"$0\" 2>&1 || { echo \"failed: $(cat \"$0\")\"; exit; }; cat \"$0\"; echo done"
        let output = FileManager.default.temporaryDirectory.appendingPathComponent("output-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: output) }
        let process = try ChildProcess("/usr/bin/env", ["sh", "-c", script, output] + words)
        try await process.waitForEnd()
        let lines = process.lines
        guard lines.last == "done" else { throw Failure(description: lines.joined(separator: "\n")) }
        return lines.dropLast().joined(separator: "\n")
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
