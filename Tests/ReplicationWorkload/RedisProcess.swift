#if Replication
    import ActorStoreReplication
    import Foundation

    /// A Redis server of one's own, on a free port of the loopback interface, with its data in a directory that goes
    /// with it.
    final class RedisProcess: @unchecked Sendable {
        // Sound: `process` is used only by whoever has made it, who does one thing at a time with it.
        let port: Int
        private let directory: URL
        private let durability: String
        private var process: Process?

        /// Starts one.
        ///
        /// - Parameter durability: When commands are on disk: `always` before they are answered, `everysec` later.
        init(appendfsync durability: String = "always") throws {
            self.durability = durability
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
            process.arguments = [
                "--port", "\(port)", "--bind", "127.0.0.1", "--dir", directory.path, "--save", "", "--appendonly",
                "yes",
                "--appendfsync", durability, "--logfile", "server.log", "--unixsocket", socket.path,
            ]
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            self.process = process
            while !answers {
                guard process.isRunning else { throw Failure(reason: "The server has ended by itself.") }
                usleep(2_000)
            }
        }

        /// Whether it takes commands: it does not while it reads its file.
        private var answers: Bool {
            let descriptor = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = Self.address(port: port)
            let isConnected = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            let ping = Array("PING\r\n".utf8)
            guard isConnected, send(descriptor, ping, ping.count, Int32(MSG_NOSIGNAL)) == ping.count else {
                return false
            }
            var answer = [UInt8](repeating: 0, count: 5)
            return read(descriptor, &answer, answer.count) == answer.count && answer == Array("+PONG".utf8)
        }

        struct Failure: Error {
            let reason: String
        }

        /// Ends it as a crash does.
        func kill() {
            guard let process, process.isRunning else { return }
            Foundation.kill(process.processIdentifier, SIGKILL)
            // Not `waitUntilExit`: that waits until a descriptor is closed, which a process has, too, that is started
            // at the same moment. The process is left to be collected by Foundation.
            var end = siginfo_t()
            while waitid(P_PID, id_t(process.processIdentifier), &end, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        }

        /// Has it forget everything, as if its disk had been lost.
        func loseData() throws {
            kill()
            try FileManager.default.removeItem(at: directory)
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try start()
        }

        /// A port that nobody listens on at this moment. It is below those that the system takes for outgoing
        /// connections: one of them could take it while the server is away, even one that tries to reach it.
        private static func freePort() throws -> Int {
            for _ in 0..<1_000 {
                let port = Int.random(in: 10_000..<30_000)
                let descriptor = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
                defer { close(descriptor) }
                var address = address(port: port)
                let isFree = withUnsafePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                    }
                }
                if isFree { return port }
            }
            throw Failure(reason: "There is no free port.")
        }

        private static func address(port: Int) -> sockaddr_in {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            address.sin_port = UInt16(port).bigEndian
            return address
        }
    }
#endif
