import Foundation

/// Replaces a file by a complete one, so that either the old or the new file exists at any moment.
package enum FileReplacement {
    /// Returns a path beside that of a file, for its replacement.
    package static func unfinishedPath(for path: String) -> String { "\(path)-\(UUID().uuidString)" }

    /// Returns whether a path is that of a database of SQLite in use, or of a file beside it, which SQLite or a log
    /// would overwrite or delete.
    ///
    /// It looks at names alone: opening and closing a database would release the locks that this process has on it.
    package static func belongsToDatabase(_ path: String) -> Bool {
        let resolved = realpath(path, nil)
        defer { free(resolved) }
        let path = resolved.map { String(cString: $0) } ?? path
        return ["", "-wal", "-shm", "-journal", "-end"].contains { ending in
            guard path.hasSuffix(ending) else { return false }
            let database = String(path.dropLast(ending.count))
            return ["-wal", "-shm"].contains { access(database + $0, F_OK) == 0 }
        }
    }

    /// Syncs a file to disk, and renames it to the path of another one.
    package static func replace(_ path: String, with unfinished: String) throws(ActionLogError) {
        try sync(unfinished)
        guard rename(unfinished, path) == 0 else { throw ActionLogError.system(errno, in: path) }
        // The file is in place. SQLite does not sync such folders, either: one that the user may only write to, and
        // those of file systems without a sync of folders.
        try sync(URL(fileURLWithPath: path).deletingLastPathComponent().path, unless: [EACCES, EINVAL])
    }

    /// Waits until a file or a folder is on disk, unless that fails with one of several error numbers.
    private static func sync(_ path: String, unless ignored: [Int32] = []) throws(ActionLogError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        while descriptor < 0 || fsync(descriptor) != 0 {
            if ignored.contains(errno) { return }
            guard errno == EINTR, descriptor >= 0 else { throw ActionLogError.system(errno, in: path) }
        }
    }
}

extension ActionLogError {
    /// Returns the error for an error number of the system.
    package static func system(_ number: Int32, in path: String) -> ActionLogError {
        ActionLogError(
            isLackOfRoom(number) ? .full : isShortage(number) ? .disconnected : .refused,
            in: path,
            "The system could not read or write the file: \(String(cString: strerror(number)))."
        )
    }

    /// Returns whether a number of an error means that the process or the system has no free file descriptors, which
    /// passes.
    package static func isShortage(_ number: Int32) -> Bool { number == EMFILE || number == ENFILE }

    /// Returns whether an `errno` reports that the disk is full, or a quota exceeded.
    package static func isLackOfRoom(_ number: Int32) -> Bool { number == ENOSPC || number == EDQUOT }
}
