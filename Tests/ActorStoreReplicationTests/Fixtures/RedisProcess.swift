#if Replication
    @testable import ActorStoreReplication
    import Foundation

    /// A Redis server of a test's own, on a free port of the loopback interface, with its data in a directory that goes
    /// with it.
    final class RedisProcess: @unchecked Sendable {
        // Sound: `process` is used only by the test that owns it, which does one thing at a time with it.
        let port: Int
        private let directory: URL
        private var process: Process?

        init() throws {
            directory = FileManager.default.temporaryDirectory.appendingPathComponent("redis-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            port = try Self.freePort()
            try start()
        }

        deinit {
            kill()
            try? FileManager.default.removeItem(at: directory)
        }

        var server: RedisServer { RedisServer(address: .host("127.0.0.1", port: port), timeout: .seconds(5)) }

        private var socket: URL { directory.appendingPathComponent("socket") }
        private var hiddenSocket: URL { directory.appendingPathComponent("hidden") }

        /// The same server by another way, which can be closed.
        var socketServer: RedisServer { RedisServer(address: .socket(path: socket.path)) }

        func hideSocket() throws { try FileManager.default.moveItem(at: socket, to: hiddenSocket) }
        func showSocket() throws { try FileManager.default.moveItem(at: hiddenSocket, to: socket) }

        /// Starts it, and waits until it answers.
        func start() throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/redis-server")
            // Every command is on disk before it is answered.
            process.arguments = [
                "--port", "\(port)", "--bind", "127.0.0.1", "--dir", directory.path, "--save", "", "--appendonly",
                "yes",
                "--appendfsync", "always", "--logfile", "server.log", "--unixsocket", socket.path,
            ]
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            self.process = process
            while true {
                if let connection = try? RedisConnection(server), (try? connection.perform(RedisCommand("PING"))) != nil
                {
                    return
                }
                guard process.isRunning else { throw RedisFailure.connection("The server has ended by itself.") }
                usleep(5_000)
            }
        }

        /// Ends it as a crash does.
        func kill() {
            guard let process, process.isRunning else { return }
            Foundation.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }

        /// Has it forget everything, as if its disk had been lost.
        func loseData() throws {
            kill()
            try FileManager.default.removeItem(at: directory)
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try start()
        }

        /// Carries out a command as somebody else.
        @discardableResult
        func perform(_ name: String, _ words: String...) throws -> RedisReply {
            try RedisConnection(server).perform(RedisCommand(name, words))
        }

        /// Breaks all connections off.
        func cutConnections() throws { try perform("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes") }

        func streamLength(_ stream: String) throws -> Int { Int(try perform("XLEN", stream).number ?? 0) }

        /// A port that nobody listens on at this moment.
        private static func freePort() throws -> Int {
            let descriptor = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(descriptor, address, size) == 0 && getsockname(descriptor, address, &size) == 0
                }
            }
            guard result else { throw RedisFailure.connection("There is no free port.") }
            return Int(UInt16(bigEndian: address.sin_port))
        }
    }
#endif
