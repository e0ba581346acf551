#if SQLite
    public import ActorStorePersistence
    import CSQLite
    import Foundation

    extension SQLiteLog {
        /// Copies the log into another file, while others go on with it.
        ///
        /// ```swift
        /// try await log.backup(to: "/backup/actions-2026-11-28")
        /// ```
        ///
        /// The copy is of one moment, whole when it has its name, and can be opened as a log. To restore it, end all
        /// who use the log, put the copy in the place of the file, and delete those with `-wal` and `-shm` at the end
        /// of their names. What came after it is missed then, which stores notice and name.
        ///
        /// - Parameter path: The copy. A file of that name is replaced, unless it is in use.
        /// - Throws: `ActionLogError.Code.refused` if there is no log, the path cannot be written, or its file is in use;
        ///   `ActionLogError.Code.full` if there is no room. A copy that has failed leaves no file.
        public func backup(to path: String) async throws(ActionLogError) {
            let copy = try LogPath(path).file
            let result = await withCheckedContinuation { continuation in
                // It waits for the disk, for as long as the file is large.
                DispatchQueue.global(qos: .utility).async {
                    continuation.resume(
                        returning: Result { () throws(ActionLogError) in try LogBackup(log: name, copy: copy).make() }
                    )
                }
            }
            try result.get()
        }
    }

    /// One copy of a log.
    private struct LogBackup {
        let log: String
        let copy: String

        func make() throws(ActionLogError) {
            guard let inode = Inode(of: log) else {
                throw ActionLogError(.refused, in: log, "There is no log to be copied.")
            }
            guard inode != Inode(of: copy) else {
                throw ActionLogError(.refused, in: log, "A log cannot be copied onto itself. Name another file.")
            }
            for path in [copy + "-wal", copy + "-shm"] where Inode(of: path) != nil {
                // They would be taken for those of the copy, and what was written to the former file would be lost.
                throw ActionLogError(
                    .refused,
                    in: copy,
                    """
                    The file is in use, or a process has not closed it: there is \(path). Name another file, or open and \
                    close this one.
                    """
                )
            }
            // So that nobody closes the file meanwhile, which would take SQLite's locks on it away.
            let (file, session) = try SharedFile.begin(at: log)
            defer { file.end(session) }
            let unfinished = FileReplacement.unfinishedPath(for: copy)
            defer { unlink(unfinished) }
            try create(unfinished)
            try transfer(to: unfinished)
            try FileReplacement.replace(copy, with: unfinished)
        }

        /// Nobody else may read it, from the beginning.
        private func create(_ path: String) throws(ActionLogError) {
            let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw ActionLogError.system(errno, in: path) }
            close(descriptor)
        }

        /// In one step: by more of them SQLite would begin anew whenever somebody has written between.
        private func transfer(to path: String) throws(ActionLogError) {
            let (source, target) = (
                try SQLiteConnection(path: log, isReadOnly: true), try SQLiteConnection(path: path)
            )
            guard let backup = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
                return try target.check(sqlite3_extended_errcode(target.handle))
            }
            let step = sqlite3_backup_step(backup, -1)
            let end = sqlite3_backup_finish(backup)
            try target.check(end)
            guard step == SQLITE_DONE else { return try target.check(step) }
        }
    }
#endif
