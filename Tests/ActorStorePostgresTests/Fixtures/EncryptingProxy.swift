#if Postgres
    import ActionLogConformance
    import Foundation

    /// Admits clients by TLS to a server without TLS, and sends in the largest possible pieces of 16 KiB, unlike
    /// PostgreSQL 15. It serves one connection.
    final class EncryptingProxy: Sendable {
        let port: Int
        private let encryption: ChildProcess
        private let listener: Int32

        /// - Parameters:
        ///   - server: The port of the server.
        ///   - folder: A folder for the certificate.
        init(to server: Int, folder: String) throws {
            try ChildProcess.run(
                ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "3", "-subj", "/CN=localhost"]
                    + ["-keyout", folder + "/proxy.key", "-out", folder + "/proxy.pem"]
            )
            guard let port = freeLoopbackPort(), let inner = freeLoopbackPort(), let listener = Self.listen(on: port)
            else { throw FixtureFailure("There is no free port.") }
            (self.port, self.listener) = (port, listener)
            var ends: [Int32] = [-1, -1]
            let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue
            guard socketpair(AF_UNIX, Int32(kind), 0, &ends) == 0 else { throw FixtureFailure("No descriptors") }
            let (plain, other) = (ends[0], ends[1])
            defer { close(other) }
            let script = #"exec openssl s_server -quiet -naccept 1 -accept "$0" -key "$1" -cert "$2" >&0 2> /dev/null"#
            encryption = try ChildProcess(
                ["sh", "-c", script, "127.0.0.1:\(inner)", folder + "/proxy.key", folder + "/proxy.pem"],
                input: other
            )
            Thread {
                let client = acceptConnection(at: listener)
                // The client asks for TLS in plain text.
                var request = [UInt8](repeating: 0, count: 8)
                guard client >= 0, recv(client, &request, 8, Int32(MSG_WAITALL)) == 8, send(client, "S", 1, 0) == 1,
                    let encrypted = Self.connect(to: inner), let backend = Self.connect(to: server)
                else { return }
                Self.copy(from: client, to: encrypted)
                Self.copy(from: encrypted, to: client)
                Self.copy(from: plain, to: backend)
                Self.copy(from: backend, to: plain, gathers: true)
            }
            .start()
        }

        deinit {
            shutdown(listener, Int32(SHUT_RDWR))
            kill(encryption.id, SIGKILL)
            encryption.wait()
        }

        private static func address(_ port: Int) -> sockaddr_in {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            address.sin_port = in_port_t(port).bigEndian
            return address
        }

        private static func withSocket(
            _ port: Int,
            _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool
        ) -> Int32? {
            let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var isOn: Int32 = 1
            _ = setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
            var address = address(port)
            let isDone = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            if isDone { return number }
            close(number)
            return nil
        }

        private static func listen(on port: Int) -> Int32? {
            withSocket(port) { number, address, size in
                bind(number, address, size) == 0 && Foundation.listen(number, 1) == 0
            }
        }

        /// Connects, once the other program listens.
        private static func connect(to port: Int) -> Int32? {
            for _ in 0..<1_000 {
                if let number = withSocket(port, { Foundation.connect($0, $1, $2) == 0 }) { return number }
                usleep(10_000)
            }
            return nil
        }

        /// Copies bytes on a thread until one side ends.
        ///
        /// - Parameter gathers: Whether to wait until no more bytes follow.
        private static func copy(from source: Int32, to target: Int32, gathers: Bool = false) {
            Thread {
                var buffer = [UInt8](repeating: 0, count: 1 << 20)
                while true {
                    var count = recv(source, &buffer, buffer.count, 0)
                    guard count > 0 else { break }
                    var polled = pollfd(fd: source, events: Int16(POLLIN), revents: 0)
                    while gathers, count < buffer.count, poll(&polled, 1, 10) == 1 {
                        let more = buffer.withUnsafeMutableBytes { bytes in
                            bytes.baseAddress.map { recv(source, $0 + count, bytes.count - count, 0) } ?? 0
                        }
                        guard more > 0 else { break }
                        count += more
                    }
                    var sent = 0
                    while sent < count {
                        let more = buffer.withUnsafeBytes { bytes in
                            bytes.baseAddress.map { send(target, $0 + sent, count - sent, Int32(MSG_NOSIGNAL)) } ?? -1
                        }
                        guard more > 0 else { break }
                        sent += more
                    }
                }
                shutdown(source, Int32(SHUT_RDWR))
                shutdown(target, Int32(SHUT_RDWR))
            }
            .start()
        }
    }
#endif
