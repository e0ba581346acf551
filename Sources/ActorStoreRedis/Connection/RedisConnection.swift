#if Redis
    import ActorStorePersistence
    import Foundation

    /// A connection to a Redis server, for one thread at a time.
    ///
    /// After an interruption, a timeout or a failure of the socket, every call throws, because an answer to an earlier
    /// command could still arrive. Error answers leave the connection usable.
    final class RedisConnection {
        /// The name of the log, for errors.
        let name: String
        private let server: RedisServer
        private let socket: RedisSocket
        private let parser: RedisReplyParser
        private var failure: ActionLogError?
        private let buffer: UnsafeMutableRawBufferPointer

        /// Connects and logs in.
        ///
        /// - Parameters:
        ///   - server: The server.
        ///   - name: The name of the log, for errors.
        init(_ server: RedisServer, for name: String) throws(ActionLogError) {
            self.name = name
            self.server = server
            do throws(RedisReplyParser.Failure) {
                parser = try RedisReplyParser()
            } catch {
                throw ActionLogError(.disconnected, in: name, error.reason)
            }
            socket = try Self.open(server, for: name)
            // The last property, because `deinit` releases it only of a complete object.
            buffer = .allocate(byteCount: 1 << 16, alignment: 1)
            try logIn()
        }

        // Sound: nothing else holds the buffer, and it is used only during calls.
        deinit { buffer.deallocate() }

        var interruption: SocketInterruption { socket.interruption }

        /// For tests.
        var descriptor: Int32 { socket.number }

        private static func open(_ server: RedisServer, for name: String) throws(ActionLogError) -> RedisSocket {
            let deadline = ContinuousClock.now + server.connectTimeout
            let addresses: [SocketAddress]
            do throws(RedisServer.Address.Failure) {
                addresses = try server.address.resolve(until: deadline)
            } catch {
                throw ActionLogError(error.isTransient ? .disconnected : .refused, in: name, error.reason)
            }
            var reason = "The name has no address."
            for (index, address) in addresses.enumerated() {
                // An address that does not answer uses up only its share of the time.
                let left = ContinuousClock.now.duration(to: deadline)
                let share = ContinuousClock.now + left / (addresses.count - index)
                do throws(SocketFailure) {
                    guard let interruption = SocketInterruption() else { throw SocketFailure(errno) }
                    return try RedisSocket(address, interruption, until: share)
                } catch {
                    switch error {
                    case .broken(let text): reason = text
                    case .interrupted, .timedOut: reason = "It did not answer within \(server.connectTimeout)."
                    }
                }
            }
            throw ActionLogError(.disconnected, in: name, "The server cannot be reached: \(reason)")
        }

        private func logIn() throws(ActionLogError) {
            if server.password == nil, server.user == nil { return }
            let secret: String
            do {
                // A user without a password can log in with any password.
                secret = try server.password?.fetch() ?? ""
            } catch {
                throw ActionLogError(
                    .disconnected,
                    in: name,
                    "The password cannot be fetched: the closure threw an error of type \(type(of: error))."
                )
            }
            var command = RedisCommand("AUTH")
            if let user = server.user { command.append(user) }
            command.append(secret)
            if case .error(let answer) = try exchange(command) { throw .refusedLogin(answer, in: name) }
        }

        // MARK: Commands

        /// Executes a command on the server.
        ///
        /// - Parameters:
        ///   - command: The command.
        ///   - duration: The time for which the command may block on the server.
        /// - Returns: The answer.
        /// - Throws: `ActionLogError` if the connection fails, or if the answer is an error.
        @discardableResult
        func perform(_ command: RedisCommand, waiting duration: Duration = .zero) throws(ActionLogError) -> RedisReply {
            let reply = try exchange(command, waiting: duration)
            if case .error(let answer) = reply { throw .refusal(answer, in: name) }
            return reply
        }

        /// Executes a command on the server and returns its answer, which may be an error.
        func exchange(_ command: RedisCommand, waiting duration: Duration = .zero) throws(ActionLogError) -> RedisReply
        {
            try exchange([command], waiting: duration)[0]
        }

        /// Executes commands on the server in order, without waiting for an answer between them, and returns their
        /// answers, which may be errors.
        func exchange(_ commands: [RedisCommand], waiting duration: Duration) throws(ActionLogError) -> [RedisReply] {
            if socket.interruption.isInterrupted { throw interrupted }
            if let failure { throw failure }
            var deadline = ContinuousClock.now + server.answerTimeout + duration
            do throws(SocketFailure) {
                try send(commands.reduce(into: Data()) { $0 += $1.bytes }, until: &deadline)
                var replies: [RedisReply] = []
                for _ in commands { replies.append(try receive(until: &deadline)) }
                return replies
            } catch {
                throw end(error)
            }
        }

        private func send(_ bytes: Data, until deadline: inout ContinuousClock.Instant) throws(SocketFailure) {
            var offset = 0
            while offset < bytes.count {
                let rest = offset
                let count = try bytes.withUnsafeBytes { bytes in
                    Result { () throws(SocketFailure) in
                        try socket.send(UnsafeRawBufferPointer(rebasing: bytes[rest...]))
                    }
                }
                .get()
                offset += count
                deadline += Self.time(for: count)
                if count == 0 { try socket.wait(for: Int32(POLLOUT), until: deadline) }
            }
        }

        private func receive(until deadline: inout ContinuousClock.Instant) throws(SocketFailure) -> RedisReply {
            while true {
                do throws(RedisReplyParser.Failure) {
                    if let reply = try parser.next() { return reply }
                } catch {
                    throw .broken(error.reason)
                }
                let count = try socket.receive(into: buffer)
                if count == 0 {
                    try socket.wait(for: Int32(POLLIN), until: deadline)
                    continue
                }
                deadline += Self.time(for: count)
                do throws(RedisReplyParser.Failure) {
                    try parser.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                } catch {
                    throw .broken(error.reason)
                }
            }
        }

        /// Returns the time that transferred bytes add to a deadline. Large values can pass over a slow network, but a
        /// server that sends only a few bytes at a time runs into the deadline.
        private static func time(for bytes: Int) -> Duration { .microseconds(bytes) }

        private func end(_ failure: SocketFailure) -> ActionLogError {
            socket.end()
            let reason: String
            switch failure {
            case .interrupted: return interrupted
            case .timedOut: reason = "The server did not answer within \(server.answerTimeout)."
            case .broken(let text): reason = "The connection failed: \(text)"
            }
            let error = ActionLogError(
                .disconnected,
                in: name,
                "\(reason) Whether the server executed the command is unknown. Connect again."
            )
            self.failure = error
            return error
        }

        private var interrupted: ActionLogError { ActionLogError(.closed, in: name, "The connection was interrupted.") }
    }
#endif
