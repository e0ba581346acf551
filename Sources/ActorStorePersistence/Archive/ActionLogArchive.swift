import ActorStore
import Foundation

/// Archives of logs as text, with a line of JSON per entry. Keep them elsewhere, read them, or restore them to a log of
/// any engine.
///
/// ```swift
/// try await orders.export(to: "orders.jsonl")
/// try await ActionLogArchive.restore(from: "orders.jsonl", to: PostgresLog(server, stream: "orders"))
/// ```
public enum ActionLogArchive {
    /// Writes the contents of an archive to an empty log.
    ///
    /// The whole archive is checked before anything is written. From the first write until this returns, opening the
    /// log throws ``ActionLogError/Code/damaged``. If the process ends meanwhile, delete the log and repeat this. A
    /// cancelled task does not end it.
    ///
    /// - Parameters:
    ///   - archive: The path of a file that ``DurableStore/export(to:isolation:)`` has written.
    ///   - log: The log, which must be empty.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Returns: The number of entries.
    /// - Throws: ``ActionLogError``: ``ActionLogError/Code/notEmpty`` if the log is not empty;
    ///   ``ActionLogError/Code/damaged`` if the archive is damaged; ``ActionLogError/Code/unknownFormat`` if the file
    ///   is not an archive, or is of another version of this library; ``ActionLogError/Code/tooLarge`` if the log
    ///   refuses an entry of this size; the errors of the log; among them ``ActionLogError/Code/unexpectedEnd`` and
    ///   ``ActionLogError/Code/damaged`` if a store that accepts losses has opened the log meanwhile. If a part was
    ///   already written, delete the log before the next attempt.
    /// - Complexity: O(*n*), where *n* is the size of the archive.
    @discardableResult
    public static func restore(
        from archive: String,
        to log: some ActionLog,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(ActionLogError) -> UInt64 {
        try await ArchiveWork().restore(from: archive, to: log)
    }
}

extension DurableStore {
    /// Writes the whole log to an archive; see ``ActionLogArchive``. The store continues meanwhile.
    ///
    /// - Parameters:
    ///   - path: The path of the archive. An existing archive is replaced when the new one is complete.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Returns: The number of written entries: all that the log has, including those of actions that were accepted
    ///   before the call; if older ones were deleted, all after the oldest readable snapshot.
    /// - Throws: An ``ActionLogError`` if an entry cannot be read, or the archive cannot be written. A
    ///   `CancellationError` if the task is cancelled while actions are waiting to be written, but not afterwards. A
    ///   failed export leaves no file. If the process is killed meanwhile, delete the file whose name begins with that
    ///   of the archive, and continues with a UUID.
    /// - Complexity: O(*n*), where *n* is the size of the log.
    @discardableResult
    public func export(to path: String, isolation: isolated (any Actor)? = #isolation) async throws -> UInt64 {
        try await commit()
        let snapshots = SnapshotCoding(coding: log.coding)
        return try await ArchiveWork().export(log.writer.log, to: path) { snapshot, connection throws(ActionLogError) in
            do throws(ActionLogError) {
                let _: LoggedState<State> = try snapshots.load(snapshot, by: connection)
                return true
            } catch {
                guard error.isOfUnreadableState else { throw error }
                return false
            }
        }
    }
}

/// Reads and writes archives on a separate thread.
actor ArchiveWork {
    private nonisolated let thread = BlockingThread(named: "ActorStorePersistence.archive")
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
}

extension ActionLogError {
    /// Whether a snapshot cannot be used because of what it contains.
    fileprivate var isOfUnreadableState: Bool {
        [.damaged, .undecodable, .unknownSchema, .unknownFormat].contains(code)
    }
}
