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
        try sync(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }

    /// Waits until a file or a folder is on disk.
    private static func sync(_ path: String) throws(ActionLogError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ActionLogError.system(errno, in: path) }
        defer { close(descriptor) }
        while fsync(descriptor) != 0 {
            guard errno == EINTR else { throw ActionLogError.system(errno, in: path) }
        }
    }
}

extension ActionLogError {
    /// Returns the error for an error number of the system.
    package static func system(_ number: Int32, in path: String) -> ActionLogError {
        ActionLogError(
            number == ENOSPC || number == EDQUOT ? .full : isShortage(number) ? .disconnected : .refused,
            in: path,
            "The system could not read or write the file: \(String(cString: strerror(number)))."
        )
    }

    /// Returns whether a number of an error means that the process or the system has no free file descriptors, which
    /// passes.
    package static func isShortage(_ number: Int32) -> Bool { number == EMFILE || number == ENFILE }
}
