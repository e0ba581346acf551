#if SQLite
    import ActorStorePersistence
    import Foundation

    /// A small file beside a log that records the last acknowledged entry.
    ///
    /// SQLite treats a damaged end of its write-ahead log as an unfinished transaction, and silently drops it. This
    /// file detects that, and a file that was restored from a backup. It is not synced to the disk: an older note is
    /// harmless.
    final class EndNote {
        private let path: String
        private var descriptor: Int32 = -1
        /// What was read last; nil before.
        private var lastRead: ActionLogPoint??
        /// The size of a note is a multiple of this number of bytes.
        private static let block = 512
        /// The maximum number of bytes. The names of origins are shorter.
        private static let limit = 64 << 10

        init(of log: String) { path = log + "-end" }

        deinit { if descriptor >= 0 { close(descriptor) } }

        /// Returns the last acknowledged entry, even if another log at this path acknowledged it; nil if it is unknown.
        ///
        /// A connection that is in use needs no descriptors for that: without any, it returns what it has read before.
        ///
        /// - Throws: `ActionLogError` if the file was not read before, and cannot be opened at the moment. A loss would
        ///   not be detected.
        func read() throws(ActionLogError) -> ActionLogPoint? {
            let file = Foundation.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            if file < 0, ActionLogError.isShortage(errno) {
                guard let lastRead else { throw .system(errno, in: path) }
                return lastRead
            }
            defer { if file >= 0 { close(file) } }
            let point = file >= 0 ? Self.read(from: file) : nil
            lastRead = .some(point)
            return point
        }

        private static func read(from file: Int32) -> ActionLogPoint? {
            var data = [UInt8](repeating: 0, count: Self.limit)
            let count = Foundation.read(file, &data, data.count)
            guard let end = data[..<max(count, 0)].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            // A shorter note may have been written over a longer one.
            let words = String(decoding: data[..<end], as: UTF8.self).split(separator: " ")
            let name = words.count == 4 ? "" : words.last.map(String.init) ?? ""
            guard words.count == 4 || words.count == 5, let position = UInt64(words[2]), let number = UInt64(words[3]),
                let origin = Self.decoded(name),
                String(words[0]) == Self.checksum("\(words[1]) \(position) \(number) \(name)")
            else { return nil }
            return ActionLogPoint(position: position, identity: .init(origin: origin, number: number))
        }

        /// Returns the text that was percent-encoded; nil if that is damaged. `removingPercentEncoding` drops a byte
        /// order mark at the start.
        private static func decoded(_ text: String) -> String? {
            var (bytes, rest): ([UInt8], Substring) = ([], text[...])
            while let character = rest.popFirst() {
                guard character == "%" else {
                    bytes += Array(character.utf8)
                    continue
                }
                guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
                bytes.append(byte)
                rest = rest.dropFirst(2)
            }
            return String(validating: bytes, as: UTF8.self)
        }

        /// Records that everything up to a point is acknowledged.
        func write(_ point: ActionLogPoint, of identity: UUID) {
            guard let entry = point.identity,
                let origin = entry.origin.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
            else { return }
            let words = "\(identity.uuidString) \(point.position) \(entry.number) \(origin)"
            var bytes = Array("\(Self.checksum(words)) \(words) ".utf8)
            let size = (bytes.count / Self.block + 1) * Self.block
            guard size <= Self.limit, open() else { return }
            bytes += [UInt8](repeating: UInt8(ascii: " "), count: size - 1 - bytes.count) + [UInt8(ascii: "\n")]
            // One write, so that the file has the old or the new content if the process ends meanwhile.
            _ = pwrite(descriptor, bytes, bytes.count, 0)
        }

        /// Opens the file, again if another program has deleted or replaced it.
        private func open() -> Bool {
            var status = stat()
            if descriptor >= 0, fstat(descriptor, &status) == 0, status.st_nlink > 0 { return true }
            if descriptor >= 0 { close(descriptor) }
            descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            return descriptor >= 0
        }

        /// Deletes what was recorded.
        func clear() { truncate(path, 0) }

        private static func checksum(_ text: String) -> String {
            var checksum = Checksum()
            checksum.add(text)
            return String(checksum.value, radix: 16)
        }
    }
#endif
