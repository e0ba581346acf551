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
        private static let size = 512

        init(of log: String) { path = log + "-end" }

        deinit { if descriptor >= 0 { close(descriptor) } }

        /// Returns the last acknowledged entry, even if another log at this path acknowledged it; nil if it is unknown.
        func read() -> ActionLogPoint? {
            guard let data = FileManager.default.contents(atPath: path),
                let words = Optional(String(decoding: data, as: UTF8.self).split(separator: " ", maxSplits: 5)),
                words.count == 6, words[5].hasPrefix("\n") || words[5].allSatisfy(\.isWhitespace),
                let position = UInt64(words[2]), let number = UInt64(words[3]),
                let origin = String(words[4]).removingPercentEncoding,
                String(words[0]) == Self.checksum(words[1...4].joined(separator: " "))
            else { return nil }
            return ActionLogPoint(position: position, identity: .init(origin: origin, number: number))
        }

        /// Records that everything up to a point is acknowledged.
        func write(_ point: ActionLogPoint, of identity: UUID) {
            if descriptor < 0 { descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
            guard descriptor >= 0, let entry = point.identity,
                let origin = entry.origin.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
            else { return }
            let words = "\(identity.uuidString) \(point.position) \(entry.number) \(origin)"
            var bytes = Array("\(Self.checksum(words)) \(words) ".utf8)
            // One write, so that the file has the old or the new content if the process ends meanwhile.
            guard bytes.count < Self.size else { return }
            bytes += [UInt8](repeating: UInt8(ascii: " "), count: Self.size - 1 - bytes.count) + [UInt8(ascii: "\n")]
            _ = pwrite(descriptor, bytes, bytes.count, 0)
        }

        private static func checksum(_ text: String) -> String {
            var checksum = Checksum()
            checksum.add(text)
            return String(checksum.value, radix: 16)
        }
    }
#endif
