#if SQLite
    @testable import ActorStorePersistence
    import ActorStoreSQLite
    import Foundation

    /// A folder for a test, which is deleted with it.
    final class Workplace: Sendable {
        let directory: URL

        init() throws {
            directory = FileManager.default.temporaryDirectory.appendingPathComponent("durable-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(at: directory) }

        var log: String { path("log") }

        func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

        /// Copies the current log, with SQLite's other files: as after a power loss.
        func copyLog(to name: String) throws -> String {
            // The record of the end first, so that the copies of the others have at least what it records.
            for end in ["-end", "", "-wal"] where FileManager.default.fileExists(atPath: log + end) {
                try FileManager.default.copyItem(atPath: log + end, toPath: path(name) + end)
            }
            return path(name)
        }

        /// Changes the log with SQLite's own means, like an unauthorised program.
        func change(_ statements: String...) throws {
            for statement in statements { try shell(log, statement) }
        }

        /// A log with the numbers up to `count`, closed.
        func fill(
            _ count: Int,
            _ configuration: DurabilityConfiguration = DurabilityConfiguration(snapshotAtShutdown: false)
        ) async throws {
            let store = try await NotebookStore.open(at: log, configuration)
            try await store.write(1...count)
            await store.end()
        }

        /// Fills the log with a number of actions, with a snapshot after one of them.
        func fill(_ count: Int, snapshotAt revision: Int) async throws {
            let store = try await NotebookStore.open(at: log)
            try await store.write(1...revision)
            try await store.checkpoint()
            if revision < count { try await store.write(revision + 1...count) }
            await store.end()
        }
    }

    extension DurabilityConfiguration {
        static let accepting = DurabilityConfiguration(snapshotAtShutdown: false, recovery: .acceptingLoss)
    }
#endif
