#if SQLite
    /// The room in and around a file for snapshots: a plain value.
    struct SnapshotRoom {
        /// The maximum room that a snapshot leaves to entries, and to its own deletion.
        static let reserve: Int64 = 8 << 20
        /// The maximum size of the write-ahead log without long reads: while a checkpoint copies it, the writer can
        /// append as much again.
        private static let longestLog = 2 * LogCheckpoints.limit

        /// The number of bytes of unused pages in the file. They take parts, but not the write-ahead log.
        let freePages: Int64
        /// The number of bytes of pages that are only in the write-ahead log, and will extend the file.
        let missingPages: Int64
        /// The number of bytes of the write-ahead log, which keeps its size.
        let writeAheadLog: Int64

        /// Returns how much room on the disk a number of bytes of a snapshot needs, which are first written to the
        /// write-ahead log.
        func needed(for bytes: Int64) -> Int64 {
            let inFile = max(bytes - freePages, 0) + max(missingPages, 0)
            let inLog = max(min(2 * bytes, Self.longestLog) - writeAheadLog, 0)
            return inFile + inLog + min(2 * bytes, Self.reserve)
        }
    }
#endif
