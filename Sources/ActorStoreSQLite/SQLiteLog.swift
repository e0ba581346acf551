#if SQLite
    public import ActorStorePersistence
    import Foundation

    /// A log of actions in a file, based on SQLite.
    ///
    /// ```swift
    /// let log = try SQLiteLog(at: "/var/lib/stock/actions")
    /// ```
    ///
    /// The log also has files whose names end with `-wal`, `-shm` and `-end`. Do not give another log beside it such a
    /// name. To copy the log, use ``backup(to:)``; do not copy the files. Only the owner of the files can read them.
    ///
    /// Several processes of one machine can use the file at the same time. Network file systems are not supported,
    /// because SQLite cannot share a file over one.
    public struct SQLiteLog: ActionLog {
        /// The condition under which an entry counts as appended.
        public enum Acknowledgement: Sendable, Hashable {
            /// The entry is on disk. It survives a power failure.
            case disk
            /// The operating system has the entry. It survives the end of the process, but not a crash of the machine.
            case system

            /// The value of the setting `synchronous`.
            var synchronous: String { self == .disk ? "FULL" : "NORMAL" }
        }

        /// The absolute path of the file.
        public let name: String
        /// The condition under which an entry counts as appended.
        public let acknowledgement: Acknowledgement
        /// The maximum number of bytes of the header and the payload of an entry.
        public let largestEntry: Int

        /// Creates a log. It opens and creates nothing until a store uses it.
        ///
        /// - Parameters:
        ///   - path: The path of the file, whose folder must exist. A symbolic link stands for its target.
        ///   - acknowledgement: The condition under which an entry counts as appended.
        ///   - largestEntry: The maximum number of bytes of an entry, up to 512 MiB. Larger entries are refused.
        /// - Throws: `ActionLogError.Code.unsafe` if the path does not name a file: an empty path, a folder,
        ///   `:memory:`, or `file:…`; `ActionLogError.Code.refused` if the file's folder does not exist.
        public init(
            at path: String,
            acknowledgement: Acknowledgement = .disk,
            largestEntry: Int = 64 << 20
        ) throws(ActionLogError) {
            name = try LogPath(path).file
            self.acknowledgement = acknowledgement
            self.largestEntry = min(max(largestEntry, 1), 512 << 20)
        }

        /// Opens the file, and creates it if it does not exist. It waits for the disk.
        ///
        /// - Returns: A connection to the log.
        /// - Throws: An `ActionLogError` with one of these codes:
        ///   - `unknownFormat` if the file is not a log;
        ///   - `unsafe` if SQLite cannot use a write-ahead log on the file system, if the file system does not lock
        ///     files, if the path is that of a folder or a device, if the file has a second name, by a hard link or a
        ///     mount of the file alone, or if another database has a name that belongs to the log, or the other way
        ///     round: `log` and `log-journal`;
        ///   - `damaged` if the file is missing or empty, and its write-ahead log is not;
        ///   - `busy` if another program has locked the file for a second, or has deleted or replaced it, and
        ///     connections of this process still use the former one, which they notice when they are used next;
        ///   - `full` if the disk is full;
        ///   - `disconnected` if there are no free file descriptors, or the disk reports an error;
        ///   - `refused` if the system denies access.
        public func connect() throws(ActionLogError) -> any ActionLogConnection { try SQLiteLogConnection(self) }
    }
#endif
