#if SQLite
    public import ActorStorePersistence
    import CSQLite
    import Foundation

    extension SQLiteLog {
        /// Copies the log into another file, while stores continue to use it.
        ///
        /// ```swift
        /// try await log.backup(to: "/backup/actions-2026-11-28")
        /// ```
        ///
        /// The copy is a snapshot of one moment. It gets its name when it is complete, and can be opened as a log.
        ///
        /// To restore it, close the log in all processes, delete the files whose names end with `-wal`, `-shm` and
        /// `-journal`, and replace the file by the copy. Later entries are then lost. Unless the
        /// acknowledgement is ``Acknowledgement/system``, stores detect that and report their positions.
        ///
        /// - Parameter path: The path of the copy. An existing file is replaced, unless it was opened as a log, and its
        ///   `-wal`, `-shm` or `-journal` exists.
        /// - Throws: `ActionLogError.Code.refused` if the log does not exist, the path cannot be written, or its file
        ///   was opened as a log; `ActionLogError.Code.unsafe` if the path is that of a folder, a device or a pipe;
        ///   `ActionLogError.Code.full` if the disk is full; the errors of ``connect()``. A failed copy leaves no file.
        ///   If the process is killed meanwhile, delete the files whose names begin with that of the copy, and
        ///   continue with a UUID.
        /// - Complexity: O(*n*), where *n* is the size of the file.
        public func backup(to path: String) async throws(ActionLogError) {
            let copy = try LogPath(path).file
            let result = await withCheckedContinuation { continuation in
                // The copy waits for the disk, for a time proportional to the size of the file.
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
                throw ActionLogError(.refused, in: log, "The log does not exist, so it cannot be copied.")
            }
            try LogPath.checkIsRegular(copy)
            guard inode != Inode(of: copy) else {
                throw ActionLogError(.refused, in: log, "A log cannot be copied onto itself. Use another path.")
            }
            if let other = LogPath.ofLog(withCompanion: copy), SharedFile.isDatabase(other) {
                throw ActionLogError(
                    .refused,
                    in: copy,
                    "A file of this name belongs to the log \(other), which would overwrite it. Use another path."
                )
            }
            try checkIsUnused()
            // Prevents that another session closes the file meanwhile, which would release SQLite's locks on it.
            let (file, session) = try SharedFile.begin(at: log)
            defer { file.end(session) }
            let unfinished = FileReplacement.unfinishedPath(for: copy)
            // If the copy fails, SQLite may leave its journal.
            defer { for path in [unfinished, unfinished + "-journal"] { unlink(path) } }
            try create(unfinished)
            try transfer(to: unfinished)
            // It can be opened during the transfer, which takes its time.
            try checkIsUnused()
            try FileReplacement.replace(copy, with: unfinished)
        }

        /// Throws if the file that the copy replaces has companions: SQLite would use them for the copy, and entries of
        /// the former file would be lost. They remain when a log is closed. From a journal, SQLite would write contents
        /// of the former file over the copy.
        private func checkIsUnused() throws(ActionLogError) {
            for path in [copy + "-wal", copy + "-shm", copy + "-journal"] where Inode(of: path) != nil {
                throw ActionLogError(
                    .refused,
                    in: copy,
                    """
                    The file is in use, or was opened as a log: \(path) exists. Use another path, or delete this file and \
                    those whose names end with `-wal`, `-shm`, `-journal` and `-end` when no process has it open.
                    """
                )
            }
        }

        /// Creates the file with access for the owner alone from the start.
        private func create(_ path: String) throws(ActionLogError) {
            let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw ActionLogError.system(errno, in: path) }
            close(descriptor)
        }

        /// Copies everything in one step: with several steps, SQLite would restart after each write in between.
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
