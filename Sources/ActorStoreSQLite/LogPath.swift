#if SQLite
    import ActorStorePersistence
    import Foundation

    /// The file at a path, independent of the spelling of the path.
    struct LogPath {
        /// The absolute path without symbolic links, in which SQLite finds no special syntax.
        let file: String

        /// Resolves a path. The folder must exist; the file need not.
        init(_ path: String) throws(ActionLogError) { self = try LogPath(path, links: 40) }

        /// - Parameter links: The maximum number of symbolic links to missing files to follow, as of the system.
        private init(_ path: String, links: Int) throws(ActionLogError) {
            guard !path.isEmpty else {
                throw ActionLogError(
                    .unsafe,
                    in: "\"\"",
                    "The path is empty. Use the path of a file, preferably an absolute one."
                )
            }
            // SQLite interprets the first as a database in memory, and the second as a URI, whose options include one
            // in memory.
            guard path != ":memory:", !path.lowercased().hasPrefix("file:") else {
                throw ActionLogError(
                    .unsafe,
                    in: path,
                    "This is not the path of a file. Use a `MemoryLog` for a log in memory, and a plain path for a file."
                )
            }
            guard !path.utf8.contains(0) else {
                throw ActionLogError(
                    .unsafe,
                    in: path,
                    "The path contains a NUL character, at which the system would cut it off. Remove it."
                )
            }
            if let resolved = Self.resolve(path) {
                var isFolder: ObjCBool = false
                guard !FileManager.default.fileExists(atPath: resolved, isDirectory: &isFolder) || !isFolder.boolValue
                else {
                    throw ActionLogError(.unsafe, in: path, "This is a folder. Use the path of a file in it.")
                }
                file = resolved
                return
            }
            let url = URL(fileURLWithPath: path)
            let (folder, name) = (url.deletingLastPathComponent().path, url.lastPathComponent)
            guard let resolved = Self.resolve(folder) else {
                throw ActionLogError(.refused, in: path, "The folder \(folder) does not exist. Create it first.")
            }
            let link = resolved == "/" ? "/" + name : resolved + "/" + name
            // A symbolic link to a missing file: SQLite would create that file, and name its companions after it.
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link) else {
                file = link
                return
            }
            guard links > 0 else {
                throw ActionLogError(.refused, in: path, "The path has too many symbolic links. Remove some of them.")
            }
            self = try LogPath(target.hasPrefix("/") ? target : resolved + "/" + target, links: links - 1)
        }

        private static func resolve(_ path: String) -> String? {
            guard let resolved = realpath(path, nil) else { return nil }
            defer { free(resolved) }
            return String(cString: resolved)
        }

        // MARK: The files at a path

        /// The ends of the names of the files beside a log. SQLite deletes one that ends with `-journal` as the rest of
        /// an unfinished transaction.
        static let companions = ["-wal", "-shm", "-journal", "-end"]

        /// Returns the path of the log to which a file would belong, by its name; nil if it is no companion's.
        static func ofLog(withCompanion path: String) -> String? {
            companions.first(where: path.hasSuffix).map { String(path.dropLast($0.count)) }
        }

        /// Returns whether a file begins like a database of SQLite. It opens and closes the file, which releases the
        /// locks of this process on it.
        static func isDatabase(_ path: String) -> Bool {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { return false }
            defer { close(descriptor) }
            let name = Array("SQLite format 3\0".utf8)
            var bytes = [UInt8](repeating: 0, count: name.count)
            return read(descriptor, &bytes, bytes.count) == bytes.count && bytes == name
        }

        /// Throws if something other than a file is at the path: a folder, a device or a pipe.
        static func checkIsRegular(_ path: String) throws(ActionLogError) {
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
            throw ActionLogError(
                .unsafe,
                in: path,
                "A folder or a device is at this path, and not a file. Use another path."
            )
        }

        /// Throws if something other than a file is at the path, or a file with a second name. SQLite finds companion
        /// files by name, so each name would have its own.
        static func checkIsFile(_ path: String) throws(ActionLogError) {
            try checkIsRegular(path)
            guard !isMounted(path) else {
                throw ActionLogError(
                    .unsafe,
                    in: path,
                    """
                    The file is mounted by itself, so that it has other companion files under its other path, such as that \
                    outside of a container. Mount its folder.
                    """
                )
            }
            var status = stat()
            guard stat(path, &status) == 0, status.st_nlink > 1 else { return }
            throw ActionLogError(
                .unsafe,
                in: path,
                """
                The file has another name, by a hard link, under which another program could use it unnoticed. Delete the \
                other name, and copy logs with `backup(to:)`.
                """
            )
        }

        /// Returns whether a file system, or a single file, is mounted at a path.
        private static func isMounted(_ path: String) -> Bool {
            #if os(Linux)
                guard let mounts = FileManager.default.contents(atPath: "/proc/self/mountinfo") else { return false }
                // The fifth word of a line, in which some characters are octal numbers.
                let escaped = [("\\", "\\134"), (" ", "\\040"), ("\t", "\\011"), ("\n", "\\012")]
                let place = escaped.reduce(path) { $0.replacing($1.0, with: $1.1) }
                return String(decoding: mounts, as: UTF8.self).split(separator: "\n").contains { line in
                    line.split(separator: " ", maxSplits: 5).dropFirst(4).first == place[...]
                }
            #else
                return false
            #endif
        }

        /// Throws if the file is empty or missing, and its write-ahead log is not: SQLite would delete that one, from
        /// which a new log can be recovered.
        static func checkHasContents(_ path: String) throws(ActionLogError) {
            // In this order, because another process may be creating both.
            guard Inode.size(of: path + "-wal") > 0, Inode.size(of: path) == 0 else { return }
            throw ActionLogError(
                .damaged,
                in: path,
                """
                The file is missing or empty, but its write-ahead log has contents. Nothing was changed. Put the file back \
                beside its other files. Before you replace it by a backup, delete those whose names end with `-wal`, \
                `-shm` and `-journal`. For a new log, delete these and that with `-end`.
                """
            )
        }
    }
#endif
