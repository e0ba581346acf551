#if SQLite
    public import ActorStorePersistence
    import Foundation

    /// A log of actions in a file, by SQLite.
    ///
    /// ```swift
    /// let log = try SQLiteLog(at: "/var/lib/stock/actions")
    /// ```
    ///
    /// Beside the file there are others, with `-wal`, `-shm` and `-end` at the end of their names, which belong to it:
    /// copy it by ``backup(to:)``, not by hand. All of them can be read by who owns them alone. Several processes of
    /// one machine may use the file at the same time; file systems of a network are refused, because SQLite cannot
    /// share a file over one.
    public struct SQLiteLog: ActionLog {
        /// When an entry counts as appended.
        public enum Acknowledgement: Sendable, Hashable {
            /// When it is on disk: it survives that the power is cut.
            case disk
            /// When the system has it: it survives that the process dies, and not that the machine does.
            case system
        }

        /// The path of the file, absolute.
        public let name: String
        /// When an entry counts as appended.
        public let acknowledgement: Acknowledgement
        /// How many bytes the header and the payload of an entry have at most.
        public let largestEntry: Int

        /// Names a file. Nothing is opened or created before a store uses it.
        ///
        /// - Parameters:
        ///   - path: Its path; its folder must be there. A symbolic link names the file that it leads to.
        ///   - acknowledgement: When an entry counts as appended.
        ///   - largestEntry: How many bytes an entry has at most; larger ones are refused. Not above 512 MiB.
        /// - Throws: `ActionLogError.Code.unsafe` if the path does not name a file: an empty one, `:memory:`,
        ///   `file:…`; `ActionLogError.Code.refused` if there is no such folder.
        public init(
            at path: String,
            acknowledgement: Acknowledgement = .disk,
            largestEntry: Int = 64 << 20
        ) throws(ActionLogError) {
            name = try LogPath(path).file
            self.acknowledgement = acknowledgement
            self.largestEntry = min(max(largestEntry, 1), 512 << 20)
        }

        /// Opens the file, and creates it if there is none. It waits for the disk.
        ///
        /// - Throws: `ActionLogError.Code.unknownFormat` if the file is something else;
        ///   `ActionLogError.Code.unsafe` if its file system does not let SQLite keep a write-ahead log, or if the file
        ///   has a second name, by a hard link;
        ///   `ActionLogError.Code.refused` if the system refuses access.
        public func connect() throws(ActionLogError) -> any ActionLogConnection { try SQLiteLogConnection(self) }
    }
#endif
