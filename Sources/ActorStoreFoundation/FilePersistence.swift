import ActorStore
public import ActorStoreCommands
public import Foundation

/// Keeps a `SharedValue` value in a file, as JSON.
///
/// A value is written to a file beside it first, which then takes its place, both down to the disk, so that the file
/// is never half written, and a value that was saved is not lost, whatever happens. The new file has the access mode
/// of the process's new files, and takes the place of a symbolic link rather than of the file to which it leads: to
/// restrict who reads it, restrict the directory. The file belongs to one shared value at a time: two would overwrite
/// each other's changes. Encoding, reading and writing happen on a queue of the file's own, whose thread may block, and
/// not in the store's turn or on the threads of tasks.
public struct FilePersistence<Value: Codable & Sendable>: PersistenceStrategy {
    private let url: URL
    private let queue: DispatchQueue

    /// Keeps a value in a file.
    ///
    /// - Parameter url: The file, which need not be there, in a directory that is, and may be read.
    public init(at url: URL) {
        self.url = url
        queue = DispatchQueue(label: "FilePersistence")
    }

    /// Reads the file; nil if it is not there.
    ///
    /// - Throws: what went wrong with the file, or a `DecodingError` if it holds something else.
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
    /// - Throws: what went wrong with the file, or an `EncodingError`.
    public func save(_ value: Value) async throws {
        try await onQueue {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            try encoder.encode(value).write(to: url, options: .atomic)
            // Until that is on the disk, the directory can name the former file again after a power cut.
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
