#if Journal
    import ActorStore
    @testable import ActorStoreJournal
    import struct ActorStorePersistence.JSONStateCodec
    import struct ActorStorePersistence.StateCoding
    import struct ActorStorePersistence.StateSchema
    import ActorStoreSimulation
    import CSQLite
    import Foundation
    import Testing

    @Suite("Journals that are damaged", .timeLimit(.minutes(10)))
    struct BrokenJournalTests {
        let workplace: Workplace

        init() throws { workplace = try Workplace() }

        func expect(_ cause: JournalError.Cause, at revision: UInt64? = nil, _ place: SourceLocation = #_sourceLocation)
            async
        {
            let error = JournalError(workplace.journal, revision: revision, cause)
            await #expect(throws: error, sourceLocation: place) { try await NotebookStore.open(at: workplace.journal) }
            #expect(error.description.contains(workplace.journal))
        }

        @Test("An action that was changed stops the recovery, which names it, or is left out and reported")
        func changedAction() async throws {
            try await workplace.fill(10)
            try workplace.change("UPDATE actions SET payload = replace(payload, '5', '6') WHERE revision = 5")
            await expect(.brokenRecord, at: 5)
            let store = try await NotebookStore.open(at: workplace.journal, .skipping)
            #expect(store.snapshot.numbers == [1, 2, 3, 4, 6, 7, 8, 9, 10])
            #expect(store.recovery.skipped == [JournalError(workplace.journal, revision: 5, .brokenRecord)])
            #expect(store.revision == 10)
            try await store.end()
        }

        @Test("The past leaves out what the recovery has left out, and names any other action that cannot be read")
        func pastOfAStoreWithSkippedActions() async throws {
            try await workplace.fill(6)
            try workplace.change(
                "UPDATE actions SET payload = replace(payload, '3', '7') WHERE revision = 3",
                "DELETE FROM actions WHERE revision = 5"
            )
            let store = try await NotebookStore.open(at: workplace.journal, .skipping)
            #expect(store.snapshot.numbers == [1, 2, 4, 6])
            #expect(try await store.state(at: 2).numbers == [1, 2])
            #expect(try await store.state(at: 4).numbers == [1, 2, 4])
            #expect(try await store.state(at: 6).numbers == [1, 2, 4, 6])
            try workplace.change("UPDATE actions SET payload = replace(payload, '2', '7') WHERE revision = 2")
            // The store has it, and has never had a state without it.
            await #expect(throws: JournalError(workplace.journal, revision: 2, .brokenRecord)) {
                try await store.state(at: 4)
            }
            #expect(try await store.state(at: 1).numbers == [1])
            try await store.end()
        }

        @Test("The past leaves out the missing actions at its beginning that the recovery has left out, and no others")
        func pastWithoutTheFirstActions() async throws {
            try await workplace.fill(6)
            try workplace.change("DELETE FROM actions WHERE revision = 1")
            let store = try await NotebookStore.open(at: workplace.journal, .skipping)
            #expect(store.snapshot.numbers == [2, 3, 4, 5, 6])
            #expect(try await store.state(at: 2).numbers == [2])
            #expect(try await store.state(at: 6).numbers == [2, 3, 4, 5, 6])
            // The store has it, and has never had a state without it.
            try workplace.change("DELETE FROM actions WHERE revision = 2")
            await #expect(throws: JournalError(workplace.journal, revision: 6, .unknownRevision)) {
                try await store.state(at: 6)
            }
            try await store.end()
        }

        @Test("The past leaves out the missing actions behind a snapshot that the recovery has left out, and no others")
        func pastWithoutTheActionsBehindASnapshot() async throws {
            try await workplace.fill(8, snapshotAt: 3)
            try workplace.change("DELETE FROM actions WHERE revision = 4")
            let store = try await NotebookStore.open(at: workplace.journal, .skipping)
            #expect(store.snapshot.numbers == [1, 2, 3, 5, 6, 7, 8])
            #expect(try await store.state(at: 3).numbers == [1, 2, 3])
            #expect(try await store.state(at: 5).numbers == [1, 2, 3, 5])
            #expect(try await store.state(at: 8).numbers == [1, 2, 3, 5, 6, 7, 8])
            // The store has it, and has never had a state without it.
            try workplace.change("DELETE FROM actions WHERE revision = 5")
            await #expect(throws: JournalError(workplace.journal, revision: 8, .unknownRevision)) {
                try await store.state(at: 8)
            }
            try await store.end()
        }

        @Test("An action from before the snapshot that cannot be read is not left out of the past")
        func pastBeforeTheSnapshot() async throws {
            try await workplace.fill(5, snapshotAt: 5)
            try workplace.change("UPDATE actions SET payload = replace(payload, '3', '7') WHERE revision = 3")
            let store = try await NotebookStore.open(at: workplace.journal, .skipping)
            #expect(store.recovery.skipped.isEmpty)
            #expect(try await store.state(at: 5).numbers == Array(1...5))
            await #expect(throws: JournalError(workplace.journal, revision: 3, .brokenRecord)) {
                try await store.state(at: 4)
            }
            try await store.end()
        }

        @Test("Actions that are missing stop the recovery, which says from where to where, or are reported")
        func missingActions() async throws {
            try await workplace.fill(10)
            try workplace.change("DELETE FROM actions WHERE revision IN (4, 5)")
            await expect(.missingRecords(next: 6), at: 4)
            let store = try await NotebookStore.open(at: workplace.journal, .skipping)
            #expect(store.snapshot.numbers == [1, 2, 3, 6, 7, 8, 9, 10])
            try await store.end()
        }

        @Test("A missing end is found")
        func missingEnd() async throws {
            try await workplace.fill(10)
            try workplace.change("DELETE FROM actions WHERE revision > 8")
            await expect(.lostEnd(expected: 10), at: 8)
            let store = try await NotebookStore.open(at: workplace.journal, .skipping)
            #expect(store.recovery.skipped.map(\.cause) == [.lostEnd(expected: 10)])
            try await store.write([9])
            try await store.end()
            let second = try await NotebookStore.open(at: workplace.journal)
            #expect(second.snapshot.numbers == Array(1...9))
            try await second.end()
        }

        @Test("A log of SQLite that was cut off is found, where SQLite drops its end in silence")
        func truncatedLog() async throws {
            let store = try await NotebookStore.open(at: workplace.journal)
            try await store.write(1...20)
            let copy = try workplace.copyJournal(to: "copy")
            let log = try Data(contentsOf: URL(fileURLWithPath: copy + "-wal"))
            try log.prefix(log.count - 100).write(to: URL(fileURLWithPath: copy + "-wal"))
            await #expect(throws: JournalError(copy, revision: 19, .lostEnd(expected: 20))) {
                try await NotebookStore.open(at: copy)
            }
            try await store.end()
        }

        @Test("A file that was cut off is an error, whatever is left of it")
        func truncatedFile() async throws {
            try await workplace.fill(2_000)
            let whole = try Data(contentsOf: URL(fileURLWithPath: workplace.journal))
            for count in stride(from: whole.count - 4_096, to: 0, by: -4_001) {
                try whole.prefix(count).write(to: URL(fileURLWithPath: workplace.journal))
                await #expect(throws: JournalError.self) { try await NotebookStore.open(at: workplace.journal) }
            }
            try Data().write(to: URL(fileURLWithPath: workplace.journal))
            await expect(.lostEnd(expected: 2_000), at: 0)
        }

        @Test("Any bit that flips is an error, or does not matter: the state is never another one")
        func flippedBits() async throws {
            try await workplace.fill(300, JournalConfiguration(snapshots: SnapshotInterval(actions: 100)))
            let url = URL(fileURLWithPath: workplace.journal)
            let whole = try Data(contentsOf: url)
            var generator = SimulationGenerator(seed: 1)
            var errors = 0
            for _ in 0..<400 {
                var data = whole
                data[Int.random(in: 0..<data.count, using: &generator)] ^=
                    1 << UInt8.random(in: 0..<8, using: &generator)
                // A recovery that fails can leave its log behind.
                for end in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: workplace.journal + end) }
                try data.write(to: url)
                do {
                    let store = try await NotebookStore.open(at: workplace.journal)
                    #expect(store.snapshot.numbers == Array(1...300))
                    try await store.end()
                } catch is JournalError {
                    errors += 1
                }
            }
            #expect(errors > 0)
        }

        @Test("Other files, other databases and other formats are told from journals, and left as they are")
        func otherFiles() async throws {
            let url = URL(fileURLWithPath: workplace.journal)
            let text = Data(String(repeating: "Not a database. ", count: 100).utf8)
            try text.write(to: url)
            await expect(.notAJournal)
            #expect(try Data(contentsOf: url) == text)
            try FileManager.default.removeItem(at: url)
            do {
                let other = try SQLiteConnection(path: workplace.journal, creates: true)
                try other.execute("CREATE TABLE guests (name TEXT)")
            }
            await expect(.notAJournal)
            try FileManager.default.removeItem(at: url)
            try await workplace.fill(1)
            try workplace.change("PRAGMA user_version=9")
            await expect(.unknownFormat(9))
        }

        @Test("A directory that is not there is an error that names the file")
        func noDirectory() async throws {
            let path = workplace.path("nowhere/journal")
            await #expect(throws: JournalError(path, .system(code: ENOENT))) { try await NotebookStore.open(at: path) }
        }

        @Test("Actions of a newer schema stop the recovery")
        func newerSchema() async throws {
            try await workplace.fill(3, JournalConfiguration(schema: StateSchema(version: 4)))
            await expect(.unknownSchema(4), at: 1)
        }

        @Test("Older actions and snapshots are migrated, and new ones written beside them")
        func migration() async throws {
            // In version 1 the numbers were written as text.
            let first = try await Store.durable(at: workplace.journal, initialState: [String]()) {
                (state: inout [String], action: String) in state.append(action)
            }
            for number in 1...3 { try await first.dispatch("\(number)") }
            try await first.checkpoint()
            for number in 4...6 { try await first.dispatch("\(number)") }
            try await first.shutdown(drain: .finishEffects)
            func open(_ schema: StateSchema) async throws -> DurableStore<[Int], Int> {
                try await Store.durable(
                    at: workplace.journal,
                    initialState: [Int](),
                    journal: JournalConfiguration(schema: schema)
                ) { (state: inout [Int], action: Int) in state.append(action) }
            }
            let migrateAction: StateSchema.Migration = { version, data in
                #expect(version == 1)
                return try JSONEncoder().encode(Int(JSONDecoder().decode(String.self, from: data)))
            }
            let second = try await open(StateSchema(version: 2, migrateAction: migrateAction))
            #expect(second.snapshot == Array(1...6))
            #expect(second.recovery.snapshot == nil)
            #expect(second.recovery.skipped == [JournalError(workplace.journal, revision: 3, .unknownSchema(1))])
            try await second.dispatch(7)
            try await second.shutdown(drain: .finishEffects)
            let schema = StateSchema(version: 2, migrateAction: migrateAction) { _, data in
                try JSONEncoder().encode(JSONDecoder().decode([String].self, from: data).compactMap { Int($0) })
            }
            let third = try await open(schema)
            #expect(third.snapshot == Array(1...7))
            #expect(third.recovery.snapshot == 3)
            try await third.shutdown(drain: .finishEffects)
            struct Lost: Error {}
            do {
                _ = try await open(StateSchema(version: 3, migrateAction: { _, _ in throw Lost() }))
                Issue.record("The migration has failed.")
            } catch let error as JournalError {
                #expect(error == JournalError(workplace.journal, revision: 1, .undecodable("Lost()")))
            }
        }

        @Test("A journal's error shows why an action cannot be migrated, except what is redactable")
        func redaction() async throws {
            struct Key: Redactable { let text = "SECRET" }
            struct Undecipherable: Error { let key = Key() }
            try await workplace.fill(1)
            let schema = StateSchema(version: 2, migrateAction: { _, _ in throw Undecipherable() })
            let cause = JournalError.Cause.undecodable("Undecipherable(key: <redacted>)")
            await #expect(throws: JournalError(workplace.journal, revision: 1, cause)) {
                try await NotebookStore.open(at: workplace.journal, JournalConfiguration(schema: schema))
            }
        }

        @Test("An action that cannot be encoded ends the journal before it, and no further action is taken")
        func unencodable() async throws {
            let first = try await NotebookStore.open(at: workplace.journal)
            try await first.write(1...5)
            do {
                try await first.dispatch(.riddle(Notebook.Riddle()))
                Issue.record("Nobody can encode a riddle.")
            } catch let error as JournalError {
                #expect(error.revision == 6)
                guard case .unencodable = error.cause else { throw error }
            }
            await #expect(throws: StoreError.rejected(by: "journal")) { try await first.dispatch(.write(7)) }
            await #expect(throws: JournalError.self) { try await first.end() }
            let second = try await NotebookStore.open(at: workplace.journal)
            #expect(second.snapshot.numbers == Array(1...5))
            try await second.end()
        }
    }

    typealias SourceLocation = Testing.SourceLocation
#endif
