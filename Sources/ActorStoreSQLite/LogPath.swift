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
    }
#endif
