#if SQLite
    import ActorStore
    import ActorStorePersistence
    import Dispatch

    /// Copies what is in the write-ahead log into the database beside the writer, which would stand still for it.
    ///
    /// SQLite begins the log anew only when all of it has been copied. While a checkpoint goes on the writer adds to
    /// it, so that another one follows at once, which has little to copy, and mostly finds a moment without a commit. Where
    /// there is none, and the log has become large, the last few pages are copied by the writer, which stands still for
    /// two syncs.
    final class LogCheckpoints: Sendable {
        private enum Phase { case idle, running, rest }

        private struct State {
            var phase = Phase.idle
            /// How many bytes were written since the last one began, as far as can be told.
            var bytes = 0
        }

        private static let interval = 4 << 20
        /// From how many bytes of the log on the writer helps.
        private static let limit: Int64 = 16 << 20
        /// How many checkpoints follow each other.
        private static let attempts = 3

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
            var size: Int64 = 0
            for _ in 0..<Self.attempts {
                guard let left = checkpoint() else {
                    state.withLock { $0.phase = .idle }
                    return
                }
                size = left
            }
            let isLarge = size >= Self.limit
            state.withLock { $0.phase = isLarge ? .rest : .idle }
        }

        /// - Returns: How large the log is, in bytes, if not all of it was copied.
        private func checkpoint() -> Int64? {
            connection.withLock { connection in
                // What goes wrong here goes wrong in a commit, too, which says so; the log only grows.
                if connection == nil { connection = try? SQLiteConnection(path: path) }
                let pages = try? connection?.prepared("PRAGMA wal_checkpoint(PASSIVE)").first {
                    (all: $0.integer(at: 1), copied: $0.integer(at: 2))
                }
                // One that has failed may go on failing.
                if pages == nil { connection = nil }
                guard let pages, pages.copied < pages.all else { return nil }
                return pages.all * 4_096
            }
        }

        /// Closes its connection, once a checkpoint that is under way has ended.
        func close() {
            queue.sync { connection.withLock { $0 = nil } }
        }
    }
#endif
