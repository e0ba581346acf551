#if Journal
    @testable import ActorStoreJournal
    import Foundation

    /// A directory for a test, which goes with it.
    final class Workplace: Sendable {
        let directory: URL

        init() throws {
            directory = FileManager.default.temporaryDirectory.appendingPathComponent("journal-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(at: directory) }

        var journal: String { path("journal") }

        func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

        /// Copies a journal as it is at this moment, with what SQLite has beside it: as if the power had been cut.
        func copyJournal(to name: String) throws -> String {
            for end in ["", "-wal", "-lock"] where FileManager.default.fileExists(atPath: journal + end) {
                try FileManager.default.copyItem(atPath: journal + end, toPath: path(name) + end)
            }
            return path(name)
        }

        /// Changes the journal with SQLite's own means, as somebody does who should not.
        func change(_ statements: String...) throws {
            let connection = try SQLiteConnection(path: journal, creates: false)
            for statement in statements { try connection.execute(statement) }
        }

        /// A journal with the numbers up to `count`, closed.
        func fill(_ count: Int, _ configuration: JournalConfiguration = JournalConfiguration()) async throws {
            let store = try await NotebookStore.open(at: journal, configuration)
            try await store.write(1...count)
            try await store.end()
        }

        /// Fills the journal with so many actions, with a snapshot after one of them.
        func fill(_ count: Int, snapshotAt revision: Int) async throws {
            let store = try await NotebookStore.open(at: journal)
            try await store.write(1...revision)
            try await store.checkpoint()
            if revision < count { try await store.write(revision + 1...count) }
            try await store.end()
        }
    }

    extension JournalConfiguration {
        static let skipping = JournalConfiguration(brokenRecords: .skip)
    }
#endif
