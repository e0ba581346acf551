#if Journal
    import Foundation

    /// The file beside a journal that its writer holds locked, and that says which revision is on disk for sure.
    ///
    /// The system lets the lock go when the process ends, however it does. The revision is what finds an end that was
    /// cut off: SQLite takes a damaged end of its log for a transaction that was never finished, and drops it in
    /// silence.
    final class JournalLock: Sendable {
        private let path: String
        let descriptor: Int32

        /// Takes the lock.
        ///
        /// - Parameter journal: The journal, which names the file and is named in errors.
        init(of journal: String) throws(JournalError) {
            path = journal + "-lock"
            // Children must not inherit it, because they would hold the lock when this process is gone.
            descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
            guard descriptor >= 0 else { throw JournalError(journal, .system(code: errno)) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                // All that is stored has been set by now, so that `deinit` closes the file.
                throw JournalError(journal, errno == EWOULDBLOCK ? .inUse : .system(code: errno))
            }
        }

        deinit {
            guard descriptor >= 0 else { return }
            // Closing alone would leave the lock with a child that is being started just now: between fork and exec it
            // has a copy of the descriptor.
            flock(descriptor, LOCK_UN)
            close(descriptor)
        }

        /// The revision that was noted last; zero if there is none, or if it cannot be read.
        var revision: UInt64 {
            var bytes = [UInt8](repeating: 0, count: 12)
            guard pread(descriptor, &bytes, bytes.count, 0) == bytes.count else { return 0 }
            let revision = bytes[..<8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return Self.bytes(of: revision) == bytes ? revision : 0
        }

        /// Notes a revision that is on disk. It need not get there itself: an older one does no harm.
        func note(_ revision: UInt64) {
            let bytes = Self.bytes(of: revision)
            _ = pwrite(descriptor, bytes, bytes.count, 0)
        }

        private static func bytes(of revision: UInt64) -> [UInt8] {
            var checksum = Checksum()
            checksum.add(revision)
            return bytes(revision) + bytes(checksum.value)
        }

        /// The lowest first.
        private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
            withUnsafeBytes(of: number.littleEndian) { Array($0) }
        }
    }
#endif
