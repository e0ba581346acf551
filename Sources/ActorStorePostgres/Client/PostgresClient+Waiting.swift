#if Postgres
    import CPostgres
    import Foundation

    /// Waits for the server, for at most the time of a call, and until an interruption.
    extension PostgresClient {
        // MARK: Notifications

        /// Waits until another connection sends a notification.
        ///
        /// - Returns: False if the deadline has passed.
        func waitForNotification(until deadline: ContinuousClock.Instant) throws(PostgresFailure) -> Bool {
            do throws(PostgresFailure) {
                noteNotifications()
                while !hasNotification {
                    guard let connection else { throw brokenOff }
                    guard try wait(for: Int16(POLLIN), until: deadline) else { return false }
                    guard PQconsumeInput(connection) == 1 else { throw brokenOff }
                    noteNotifications()
                }
                return true
            } catch {
                close()
                throw error
            }
        }

        func noteNotifications() {
            guard let connection else { return }
            let ownProcess = PQbackendPID(connection)
            while let notification = PQnotifies(connection) {
                if notification.pointee.be_pid != ownProcess { hasNotification = true }
                PQfreemem(notification)
            }
        }

        // MARK: Waiting

        func throwIfInterrupted() throws(PostgresFailure) {
            var descriptor = pollfd(fd: interruption.descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&descriptor, 1, 0) == 1 { throw .interrupted }
        }

        func flush(until deadline: ContinuousClock.Instant) throws(PostgresFailure) {
            while true {
                guard let connection else { throw brokenOff }
                switch PQflush(connection) {
                case 0: return
                // Input has to be read meanwhile: the server stops reading while its own output is not read.
                case 1: try consumeInput(until: deadline, orWhile: Int16(POLLOUT))
                default: throw brokenOff
                }
            }
        }

        func consumeInput(
            until deadline: ContinuousClock.Instant,
            orWhile events: Int16 = 0
        ) throws(PostgresFailure) {
            // The socket is not readable for bytes that the layer of encryption has received already. libpq leaves some
            // there if a server or a proxy sends more than 8 KiB in one piece. So the next wait is short.
            let check = isEncrypted ? min(deadline, .now + .milliseconds(1 << min(emptyWaits, 6))) : deadline
            if try wait(for: Int16(POLLIN) | events, until: check) {
                emptyWaits = 0
            } else if ContinuousClock.now < deadline {
                emptyWaits += 1
            } else {
                throw .connection(
                    "The server did not answer in time. Whether it executed the command is unknown."
                )
            }
            guard let connection, PQconsumeInput(connection) == 1 else { throw brokenOff }
        }

        private var isEncrypted: Bool {
            connection.map { PQsslInUse($0) == 1 || PQgssEncInUse($0) == 1 } ?? false
        }

        /// Waits until the socket is readable or writable.
        ///
        /// - Returns: False if the deadline has passed.
        func wait(
            for events: Int16,
            until deadline: ContinuousClock.Instant
        ) throws(PostgresFailure) -> Bool {
            while true {
                guard let connection else { throw brokenOff }
                // Limited to the range of an `Int32` of milliseconds. The loop then waits again.
                let remaining = min(max(deadline - .now, .zero), .seconds(86_400))
                let milliseconds = Int32((remaining / .milliseconds(1)).rounded(.up))
                var descriptors = [
                    pollfd(fd: PQsocket(connection), events: events, revents: 0),
                    pollfd(fd: interruption.descriptor, events: Int16(POLLIN), revents: 0),
                ]
                let count = poll(&descriptors, nfds_t(descriptors.count), milliseconds)
                if count < 0 {
                    if errno == EINTR { continue }
                    throw .connection("Waiting for the connection failed: \(String(cString: strerror(errno)))")
                }
                if descriptors[1].revents != 0 { throw .interrupted }
                if count > 0 { return true }
                if ContinuousClock.now >= deadline { return false }
            }
        }
    }
#endif
