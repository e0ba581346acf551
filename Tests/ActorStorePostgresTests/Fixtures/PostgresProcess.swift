#if Postgres
    import ActionLogConformance
    import ActorStorePostgres
    import Foundation
    import Synchronization

    /// A separate PostgreSQL server, on a free port of the loopback interface, with its files in a folder that is
    /// deleted with it. It ends with this process, also in a crash.
    final class PostgresProcess: Sendable {
        let port: Int
        /// Has the data, the socket and the server's log.
        let folder: String
        private let settings: [String: String]
        private let watchdog = Mutex<Watchdog?>(nil)

        var data: String { folder + "/data" }

        /// One for all tests that only use it. It need not survive a power loss.
        static let shared = Result {
            try PostgresProcess(["fsync": "off", "max_connections": "200", "synchronous_commit": "off"])
        }

        /// Starts a server.
        ///
        /// - Parameters:
        ///   - settings: Settings of the server's configuration.
        ///   - access: Lines of pg_hba.conf before those that admit all users of this machine.
        ///   - primary: The server of which it is a standby.
        ///   - name: The name of the standby.
        init(
            _ settings: [String: String] = [:],
            access: String = "",
            standbyOf primary: PostgresProcess? = nil,
            name: String = "standby",
            prepare: (PostgresProcess) throws -> Void = { _ in }
        ) throws {
            port = try Self.freePort()
            folder = try Self.makeFolder()
            self.settings = settings
            if let primary {
                try Self.run(
                    "pg_basebackup",
                    "-D",
                    data,
                    "-R",
                    "-X",
                    "stream",
                    "-c",
                    "fast",
                    "--no-sync",
                    "-d",
                    primary.connectionString + " application_name=\(name)"
                )
            } else {
                try Self.run("cp", "-a", Self.template.get() + "/data", data)
                if !access.isEmpty {
                    let file = data + "/pg_hba.conf"
                    let lines = try String(contentsOfFile: file, encoding: .utf8)
                    try Self.write(access + "\n" + lines, to: file)
                }
            }
            try prepare(self)
            try start()
        }

        deinit {
            watchdog.withLock { $0 }?.end("remove")
            // Of a server that was killed before.
            try? FileManager.default.removeItem(atPath: folder)
        }

        /// The connection of an administrator.
        var connectionString: String { "host=127.0.0.1 port=\(port) user=postgres dbname=postgres" }

        func server(
            _ acknowledgement: PostgresServer.Acknowledgement = .primary,
            statementTimeout: Duration = .seconds(30),
            allowsLoss: Bool = false
        ) -> PostgresServer {
            PostgresServer(
                connectionString,
                acknowledgement: acknowledgement,
                statementTimeout: statementTimeout,
                allowsLoss: allowsLoss
            )
        }

        func log(_ stream: String) -> PostgresLog { PostgresLog(server(), stream: stream) }

        // MARK: Life

        /// Starts it, and waits until it responds.
        func start() throws {
            var options: [String] = []
            let defaults = [
                "listen_addresses": "127.0.0.1", "port": "\(port)", "unix_socket_directories": folder,
                "shared_buffers": "16MB", "fsync": "on", "logging_collector": "off", "wal_level": "replica",
            ]
            for (name, value) in defaults.merging(settings, uniquingKeysWith: { $1 }) {
                options += ["-c", "\(name)=\(value)"]
            }
            let program = try Self.programs.get() + "/postgres"
            let watchdog = try Watchdog(
                Self.script,
                [folder, program, "-D", data] + options,
                as: Self.asServerUser,
                output: folder + "/log"
            )
            self.watchdog.withLock { $0 = watchdog }
            let end = ContinuousClock.now + .seconds(60)
            while true {
                do {
                    _ = try Administrator(connectionString)
                    return
                } catch {
                    guard ContinuousClock.now < end else {
                        throw FixtureFailure("The server does not start: \(error)\n\(said)")
                    }
                    usleep(20_000)
                }
            }
        }

        /// Runs the server until a line arrives or the input ends, and then kills it with all its processes.
        private static let script = """
            folder=$0
            "$@" < /dev/null &
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
            # What it shares of its memory outlives it, and is named in the seventh line of this file.
            ipcrm -m "$(sed -n '7s/.* //p' "$folder/data/postmaster.pid" 2> /dev/null)" 2> /dev/null
            [ "$line" = keep ] || rm -rf "$folder"
            """

        /// Its output.
        private var said: String { (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? "" }

        /// Kills all of its processes at once, like a crash.
        func kill() { watchdog.withLock { $0 }?.end("keep") }

        // MARK: Programs

        /// Runs a program as a user that a server accepts: it refuses root.
        static var asServerUser: [String] {
            getuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
        }

        /// Runs a program as that user; those of PostgreSQL by their name.
        static func run(_ program: String, _ arguments: String...) throws {
            let own = try programs.get() + "/" + program
            let path = FileManager.default.isExecutableFile(atPath: own) ? own : program
            try ChildProcess.run(asServerUser + [path] + arguments)
        }

        /// Writes a file that belongs to that user.
        static func write(_ text: String, to file: String) throws {
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            try own(file, 0o600)
        }

        private static func own(_ path: String, _ mode: Int) throws {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            if getuid() == 0 { try ChildProcess.run(["chown", "postgres:", path]) }
        }

        private static let programs = Result {
            let root = "/usr/lib/postgresql"
            let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? [])
                .sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }
            var folders = versions.map { "\(root)/\($0)/bin" }
            if let folder = try? ChildProcess.run(["pg_config", "--bindir"]) {
                folders.append(folder.trimmingCharacters(in: .whitespacesAndNewlines))
            }
            let isThere = { (folder: String) in FileManager.default.isExecutableFile(atPath: folder + "/initdb") }
            guard let folder = folders.first(where: isThere) else {
                throw FixtureFailure(
                    "There is no PostgreSQL server on this machine. On Debian: apt-get install postgresql"
                )
            }
            return folder
        }

        /// A folder with the data of a server that has never run.
        private static let template = Result {
            let folder = try makeFolder()
            templateWatchdog.withLock { watchdog in
                watchdog = try? Watchdog("read line; rm -rf \"$0\"", [folder])
            }
            try run(
                "initdb",
                "-D",
                folder + "/data",
                "-U",
                "postgres",
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--no-locale",
                "--no-sync"
            )
            return folder
        }
        private static let templateWatchdog = Mutex<Watchdog?>(nil)

        private static func makeFolder() throws -> String {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
                "pg-\(UUID().uuidString.prefix(13))"
            ).path
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try own(folder, 0o700)
            return folder
        }

        private static func freePort() throws -> Int {
            guard let port = freeLoopbackPort() else { throw FixtureFailure("There is no free port.") }
            return port
        }
    }
#endif
