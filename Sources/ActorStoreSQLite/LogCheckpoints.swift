#if SQLite
    import ActorStore
    import ActorStorePersistence
    import Dispatch

    /// Copies what is in the write-ahead log into the database beside the writer, which would stand still for it.
    ///
    /// SQLite begins the log anew only when all of it has been copied. While a checkpoint goes on the writer adds to
    /// it, so that the last few pages are copied by the writer, between two commits.
    final class LogCheckpoints: Sendable {
        private enum Phase { case idle, running, rest }

        private struct State {
            var phase = Phase.idle
            /// How many bytes were written since the last one began, as far as can be told.
            var bytes = 0
        }

        private static let interval = 4 << 20

        private let path: String
        private let state = LockedValue(State())
        /// Locked for as long as a checkpoint lasts.
        private let connection = LockedValue<SQLiteConnection?>(nil)
        private let queue = DispatchQueue(label: "ActorStoreSQLite.checkpoints", qos: .utility)

        init(path: String) { self.path = path }

        /// The writer has committed so many bytes.
        ///
        /// - Returns: Whether it should copy the rest itself.
        func noteCommit(of bytes: Int) -> Bool {
            let (starts, hasRest) = state.withLock { state in
                // Each commit writes pages: at least that of the entry, and those on the way to it.
                state.bytes += bytes + 3 * 4_096
                switch state.phase {
                case .running: return (false, false)
                case .rest:
                    state = State()
                    return (false, true)
                case .idle:
                    guard state.bytes >= Self.interval else { return (false, false) }
                    state = State(phase: .running)
                    return (true, false)
                }
            }
            if starts { queue.async { self.run() } }
            return hasRest
        }

        private func run() {
            connection.withLock { connection in
                // What goes wrong here goes wrong in a commit, too, which says so; the log only grows.
                if connection == nil { connection = try? SQLiteConnection(path: path) }
                _ = try? connection?.prepared("PRAGMA wal_checkpoint(PASSIVE)").run()
            }
            state.withLock { $0.phase = .rest }
        }

        /// Closes its connection, once a checkpoint that is under way has ended.
        func close() {
            queue.sync { connection.withLock { $0 = nil } }
        }
    }
#endif
