#if Replication
    import ActorStore
    import CHiredis
    import Foundation

    /// A connection to a Redis server, for one thread at a time.
    final class RedisConnection {
        // Sound: it is made in `init`, freed in `deinit`, and not handed out.
        private let context: UnsafeMutablePointer<redisContext>
        /// Wakes the thread that waits for an answer; for any thread.
        let interruption: ConnectionInterruption

        /// Connects, and logs in.
        ///
        /// - Throws: ``RedisFailure`` if that does not succeed within the server's timeout.
        init(_ server: RedisServer) throws(RedisFailure) {
            let made: UnsafeMutablePointer<redisContext>? =
                switch server.address {
                case .host(let host, let port):
                    redisConnectWithTimeout(host, Int32(clamping: port), timeval(server.timeout))
                case .socket(let path): redisConnectUnixWithTimeout(path, timeval(server.timeout))
                }
            guard let made else { throw .connection("There is no memory for a connection.") }
            context = made
            interruption = ConnectionInterruption(context.pointee.fd)
            guard context.pointee.err == 0 else { throw failure }
            try wait(atMost: server.timeout)
            // It is for networks only, and an error elsewhere.
            if case .host = server.address { redisEnableKeepAlive(context) }
            if let password = server.password {
                try perform(RedisCommand("AUTH", server.user.map { [$0, password] } ?? [password]))
            }
        }

        deinit {
            interruption.end()
            redisFree(context)
        }

        /// Sets how long an answer may take.
        func wait(atMost duration: Duration) throws(RedisFailure) {
            guard redisSetTimeout(context, timeval(duration)) == REDIS_OK else { throw failure }
        }

        /// Has the server carry out a command.
        ///
        /// - Throws: ``RedisFailure`` also if the answer is an error.
        @discardableResult
        func perform(_ command: RedisCommand) throws(RedisFailure) -> RedisReply {
            try send(command.bytes)
            return try receive()
        }

        /// Sends commands, whose answers have to be received in their order.
        func send(_ bytes: Data) throws(RedisFailure) {
            var offset = 0
            while offset < bytes.count {
                let written = bytes.withUnsafeBytes { buffer in
                    // Not the library's own function: that would end the process by a signal if the server is gone.
                    Foundation.send(
                        context.pointee.fd,
                        buffer.baseAddress.map { $0 + offset },
                        buffer.count - offset,
                        Int32(MSG_NOSIGNAL)
                    )
                }
                if written < 0 && errno == EINTR { continue }
                guard written > 0 else { throw .connection(String(cString: strerror(errno))) }
                offset += written
            }
        }

        /// Waits for the next answer.
        func receive() throws(RedisFailure) -> RedisReply {
            var answer: UnsafeMutableRawPointer?
            guard redisGetReply(context, &answer) == REDIS_OK, let answer else { throw failure }
            defer { freeReplyObject(answer) }
            let reply = RedisReply(answer.assumingMemoryBound(to: redisReply.self).pointee)
            // A transaction answers with all answers, those of commands that failed among them.
            for answer in [reply] + (reply.elements ?? []) {
                if case .error(let text) = answer { throw RedisFailure(answer: text) }
            }
            return reply
        }

        private var failure: RedisFailure {
            let text = withUnsafePointer(to: &context.pointee.errstr) {
                $0.withMemoryRebound(to: CChar.self, capacity: 128) { String(cString: $0) }
            }
            return .connection(text.isEmpty ? "The connection has ended." : text)
        }
    }

    /// Ends a connection that another thread waits at.
    final class ConnectionInterruption: Sendable {
        private let descriptor: LockedValue<Int32?>

        init(_ descriptor: Int32) { self.descriptor = LockedValue(descriptor) }

        /// Has whoever waits at it, now or later, get an error.
        func interrupt() {
            descriptor.withLock { if let descriptor = $0 { _ = shutdown(descriptor, Int32(SHUT_RDWR)) } }
        }

        /// The descriptor is about to be closed, after which its number is somebody else's.
        func end() { descriptor.withLock { $0 = nil } }
    }

    extension RedisReply {
        /// A copy of what the library has read.
        fileprivate init(_ reply: redisReply) {
            switch reply.type {
            case REDIS_REPLY_INTEGER: self = .integer(reply.integer)
            case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: self = .text(Data(bytes: reply.str, count: reply.len))
            case REDIS_REPLY_ERROR:
                self = .error(String(decoding: Data(bytes: reply.str, count: reply.len), as: UTF8.self))
            case REDIS_REPLY_ARRAY:
                self = .array(
                    (0..<reply.elements).map { index in reply.element[index].map { RedisReply($0.pointee) } ?? .null }
                )
            default: self = .null
            }
        }
    }

    private func timeval(_ duration: Duration) -> CHiredis.timeval {
        let (seconds, attoseconds) = min(max(duration, .milliseconds(1)), .seconds(86_400)).components
        return CHiredis.timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
    }
#endif
