#if Journal
    import Foundation

    /// A file that is written or read from its beginning to its end, a line at a time.
    final class ArchiveFile {
        private let path: String
        private let descriptor: Int32
        private var buffer: [UInt8] = []
        private var position = 0

        init(reading path: String) throws(JournalError) {
            self.path = path
            descriptor = open(path, O_RDONLY | O_CLOEXEC)
            if descriptor < 0 { throw JournalError(path, .system(code: errno)) }
        }

        init(writing path: String) throws(JournalError) {
            self.path = path
            descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
            if descriptor < 0 { throw JournalError(path, .system(code: errno)) }
        }

        deinit { if descriptor >= 0 { close(descriptor) } }

        func write(_ line: ArchiveLine) throws(JournalError) {
            do {
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
                buffer += try encoder.encode(line)
            } catch {
                throw JournalError(path, revision: line.revision, .unencodable("\(error)"))
            }
            buffer.append(UInt8(ascii: "\n"))
            if buffer.count > 1 << 16 { try flush() }
        }

        /// Writes what is left, and waits for the disk.
        func finish() throws(JournalError) {
            try flush()
            if fsync(descriptor) != 0 { throw JournalError(path, .system(code: errno)) }
        }

        private func flush() throws(JournalError) {
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
                if count < 0 { throw JournalError(path, .system(code: errno)) }
                rest = rest.dropFirst(count)
            }
            buffer.removeAll(keepingCapacity: true)
        }

        /// The next line; nil at the end of the file.
        func readLine(_ number: Int) throws(JournalError) -> ArchiveLine? {
            var end = position
            while true {
                if let found = buffer[end...].firstIndex(of: UInt8(ascii: "\n")) {
                    defer { position = found + 1 }
                    do {
                        return try JSONDecoder().decode(ArchiveLine.self, from: Data(buffer[position..<found]))
                    } catch {
                        throw JournalError(path, .undecodable("Line \(number): \(error)"))
                    }
                }
                buffer.removeFirst(position)
                position = 0
                end = buffer.count
                if try !fill() {
                    if buffer.isEmpty { return nil }
                    throw JournalError(path, .undecodable("Line \(number) is cut off."))
                }
            }
        }

        private func fill() throws(JournalError) -> Bool {
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            let count = read(descriptor, &bytes, bytes.count)
            if count < 0 { throw JournalError(path, .system(code: errno)) }
            buffer += bytes[..<count]
            return count > 0
        }
    }
#endif
