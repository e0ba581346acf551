import Foundation

/// A file that is written or read sequentially, a line at a time.
final class ArchiveFile {
    private let path: String
    /// The path while the file is written; nil when reading.
    private let unfinished: String?
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private var position = 0

    /// - Throws: ``ActionLogError/Code/unknownFormat`` if the path belongs to a log in a file.
    init(reading path: String) throws(ActionLogError) {
        guard !FileReplacement.belongsToDatabase(path) else {
            throw ActionLogError(.unknownFormat, in: path, "The path belongs to a database, and not to an archive.")
        }
        descriptor = try Self.open(path, O_RDONLY | O_CLOEXEC)
        self.path = path
        unfinished = nil
    }

    /// Creates a file beside the archive, which replaces the archive when it is complete. Until then, an older archive
    /// remains.
    ///
    /// - Throws: ``ActionLogError/Code/refused`` if the path has a file that is not an archive, such as the log itself.
    init(writing path: String) throws(ActionLogError) {
        guard !FileReplacement.belongsToDatabase(path), Self.mayBeReplaced(path) else {
            throw ActionLogError(
                .refused,
                in: path,
                """
                The path has a file that is not an archive, or belongs to a database. Write the archive to another path.
                """
            )
        }
        let unfinished = FileReplacement.unfinishedPath(for: path)
        descriptor = try Self.open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC)
        self.path = path
        self.unfinished = unfinished
    }

    private static func open(_ path: String, _ flags: Int32) throws(ActionLogError) -> Int32 {
        guard !path.utf8.contains(0) else {
            throw ActionLogError(
                .refused,
                in: path,
                "The path contains a NUL character, at which the system would cut it off. Remove it."
            )
        }
        let descriptor = Foundation.open(path, flags, 0o600)
        guard descriptor >= 0 else { throw ActionLogError.system(errno, in: path) }
        return descriptor
    }

    deinit {
        close(descriptor)
        // A complete file has its final name by now.
        if let unfinished { unlink(unfinished) }
    }

    /// Returns whether a file can be replaced without loss: it does not exist, is empty, or begins like an archive.
    private static func mayBeReplaced(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return true }
        guard status.st_mode & S_IFMT == S_IFREG else { return false }
        guard status.st_size > 0 else { return true }
        guard let archive = try? ArchiveFile(reading: path) else { return false }
        // A file without line breaks may be one line as long as the file.
        guard (try? archive.fill()) == true, let end = archive.buffer.firstIndex(of: UInt8(ascii: "\n")) else {
            return false
        }
        let line = try? JSONDecoder().decode(ArchiveLine.self, from: Data(archive.buffer[..<end]))
        return line?.kind == .log
    }

    // MARK: Writing

    func write(_ line: ArchiveLine) throws(ActionLogError) {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            buffer += try encoder.encode(line)
        } catch {
            throw ActionLogError(.unencodable, in: path, at: line.position, "\(error)")
        }
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count > 1 << 16 { try flush() }
    }

    /// Writes the remaining bytes, syncs the file, and gives it its name.
    func finish() throws(ActionLogError) {
        try flush()
        if let unfinished { try FileReplacement.replace(path, with: unfinished) }
    }

    private func flush() throws(ActionLogError) {
        var rest = buffer[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                guard errno == EINTR else { throw ActionLogError.system(errno, in: path) }
                continue
            }
            rest = rest.dropFirst(count)
        }
        buffer.removeAll(keepingCapacity: true)
    }

    // MARK: Reading

    /// Returns the next line; nil at the end of the file.
    func readLine(_ number: Int) throws(ActionLogError) -> ArchiveLine? {
        var end = position
        while true {
            if let found = buffer[end...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { position = found + 1 }
                do {
                    return try JSONDecoder().decode(ArchiveLine.self, from: Data(buffer[position..<found]))
                } catch {
                    throw ActionLogError(.damaged, in: path, "Line \(number) of the archive cannot be read: \(error)")
                }
            }
            buffer.removeFirst(position)
            position = 0
            end = buffer.count
            if try !fill() {
                if buffer.isEmpty { return nil }
                throw ActionLogError(.damaged, in: path, "Line \(number) of the archive is truncated.")
            }
        }
    }

    private func fill() throws(ActionLogError) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &bytes, bytes.count)
            if count < 0 {
                guard errno == EINTR else { throw ActionLogError.system(errno, in: path) }
                continue
            }
            buffer += bytes[..<count]
            return count > 0
        }
    }
}
