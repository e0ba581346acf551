import ActorStore
public import ActorStoreCommands
public import Foundation

/// Storage of a `SharedValue` in a JSON file.
///
/// A value is first written to a temporary file beside it, which then replaces it. Both steps are flushed to disk, so
/// that the file is never half written, and a saved value survives a crash or a power failure. The new file has the
/// default access mode of the process, and replaces a symbolic link instead of the file that it points to: to restrict
/// access to the file, restrict access to the directory. The file belongs to one shared value at a time: two would
/// overwrite each other's changes. Encoding, reading and writing run on a queue of the file's own, whose thread may
/// block, and not within the store's turn or on the threads of tasks.
public struct FilePersistence<Value: Codable & Sendable>: PersistenceStrategy {
    private let url: URL
    private let queue: DispatchQueue

    /// Creates storage in a file.
    ///
    /// - Parameter url: The file, which need not exist, in a directory that exists and is readable.
    public init(at url: URL) {
        self.url = url
        queue = DispatchQueue(label: "FilePersistence")
    }

    /// Reads the file.
    ///
    /// - Returns: The value, or nil if the file does not exist.
    /// - Throws: The file error, or a `DecodingError` if the file has other content.
    public func load() async throws -> Value? {
        try await onQueue {
            do {
                return try JSONDecoder().decode(Value.self, from: Data(contentsOf: url))
            } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
                return nil
            }
        }
    }

    /// Writes the file.
    ///
    /// - Throws: The file error, or an `EncodingError`.
    public func save(_ value: Value) async throws {
        try await onQueue {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            try encoder.encode(value).write(to: url, options: .atomic)
            // Until the directory is flushed, it can refer to the former file again after a power failure.
            let directory = try FileHandle(forReadingFrom: url.deletingLastPathComponent())
            try directory.synchronize()
            try directory.close()
        }
    }

    private func onQueue<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result { try work() }) }
        }
    }
}
