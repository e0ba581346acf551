import Foundation

/// Has a file take the place of another one when it is whole, so that there is the old one or the new one at any
/// moment.
package enum FileReplacement {
    /// A path beside that of a file, for what will take its place.
    package static func unfinishedPath(for path: String) -> String { "\(path)-\(UUID().uuidString)" }

    /// Waits until a file is on disk, and gives it the name of another one.
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
    /// What an error number of the system means for a file.
    package static func system(_ number: Int32, in path: String) -> ActionLogError {
        ActionLogError(
            number == ENOSPC || number == EDQUOT ? .full : .refused,
            in: path,
            "The system refuses to read or write the file: \(String(cString: strerror(number)))."
        )
    }
}
