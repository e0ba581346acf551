#if SQLite
    import ActorStore
    import ActorStorePersistence
    import Foundation

    /// A file that connections of this process have open: one object per inode, whatever its name.
    ///
    /// The system releases SQLite's locks on a file as soon as the process closes any descriptor of it. So all sessions
    /// share one descriptor, which is closed when the last session has ended.
    final class SharedFile: Sendable {
        private struct Registry {
            var files: [Inode: SharedFile] = [:]
            var sessions: [Inode: Set<Int64>] = [:]
            /// The same files by their paths.
            var paths: [String: SharedFile] = [:]
            /// The files by their recorded companions.
            var companions: [Inode: SharedFile] = [:]
            /// The files without recorded companions, whose first connection is being opened.
            var opening: [Inode: SharedFile] = [:]

            /// Returns whether connections of this process can have locks on a file: a log, or a companion of one.
            func uses(_ inode: Inode) -> Bool {
                if files[inode] != nil { return true }
                // SQLite deletes the companions of a log as its last connection closes, before the log leaves the
                // registry. The system can give their numbers to other files at once.
                if let file = companions[inode], file.currentCompanions.contains(inode) { return true }
                return opening.values.contains { $0.currentCompanions.contains(inode) }
            }
        }

        /// A lock that the thread sanitizer recognizes.
        private static let registry = LockedValue(Registry())

        let inode: Inode
        private let path: String
        private let descriptor: Int32
        /// The write-ahead log and the file with SQLite's locks, with which the connections were opened; nil before.
        private let companions = LockedValue<[Inode?]?>(nil)
        private let companionPaths: [String]
        /// The threads of this process that wait for new entries.
        let waiting = WaitingThreads()

        private init(_ path: String, _ descriptor: Int32, _ inode: Inode) {
            self.path = path
            self.descriptor = descriptor
            self.inode = inode
            companionPaths = [path + "-wal", path + "-shm"]
        }

        /// Begins a session on a file, which is created empty if it does not exist.
        static func begin(at path: String) throws(ActionLogError) -> (file: SharedFile, session: Int64) {
            let begun = registry.withLock { registry in
                Result { () throws(ActionLogError) in
                    let known = Inode(of: path).flatMap { registry.files[$0] }
                    try checkIsInPlace(known ?? registry.paths[path], at: path)
                    // A name that was added meanwhile is unused, and need not end running sessions.
                    if known?.path != path { try LogPath.checkIsFile(path) }
                    if known == nil { try checkCompanions(of: path, registry) }
                    let file = if let known { known } else { try open(path) }
                    let session = Int64.random(in: 1..<1 << 60)
                    do throws(ActionLogError) { try file.lock(session) } catch {
                        if known == nil { close(file.descriptor) }
                        throw error
                    }
                    if known == nil {
                        registry.files[file.inode] = file
                        registry.paths[path] = file
                        registry.opening[file.inode] = file
                    }
                    registry.sessions[file.inode, default: []].insert(session)
                    return (file, session)
                }
            }
            return try begun.get()
        }

        /// Throws if connections of this process still use a file that was deleted or replaced, or whose companions
        /// were: SQLite would share its memory with them, and its locks on the new files would not exclude them.
        private static func checkIsInPlace(_ known: SharedFile?, at path: String) throws(ActionLogError) {
            guard let known, !known.isInPlace else { return }
            throw ActionLogError(
                .busy,
                in: path,
                """
                Another program deleted or replaced the file, or its companion `-wal` or `-shm`, and connections of this \
                process still use the former one. They end when they are used next.
                """
            )
        }

        private static func open(_ path: String) throws(ActionLogError) -> SharedFile {
            // Child processes must not inherit the descriptor: they would hold the locks after the end of this process.
            let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0, let inode = Inode(of: descriptor) else {
                throw ActionLogError.system(errno, in: path)
            }
            return SharedFile(path, descriptor, inode)
        }

        /// Throws if a file is in the place of one that belongs to the log, or the log would be such a file itself. No
        /// connection of this process may have the log open: closing the files would release its locks.
        private static func checkCompanions(of path: String, _ registry: Registry) throws(ActionLogError) {
            let other =
                openLog(withCompanion: path, registry)
                ?? LogPath.companions.map { path + $0 }.first { isDatabase($0, registry) }
            guard let other else { return try LogPath.checkHasContents(path) }
            throw ActionLogError(
                .unsafe,
                in: path,
                """
                Files whose names begin with that of a log, and end with `-wal`, `-shm`, `-journal` or `-end`, belong to \
                that log, which overwrites or deletes them. So a log cannot be beside \(other). Use \
                another name.
                """
            )
        }

        /// Returns the log to which a file at this path would belong, if that is open or is a database.
        private static func openLog(withCompanion path: String, _ registry: Registry) -> String? {
            guard let log = LogPath.ofLog(withCompanion: path) else { return nil }
            // A connection to that log also has locks on its companions, which opening and closing one would release.
            let isOpen = registry.paths[log] != nil || Inode(of: log).map { registry.files[$0] != nil } == true
            return isOpen || Inode.size(of: path) == 0 && isDatabase(log, registry) ? log : nil
        }

        private static func isDatabase(_ path: String, _ registry: Registry) -> Bool {
            guard let inode = Inode(of: path) else { return false }
            return registry.uses(inode) || LogPath.isDatabase(path)
        }

        /// Returns whether a file is a database or belongs to an open log, and releases no locks of this process on it.
        static func isDatabase(_ path: String) -> Bool {
            registry.withLock { isDatabase(path, $0) }
        }

        /// Ends a session. Its connection to the database must be closed before.
        func end(_ session: Int64) {
            Self.registry.withLock { registry in
                _ = control(OpenFileLock.set, session, F_UNLCK)
                registry.sessions[inode]?.remove(session)
                guard registry.sessions[inode]?.isEmpty == true else { return }
                registry.sessions[inode] = nil
                registry.files[inode] = nil
                registry.paths[path] = nil
                registry.opening[inode] = nil
                for companion in recordedCompanions where registry.companions[companion] === self {
                    registry.companions[companion] = nil
                }
                close(descriptor)
            }
        }

        // MARK: The files

        /// Whether the paths still lead to this file and to its companions. If another program had different
        /// companions, both would overwrite each other's data.
        var isInPlace: Bool {
            guard Inode(of: path) == inode else { return false }
            guard let known = companions.withLock({ $0 }) else { return true }
            return known == currentCompanions
        }

        /// Records the companions, which exist as long as a connection to the database does.
        func noteCompanions() {
            Self.registry.withLock { registry in
                guard registry.opening.removeValue(forKey: inode) != nil else { return }
                companions.withLock { $0 = currentCompanions }
                for companion in recordedCompanions { registry.companions[companion] = self }
            }
        }

        private var currentCompanions: [Inode?] { companionPaths.map { Inode(of: $0) } }

        private var recordedCompanions: [Inode] { companions.withLock { $0 ?? [] }.compactMap(\.self) }

        // MARK: Sessions

        private func lock(_ session: Int64) throws(ActionLogError) {
            guard control(OpenFileLock.set, session, F_WRLCK) != nil else {
                throw ActionLogError(
                    .unsafe,
                    in: path,
                    """
                    The file system does not lock files: \(String(cString: strerror(errno))). Use a local disk, or another \
                    engine.
                    """
                )
            }
        }

        /// Returns whether a session is active in any process. The system releases the lock of a session when its
        /// process ends, however it ends.
        func hasSession(_ session: Int64) -> Bool {
            if Self.registry.withLock({ $0.sessions[inode]?.contains(session) == true }) { return true }
            return control(OpenFileLock.get, session, F_WRLCK) != Int16(F_UNLCK)
        }

        /// Sets or queries the lock of a session: a byte far beyond the end of the file and of SQLite's locks.
        ///
        /// - Returns: The kind of lock after the call; nil after an error.
        private func control(_ command: Int32, _ session: Int64, _ kind: Int32) -> Int16? {
            var lock = flock()
            lock.l_type = Int16(kind)
            lock.l_whence = Int16(SEEK_SET)
            lock.l_start = off_t(1 << 61) &+ off_t(session)
            lock.l_len = 1
            return fcntl(descriptor, command, &lock) == 0 ? lock.l_type : nil
        }
    }

    /// Commands for locks that belong to an open file instead of a process. Swift does not import them.
    private enum OpenFileLock {
        #if canImport(Darwin)
            static let (set, get): (Int32, Int32) = (90, 92)
        #else
            static let (set, get): (Int32, Int32) = (37, 36)
        #endif
    }

    /// The identity of a file on a machine.
    struct Inode: Hashable {
        let device: UInt64
        let number: UInt64

        /// Returns the identity of the file at a path; nil if it does not exist.
        init?(of path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            self.init(status)
        }

        /// Returns the number of bytes of the file at a path; 0 if it does not exist.
        static func size(of path: String) -> Int64 {
            var status = stat()
            return stat(path, &status) == 0 ? Int64(status.st_size) : 0
        }

        init?(of descriptor: Int32) {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { return nil }
            self.init(status)
        }

        private init(_ status: stat) {
            device = UInt64(status.st_dev)
            number = UInt64(status.st_ino)
        }
    }
#endif
