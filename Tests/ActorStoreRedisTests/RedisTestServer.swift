#if Redis
    import ActionLogConformance
    import ActorStorePersistence
    import Foundation
    import Synchronization

    @testable import ActorStoreRedis

    /// A separate Redis server for a test, with its data in a temporary folder.
    ///
    /// It is started by a shell that waits for the end of its standard input, and then kills the server and removes the
    /// folder: so the server ends with the test process in any case.
    final class RedisTestServer: Sendable {
        let directory: URL
        /// The port, if the server has one. Others are reached by a socket, so that tests do not compete for ports.
        let port: Int?
        private let arguments: [String]
        private let state = Mutex(State())

        fileprivate struct State {
            /// The shell, with its input and output.
            var shell: pid_t = -1
            var pipe: Int32 = -1
            var server: pid_t = -1
        }

        struct Failure: Error, CustomStringConvertible {
            let description: String
        }

        /// Settings with which no acknowledged entry is lost.
        static let durable = ["--appendonly", "yes", "--appendfsync", "always", "--aof-load-truncated", "no"]

        init(_ arguments: [String] = durable, hasPort: Bool = false) throws {
            self.arguments = arguments
            directory = FileManager.default.temporaryDirectory
                .appendingPathComponent("redis-\(UUID().uuidString.prefix(13))")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            port = hasPort ? try Self.freePort() : nil
            try start()
        }

        deinit {
            end("remove\n")
            // Of a server that was killed before.
            try? FileManager.default.removeItem(at: directory)
        }

        /// Reaches the server.
        var server: RedisServer { RedisServer(address, answerTimeout: .seconds(20)) }
        var socketServer: RedisServer { RedisServer(.socket(path: socketPath), answerTimeout: .seconds(20)) }

        private var address: RedisServer.Address {
            port.map { .host("127.0.0.1", port: $0) } ?? .socket(path: socketPath)
        }

        var socketPath: String { directory.appendingPathComponent("socket").path }

        /// A log on the server.
        func log(_ stream: String = "shop") -> RedisLog { RedisLog(server, stream: stream) }

        /// Makes the server execute a command, with any response.
        @discardableResult
        func perform(_ words: String...) throws -> RedisReply { try perform(words) }

        @discardableResult
        func perform(_ words: [String]) throws -> RedisReply {
            var command = RedisCommand()
            for word in words { command.append(word) }
            let reply = try RedisConnection(socketServer, for: "test").exchange(command)
            if case .error(let text) = reply { throw Failure(description: "\(words.prefix(2)): \(text)") }
            return reply
        }

        // MARK: Beginning and end

        func start() throws {
            let shell = """
                directory=$1; shift
                "$@" </dev/null >/dev/null 2>&1 &
                server=$!
                echo $server
                if ! read -r word; then word=remove; fi
                kill -KILL $server 2>/dev/null
                wait $server 2>/dev/null
                # A process that the server has started may write a last file.
                if [ "$word" = remove ]; then rm -rf "$directory" 2>/dev/null || { sleep 1; rm -rf "$directory"; }; fi
                """
            let words =
                ["/bin/sh", "-c", shell, "sh", directory.path, try Self.program()] + [
                    "--port", "\(port ?? 0)", "--bind", "127.0.0.1", "--unixsocket", socketPath, "--dir",
                    directory.path,
                    "--save", "", "--logfile", "server.log",
                ] + arguments
            try state.withLock { try $0.spawn(words) }
            let deadline = ContinuousClock.now + .seconds(30)
            while !answers {
                guard ContinuousClock.now < deadline else {
                    let log = try? String(contentsOf: directory.appendingPathComponent("server.log"), encoding: .utf8)
                    throw Failure(description: "The server does not start: \(log ?? "it has no log")")
                }
                usleep(5_000)
            }
        }

        private var answers: Bool {
            guard let reply = try? RedisConnection(socketServer, for: "test").exchange(RedisCommand("PING")) else {
                return false
            }
            if case .error(let text) = reply { return text.hasPrefix("NOAUTH") }
            return true
        }

        /// Kills the server like a crash.
        func kill() { end("keep\n") }

        private func end(_ word: String) {
            state.withLock { state in
                guard state.shell > 0 else { return }
                _ = Foundation.kill(state.server, SIGKILL)
                _ = send(state.pipe, word, word.utf8.count, Int32(MSG_NOSIGNAL))
                var status: Int32 = 0
                while waitpid(state.shell, &status, 0) < 0, errno == EINTR {}
                close(state.pipe)
                state = State()
            }
        }

        /// Suspends the server until ``resume()``.
        func suspend() { state.withLock { _ = Foundation.kill($0.server, SIGSTOP) } }

        func resume() { state.withLock { _ = Foundation.kill($0.server, SIGCONT) } }

        // MARK: Data

        private var appendOnlyFile: String {
            directory.appendingPathComponent("appendonlydir/appendonly.aof.1.incr.aof").path
        }

        /// The size of the file with the changes: a place to go back to.
        func mark() throws -> Int {
            let attributes = try FileManager.default.attributesOfItem(atPath: appendOnlyFile)
            guard let size = attributes[.size] as? Int else { throw Failure(description: "The file has no size.") }
            return size
        }

        /// Kills the server, and starts it without what was written after a mark.
        func lose(after mark: Int) throws {
            kill()
            guard truncate(appendOnlyFile, off_t(mark)) == 0 else { throw Failure(description: "truncate: \(errno)") }
            try start()
        }

        private static func program() throws -> String {
            let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":") + ["/usr/bin"]
            let paths = folders.map { "\($0)/redis-server" }
            guard let path = paths.first(where: { access($0, X_OK) == 0 }) else {
                throw Failure(description: "There is no redis-server. Install the Debian package redis-server.")
            }
            return path
        }

        private static func freePort() throws -> Int {
            guard let port = freeLoopbackPort() else { throw Failure(description: "There is no free port.") }
            return port
        }
    }

    extension RedisTestServer.State {
        /// Starts the shell, and reads the id of the server.
        fileprivate mutating func spawn(_ words: [String]) throws {
            var ends: [Int32] = [-1, -1]
            // Closed on exec, so that no other server keeps the pipe of this one open.
            guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
                throw RedisTestServer.Failure(description: "socketpair: \(errno)")
            }
            defer { close(ends[1]) }
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_adddup2(&actions, ends[1], 0)
            posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
            // Threads of tests may have all signals blocked; the shell needs the signal of the server's end.
            var attributes = posix_spawnattr_t()
            posix_spawnattr_init(&attributes)
            defer { posix_spawnattr_destroy(&attributes) }
            var none = sigset_t()
            sigemptyset(&none)
            posix_spawnattr_setsigmask(&attributes, &none)
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
            var arguments = words.map { strdup($0) } + [nil]
            defer { for argument in arguments { free(argument) } }
            let status = posix_spawn(&shell, words[0], &actions, &attributes, &arguments, environ)
            guard status == 0 else { throw RedisTestServer.Failure(description: "posix_spawn: \(status)") }
            pipe = ends[0]
            var text = ""
            var byte: UInt8 = 0
            while read(pipe, &byte, 1) == 1, byte != UInt8(ascii: "\n") { text.append(Character(UnicodeScalar(byte))) }
            guard let process = pid_t(text) else {
                throw RedisTestServer.Failure(description: "The shell says \(text).")
            }
            server = process
        }
    }

    // MARK: Shared functions

    func identity(_ origin: String, _ number: UInt64) -> ActionLogEntry.Identity {
        ActionLogEntry.Identity(origin: origin, number: number)
    }

    func point(_ position: UInt64, _ origin: String, _ number: UInt64) -> ActionLogPoint {
        ActionLogPoint(position: position, identity: identity(origin, number))
    }

    /// Entries of an origin, each with a number of bytes.
    func group(_ origin: String, _ numbers: ClosedRange<UInt64>, size: Int = 8) -> [ActionLogEntry] {
        numbers.map {
            ActionLogEntry(identity(origin, $0), header: "", payload: Data(repeating: UInt8($0 % 251), count: size))
        }
    }

    /// The code of the error thrown by a closure; nil without one, or for another error.
    func code(_ body: () throws -> Void) -> ActionLogError.Code? { failure(body)?.code }
#endif
