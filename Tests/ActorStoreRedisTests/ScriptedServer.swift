#if Redis
    import ActionLogConformance
    import Foundation
    import Synchronization

    @testable import ActorStoreRedis

    /// A server with scripted responses, for those that an installed server does not give.
    final class ScriptedServer: Sendable {
        let path: String
        private let listener: OwnedDescriptor
        private let received = Received()

        private final class Received: Sendable {
            let commands = Mutex<[[String]]>([])
        }

        /// Returns the bytes of the response to a command; nil closes the connection.
        typealias Answers = @Sendable (_ command: [String]) -> String?

        init(_ answers: @escaping Answers) throws {
            path = FileManager.default.temporaryDirectory.appendingPathComponent("s-\(UUID().uuidString)").path
            let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            listener = OwnedDescriptor(socket(AF_UNIX, type, 0))
            let address = try RedisServer.Address.socket(path: path).resolve(until: .now)[0]
            let status = address.bytes.withUnsafeBytes { bytes in
                bytes.baseAddress.map {
                    bind(listener.number, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
                } ?? -1
            }
            guard status == 0, listen(listener.number, 8) == 0 else {
                throw RedisTestServer.Failure(description: "The socket cannot be made: \(errno)")
            }
            Thread { [listener, received] in
                while true {
                    let number = acceptConnection(at: listener.number)
                    guard number >= 0 else { return }
                    let connection = OwnedDescriptor(number)
                    Thread {
                        try? Self.serve(connection) { command in
                            received.commands.withLock { $0.append(command) }
                            return answers(command)
                        }
                    }
                    .start()
                }
            }
            .start()
        }

        deinit {
            // Ends the thread that waits for connections.
            shutdown(listener.number, Int32(SHUT_RDWR))
            unlink(path)
        }

        /// The commands so far.
        var commands: [[String]] { received.commands.withLock { $0 } }

        private static func serve(_ connection: OwnedDescriptor, _ answers: Answers) throws {
            let parser = try RedisReplyParser()
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                while let command = try parser.next()?.elements {
                    guard let answer = answers(command.map { $0.string ?? "" }) else { return }
                    _ = send(connection.number, answer, answer.utf8.count, Int32(MSG_NOSIGNAL))
                }
                let count = recv(connection.number, &buffer, buffer.count, 0)
                guard count > 0 else { return }
                try buffer.withUnsafeBytes { try parser.feed(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            }
        }

        /// The responses of a durable server of a version to the initial commands; nil for other commands.
        static func beginning(_ command: [String], version: String, identity: UUID) -> String? {
            func bulk(_ text: String) -> String { "$\(text.utf8.count)\r\n\(text)\r\n" }
            switch command.first {
            case "INFO":
                return bulk("redis_version:\(version)\r\nrole:master\r\naof_enabled:1\r\naof_last_write_status:ok\r\n")
            case "CONFIG":
                let values = [
                    "appendonly": "yes", "appendfsync": "always", "aof-load-truncated": "no",
                    "maxmemory-policy": "noeviction",
                ]
                guard let value = values[command[2]] else { return "*0\r\n" }
                return "*2\r\n" + bulk(command[2]) + bulk(value)
            // A script is identified by its length here.
            case "SCRIPT": return bulk("\(command[2].utf8.count)")
            case "EVALSHA" where command[1] == "\(RedisScript.create.text.utf8.count)":
                return "*2\r\n" + bulk("ok") + bulk(identity.uuidString)
            default: return nil
            }
        }
    }
#endif
