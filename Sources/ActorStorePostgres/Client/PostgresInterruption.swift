#if Postgres
    import Foundation

    /// A pair of sockets that is polled together with a connection, so that another thread can end what waits for the
    /// server.
    ///
    /// It knows nothing of the connection's own descriptor, whose number may be another one's soon. Its descriptors are
    /// closed when neither the connection nor anybody who may interrupt has it any more.
    final class PostgresInterruption: Sendable {
        /// Can be read as soon as somebody has interrupted, and stays so.
        let descriptor: Int32
        private let writing: Int32

        init() throws(PostgresFailure) {
            var ends: [Int32] = [-1, -1]
            #if os(Linux)
                // Closed on exec from the first moment, which pipes are not: Swift does not see pipe2().
                let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
                let isMade = socketpair(AF_UNIX, Int32(kind), 0, &ends) == 0
            #else
                let isMade = socketpair(AF_UNIX, SOCK_STREAM, 0, &ends) == 0
                for end in ends where isMade {
                    _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                    _ = fcntl(end, F_SETFL, O_NONBLOCK)
                }
            #endif
            guard isMade else {
                throw .connection("There are no descriptors left: \(String(cString: strerror(errno)))")
            }
            (descriptor, writing) = (ends[0], ends[1])
        }

        deinit {
            close(writing)
            close(descriptor)
        }

        /// Ends calls that are under way, and later ones.
        func interrupt() {
            // If it is full, somebody has interrupted already.
            while write(writing, [1], 1) < 0 && errno == EINTR {}
        }
    }
#endif
