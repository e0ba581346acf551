import ActionLogConformance
import Foundation
import Testing

@testable import ReplicationWorkload

/// A server of a test's own, with its data in a temporary folder, which survives kills. It ends with this process, also if
/// that crashes.
actor TestServer {
    nonisolated let engine: Engine
    nonisolated let port: Int
    private let folder: String
    private let programs: String
    private var watchdog: ChildProcess?

    init(_ engine: Engine) async throws {
        self.engine = engine
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
        let words = [
            "\(programs)/initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync",
        ]
        try await run(asServerUser + words)
    }

    private var data: String { folder + "/data" }

    /// Where the programs of a server are: on Debian, PostgreSQL's are not in the `PATH`.
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

    /// Starts it. Replicas try again until it answers.
    func start() throws {
        let server =
            switch engine {
            case .redis:
                [
                    "\(programs)/redis-server", "--port", "\(port)", "--bind", "127.0.0.1", "--dir", folder, "--save",
                    "", "--logfile", "server.log", "--appendonly", "yes", "--appendfsync", "always",
                    "--maxmemory-policy", "noeviction",
                ]
            case .postgres:
                [
                    "\(programs)/postgres", "-D", data, "-c", "listen_addresses=127.0.0.1", "-c", "port=\(port)",
                    "-c", "unix_socket_directories=",
                ]
            }
        watchdog = try ChildProcess("/usr/bin/env", asServerUser + ["sh", "-c", Self.script, folder] + server)
    }

    /// Runs the server until a line comes or the input ends, and then kills it with all its processes.
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

    /// Ends all of its processes at once, as a crash does.
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

    /// Breaks all connections off; waits for a server that is starting.
    func cutConnections() async throws {
        let words =
            switch engine {
            case .redis: ["redis-cli", "-e", "-p", "\(port)", "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"]
            case .postgres:
                [
                    "\(programs)/psql", "-h", "127.0.0.1", "-p", "\(port)", "-U", "postgres", "-c",
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'
                    """,
                ]
            }
        let end = ContinuousClock.now + .seconds(60)
        while true {
            do { return try await run(words) } catch  where ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    /// Runs a program to its end.
    private func run(_ words: [String]) async throws {
        let script = "\"$@\" > \"$0\" 2>&1 || { echo \"failed: $(cat \"$0\")\"; exit; }; echo done"
        let output = FileManager.default.temporaryDirectory.appendingPathComponent("output-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: output) }
        let process = try ChildProcess("/usr/bin/env", ["sh", "-c", script, output] + words)
        try await process.waitForEnd()
        guard process.lines.last == "done" else { throw Failure(description: process.lines.joined(separator: "\n")) }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
