#if SQLite
    import ActorStore
    import ActorStorePersistence
    import Dispatch

    /// Copies the write-ahead log into the database on another queue, so that the writer does not wait for it.
    ///
    /// SQLite restarts the write-ahead log only when all of it has been copied. During a checkpoint, the writer appends
    /// to it, so another checkpoint follows at once. It has little to copy, and usually finds a moment without a
    /// commit. If it does not, and the log has become large, the writer copies the last few pages itself, waits for two
    /// syncs, and for the reads of other connections.
    final class LogCheckpoints: Sendable {
        private enum Phase { case idle, running, rest }

        private struct State {
            var phase = Phase.idle
            /// The estimated number of bytes that were written since the last checkpoint began.
            var bytes = 0
        }

        private static let interval = 4 << 20
        /// The size of the write-ahead log from which the writer copies the rest.
        static let limit: Int64 = 16 << 20
        /// The maximum number of consecutive checkpoints.
        private static let attempts = 3

        private let path: String
        private let state = LockedValue(State())
        /// Locked for the duration of a checkpoint.
        private let connection = LockedValue<SQLiteConnection?>(nil)
        private let queue = DispatchQueue(label: "ActorStoreSQLite.checkpoints", qos: .utility)

        init(path: String) { self.path = path }

        /// Records a commit by the writer.
        ///
        /// - Parameter bytes: The number of bytes in the commit.
        /// - Returns: Whether the writer should copy the rest itself.
        func noteCommit(of bytes: Int) -> Bool {
            let (starts, hasRest) = state.withLock { state in
                // Each commit writes pages: at least the entry's, and those on the path to it.
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
                // The writer can append as much again during each attempt.
                if size >= Self.limit { break }
            }
            let isLarge = size >= Self.limit
            state.withLock { $0.phase = isLarge ? .rest : .idle }
        }

        /// Copies what can be copied.
        ///
        /// - Returns: The size of the write-ahead log in bytes if a part was not copied, or if the log is so large that
        ///   it must restart: SQLite does not count what was appended since the checkpoint began. Otherwise nil.
        private func checkpoint() -> Int64? {
            connection.withLock { connection in
                // An error here also occurs in a commit, which reports it. Meanwhile the log only grows.
                if connection == nil { connection = try? SQLiteConnection(path: path) }
                let pages = try? connection?.prepared("PRAGMA wal_checkpoint(PASSIVE)").first {
                    (all: $0.integer(at: 1), copied: $0.integer(at: 2))
                }
                // A failed connection may keep failing.
                if pages == nil { connection = nil }
                guard let pages else { return nil }
                let size = pages.all * 4_096
                return pages.copied < pages.all || size >= Self.limit ? size : nil
            }
        }

        /// Waits for a running checkpoint.
        func wait() { queue.sync {} }

        /// Waits for a running checkpoint, and closes its connection.
        func close() {
            queue.sync { connection.withLock { $0 = nil } }
        }
    }
#endif
