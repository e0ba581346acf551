#if SQLite
    import ActorStorePersistence
    import Foundation

    /// The file that a path names, found whatever the path is spelt like.
    struct LogPath {
        /// Absolute and without symbolic links, so that SQLite sees nothing but the name of a file in it.
        let file: String

        /// Finds the file, which need not be there; its folder must be.
        init(_ path: String) throws(ActionLogError) {
            guard !path.isEmpty else {
                throw ActionLogError(.unsafe, in: "\"\"", "The path is empty. Name a file, by an absolute path best.")
            }
            // SQLite takes the first for memory, and the second for an address with settings, such as to use memory.
            guard path != ":memory:", !path.lowercased().hasPrefix("file:") else {
                throw ActionLogError(
                    .unsafe,
                    in: path,
                    "This is no path of a file. A log in memory is a `MemoryLog`; for a file give its path alone."
                )
            }
            guard !path.utf8.contains(0) else {
                throw ActionLogError(.unsafe, in: path, "The path has a zero in it, at which the system would end it.")
            }
            if let resolved = Self.resolve(path) {
                file = resolved
                return
            }
            let url = URL(fileURLWithPath: path)
            let (folder, name) = (url.deletingLastPathComponent().path, url.lastPathComponent)
            guard let resolved = Self.resolve(folder) else {
                throw ActionLogError(.refused, in: path, "There is no folder \(folder). Create it first.")
            }
            file = resolved == "/" ? "/" + name : resolved + "/" + name
        }

        private static func resolve(_ path: String) -> String? {
            guard let resolved = realpath(path, nil) else { return nil }
            defer { free(resolved) }
            return String(cString: resolved)
        }
    }
#endif
