import Foundation

/// A file's whole content.
struct InputFile: Sendable {
    /// The path as the user wrote it, for messages.
    let path: String
    let bytes: [UInt8]

    /// Larger files are refused instead of filling the memory, including endless devices.
    static let largestSize = 1 << 30

    private static let chunkSize = 1 << 20

    /// Reads any path: a file, a pipe, standard input.
    ///
    /// Calls the system itself because the reason of a failure matters: the error of a wrong path distinguishes "no
    /// such file", "a directory" and "permission denied".
    init(path: String) throws(InputFileError) {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { throw .cannotOpen(path: path, reason: .lastSystemError) }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: Self.chunkSize)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR { continue }
                if errno == EISDIR { throw .isDirectory(path: path) }
                throw .cannotRead(path: path, reason: .lastSystemError)
            }
            guard content.count + count <= Self.largestSize else { throw .tooLarge(path: path) }
            content += chunk[..<count]
        }
        self.path = path
        bytes = content
    }

    /// Content that is in memory already.
    init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }
}
