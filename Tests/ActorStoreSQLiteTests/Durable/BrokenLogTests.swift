#if SQLite
    import ActionLogConformance
    import ActorStore
    @testable import ActorStorePersistence
    import ActorStoreSQLite
    import ActorStoreSimulation
    import CSQLite
    import Foundation
    import Testing

    @Suite("Damaged logs", .timeLimit(.minutes(10)))
    struct BrokenLogTests {
        let workplace: Workplace

        init() throws { workplace = try Workplace() }

        /// Expects that a strict recovery stops.
        func expectRecovery(
            _ code: ActionLogError.Code,
            at position: UInt64? = nil,
            _ place: SourceLocation = #_sourceLocation
        ) async {
            await expect(code, at: position, place) { try await NotebookStore.open(at: workplace.log) }
        }

        @Test("A changed action stops the recovery, which names it, or is skipped and reported")
        func changedAction() async throws {
            try await workplace.fill(10)
            try workplace.change("UPDATE entries SET payload = replace(payload, '5', '6') WHERE position = 6")
            await expectRecovery(.damaged, at: 6)
            let store = try await NotebookStore.open(at: workplace.log, .accepting)
            #expect(store.snapshot.numbers == [1, 2, 3, 4, 6, 7, 8, 9, 10])
            #expect(store.recovery.problems.map(\.position) == [6])
            // Skipped actions are not actions of the state.
            #expect(store.revision == 9)
            await store.end()
        }

        @Test("A last action that was changed is left out and reported, however it was changed")
        func changedEnd() async throws {
            for change in [
                "payload = replace(payload, '10', '11')", "checksum = checksum + 1", "number = 99", "origin = 'x'",
            ] {
                let workplace = try Workplace()
                try await workplace.fill(10)
                try workplace.change("UPDATE entries SET \(change) WHERE position = 11")
                await #expect(throws: ActionLogError.self) { try await NotebookStore.open(at: workplace.log) }
                let store = try await NotebookStore.open(at: workplace.log, .accepting)
                #expect(store.snapshot.numbers == Array(1...9))
                // What was acknowledged is missing, too, if the entry has another name.
                #expect(Set(store.recovery.problems.map(\.position)) == [11])
                try await store.write(20...21)
                await store.end()
                let second = try await NotebookStore.open(at: workplace.log)
                #expect(second.snapshot.numbers == Array(1...9) + [20, 21])
                await second.end()
            }
        }

        @Test("The past skips what the recovery skipped, and names any other unreadable action")
        func pastOfAStoreWithSkippedActions() async throws {
            try await workplace.fill(6)
            try workplace.change(
                "UPDATE entries SET payload = replace(payload, '3', '7') WHERE position = 4",
                "DELETE FROM entries WHERE position = 6"
            )
            let store = try await NotebookStore.open(at: workplace.log, .accepting)
            #expect(store.snapshot.numbers == [1, 2, 4, 6])
            #expect(try await store.state(at: 2).numbers == [1, 2])
            #expect(try await store.state(at: 3).numbers == [1, 2, 4])
            #expect(try await store.state(at: 4).numbers == [1, 2, 4, 6])
            try workplace.change("UPDATE entries SET payload = replace(payload, '2', '7') WHERE position = 3")
            // The store has it, and has never had a state without it.
            await expect(.damaged, at: 3) { try await store.state(at: 3) }
            #expect(try await store.state(at: 1).numbers == [1])
            await store.end()
        }

        @Test("The past skips the missing actions that the recovery skipped, and no others", arguments: [0, 3])
        func pastWithMissingActions(snapshot: Int) async throws {
            if snapshot > 0 { try await workplace.fill(8, snapshotAt: 3) } else { try await workplace.fill(8) }
            try workplace.change("DELETE FROM entries WHERE position = 5")
            let store = try await NotebookStore.open(at: workplace.log, .accepting)
            #expect(store.snapshot.numbers == [1, 2, 3, 5, 6, 7, 8])
            #expect(try await store.state(at: 3).numbers == [1, 2, 3])
            #expect(try await store.state(at: 4).numbers == [1, 2, 3, 5])
            #expect(try await store.state(at: 6).numbers == [1, 2, 3, 5, 6, 7])
            // A snapshot of the recovered state is made beside the store.
            while store.statistics.snapshotRevision != 7 { try await Task.sleep(for: .milliseconds(1)) }
            // The store has it, and has never had a state without it.
            try workplace.change("DELETE FROM entries WHERE position = 6")
            await expect(.damaged, at: 6) { try await store.state(at: 6) }
            // A snapshot of the recovered state was made.
            #expect(try await store.state(at: 7).numbers == [1, 2, 3, 5, 6, 7, 8])
            await store.end()
            let next = try await NotebookStore.open(at: workplace.log)
            #expect(next.snapshot.numbers == [1, 2, 3, 5, 6, 7, 8])
            #expect(next.recovery.problems.isEmpty)
            await next.end()
        }

        @Test("An unreadable action before the snapshot is not skipped in the past")
        func pastBeforeTheSnapshot() async throws {
            try await workplace.fill(5, snapshotAt: 5)
            try workplace.change("UPDATE entries SET payload = replace(payload, '3', '7') WHERE position = 4")
            let store = try await NotebookStore.open(at: workplace.log, .accepting)
            #expect(store.recovery.problems.isEmpty)
            #expect(try await store.state(at: 5).numbers == Array(1...5))
            await expect(.damaged, at: 4) { try await store.state(at: 4) }
            await store.end()
        }

        @Test("Missing actions stop the recovery, which names their range, or are reported")
        func missingActions() async throws {
            try await workplace.fill(10)
            try workplace.change("DELETE FROM entries WHERE position IN (5, 6)")
            await expectRecovery(.damaged, at: 5)
            let store = try await NotebookStore.open(at: workplace.log, .accepting)
            #expect(store.snapshot.numbers == [1, 2, 3, 6, 7, 8, 9, 10])
            await store.end()
        }

        @Test("A missing end is detected")
        func missingEnd() async throws {
            try await workplace.fill(10)
            try workplace.change("DELETE FROM entries WHERE position > 9; UPDATE origins SET number = 9")
            await expectRecovery(.lostEntries, at: 11)
            let store = try await NotebookStore.open(at: workplace.log, .accepting)
            #expect(store.recovery.problems.map(\.code) == [.lostEntries])
            try await store.write([9])
            await store.end()
            let second = try await NotebookStore.open(at: workplace.log)
            #expect(second.snapshot.numbers == Array(1...9))
            await second.end()
        }

        @Test("An end that is lost while an opening waits for the former writer is detected")
        func endMissingAfterAWait() async throws {
            let durability = DurabilityConfiguration(snapshotAtShutdown: false)
            let first = try await NotebookStore.open(at: workplace.log, durability)
            try await first.write(1...5)
            let (log, goOn) = (FaultyLog(try SQLiteLog(at: workplace.log)), DispatchSemaphore(value: 0))
            log.fail(.claim, with: .wait(goOn))
            let opening = Task {
                try await Store.durable(
                    in: log,
                    initialState: Notebook.State(),
                    reducer: Notebook(),
                    durability: DurabilityConfiguration(openingTimeout: .seconds(100_000))
                )
            }
            try await until { log.count(of: .claim) == 1 }
            // The opening has not recovered these.
            try await first.write(6...12)
            await first.end()
            try workplace.change("DELETE FROM entries WHERE position > 9")
            goOn.signal()
            await expect(.lostEntries) { try await opening.value }
        }

        @Test("A snapshot of a lost end is not used, and prevents no new one")
        func snapshotOfALostEnd() async throws {
            try await workplace.fill(10, snapshotAt: 10)
            try workplace.change("DELETE FROM entries WHERE position > 9; UPDATE origins SET number = 9")
            await expectRecovery(.lostEntries, at: 11)
            let store = try await NotebookStore.open(at: workplace.log, .accepting)
            #expect(store.snapshot.numbers == Array(1...8))
            #expect(try await store.checkpoint() == 8)
            await store.end()
            let second = try await NotebookStore.open(at: workplace.log)
            #expect(second.snapshot.numbers == Array(1...8))
            #expect(second.recovery.snapshotRevision == 8)
            await second.end()
        }

        @Test("A truncated write-ahead log of SQLite is detected, where SQLite silently drops its end")
        func truncatedLog() async throws {
            // The end is an action, and not a lease that is renewed meanwhile.
            let lasting = DurabilityConfiguration(snapshotAtShutdown: false, leaseDuration: .seconds(3_600))
            let store = try await NotebookStore.open(at: workplace.log, lasting)
            try await store.write(1...20)
            let copy = try workplace.copyLog(to: "copy")
            let log = try Data(contentsOf: URL(fileURLWithPath: copy + "-wal"))
            try log.prefix(log.count - 100).write(to: URL(fileURLWithPath: copy + "-wal"))
            await expect(.lostEntries, at: 21) { try await NotebookStore.open(at: copy) }
            await store.end()
        }

        @Test("A truncated file is an error, whatever is left of it")
        func truncatedFile() async throws {
            try await workplace.fill(2_000)
            try workplace.change("PRAGMA wal_checkpoint(TRUNCATE)")
            let whole = try Data(contentsOf: URL(fileURLWithPath: workplace.log))
            for count in stride(from: whole.count - 4_096, to: 0, by: -4_001) {
                for end in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: workplace.log + end) }
                try whole.prefix(count).write(to: URL(fileURLWithPath: workplace.log))
                await #expect(throws: ActionLogError.self) { try await NotebookStore.open(at: workplace.log) }
            }
            for end in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: workplace.log + end) }
            try Data().write(to: URL(fileURLWithPath: workplace.log))
            await expectRecovery(.lostEntries, at: 2_001)
        }

        @Test("Any flipped bit is an error, or has no effect: the state is never another one")
        func flippedBits() async throws {
            try await workplace.fill(300, DurabilityConfiguration(snapshots: SnapshotInterval(actions: 100)))
            try workplace.change("PRAGMA wal_checkpoint(TRUNCATE)")
            let url = URL(fileURLWithPath: workplace.log)
            let whole = try Data(contentsOf: url)
            var generator = SimulationGenerator(seed: 1)
            var errors = 0
            for _ in 0..<400 {
                var data = whole
                data[Int.random(in: 0..<data.count, using: &generator)] ^=
                    1 << UInt8.random(in: 0..<8, using: &generator)
                // A failing recovery can leave its log behind.
                for end in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: workplace.log + end) }
                try data.write(to: url)
                do {
                    let store = try await NotebookStore.open(at: workplace.log)
                    #expect(store.snapshot.numbers == Array(1...300))
                    await store.end()
                } catch {
                    errors += 1
                }
            }
            #expect(errors > 0)
        }

        @Test("Other files, databases and formats are distinguished from logs, and left unchanged")
        func otherFiles() async throws {
            let url = URL(fileURLWithPath: workplace.log)
            let text = Data(String(repeating: "Not a database. ", count: 100).utf8)
            try text.write(to: url)
            await expectRecovery(.unknownFormat)
            #expect(try Data(contentsOf: url) == text)
            try FileManager.default.removeItem(at: url)
            try Data().write(to: url)
            try workplace.change("CREATE TABLE guests (name TEXT)")
            await expectRecovery(.unknownFormat)
            try FileManager.default.removeItem(at: url)
            try await workplace.fill(1)
            try workplace.change("PRAGMA user_version=9")
            await expectRecovery(.unknownFormat)
        }

        @Test("A missing directory is an error that names the file")
        func noDirectory() async throws {
            let path = workplace.path("nowhere/log")
            await expect(.refused) { try await NotebookStore.open(at: path) }
        }

        @Test("Actions of a newer schema stop the recovery")
        func newerSchema() async throws {
            try await workplace.fill(3, DurabilityConfiguration(schema: StateSchema(version: 4)))
            await expectRecovery(.unknownSchema, at: 2)
        }

        @Test("Older actions and snapshots are migrated, and new ones written beside them")
        func migration() async throws {
            // In version 1 the numbers were written as text.
            let first = try await Store.durable(in: SQLiteLog(at: workplace.log), initialState: [String]()) {
                (state: inout [String], action: String) in state.append(action)
            }
            for number in 1...3 { try await first.dispatch("\(number)") }
            try await first.checkpoint()
            for number in 4...6 { try await first.dispatch("\(number)") }
            await first.shutdown(drain: .finishEffects)
            // And a snapshot of the last one.
            func open(_ schema: StateSchema) async throws -> DurableStore<[Int], Int> {
                try await Store.durable(
                    in: SQLiteLog(at: workplace.log),
                    initialState: [Int](),
                    durability: DurabilityConfiguration(schema: schema)
                ) { (state: inout [Int], action: Int) in state.append(action) }
            }
            let migrateAction: StateSchema.Migration = { version, data in
                #expect(version == 1)
                return try JSONEncoder().encode(Int(JSONDecoder().decode(String.self, from: data)))
            }
            let second = try await open(StateSchema(version: 2, migrateAction: migrateAction))
            #expect(second.snapshot == Array(1...6))
            #expect(second.recovery.snapshotRevision == nil)
            #expect(second.recovery.problems.map(\.code) == [.unknownSchema, .unknownSchema])
            try await second.dispatch(7)
            await second.shutdown(drain: .finishEffects)
            let schema = StateSchema(version: 2, migrateAction: migrateAction) { _, data in
                try JSONEncoder().encode(JSONDecoder().decode([String].self, from: data).compactMap { Int($0) })
            }
            let third = try await open(schema)
            #expect(third.snapshot == Array(1...7))
            // The one of the second program, which is already of version 2.
            #expect(third.recovery.snapshotRevision == 7)
            await third.shutdown(drain: .finishEffects)
            struct Lost: Error {}
            await expect(.undecodable) {
                try await open(StateSchema(version: 3, migrateAction: { _, _ in throw Lost() }))
            }
        }

        @Test("The error of a failed migration describes the action, and omits redactable values")
        func redaction() async throws {
            struct Key: Redactable { let text = "SECRET" }
            struct Undecipherable: Error { let key = Key() }
            try await workplace.fill(1)
            let schema = StateSchema(version: 2, migrateAction: { _, _ in throw Undecipherable() })
            let error = await #expect(throws: ActionLogError.self) {
                try await NotebookStore.open(at: workplace.log, DurabilityConfiguration(schema: schema))
            }
            #expect(error?.description.contains("Undecipherable(key: <redacted>)") == true)
            #expect(error?.description.contains("SECRET") == false)
        }

        @Test("An action that cannot be encoded, or is too large, is refused before its reduction")
        func unencodable() async throws {
            let first = try await NotebookStore.open(at: workplace.log)
            try await first.write(1...5)
            let errors = first.store.errors
            await expect(.unencodable) { try await first.dispatch(.riddle(Notebook.Riddle())) }
            // It has no waiting caller, so it reaches the errors.
            first.send(.riddle(Notebook.Riddle()))
            for await failure in errors {
                #expect((failure.error as? ActionLogError)?.code == .unencodable)
                break
            }
            #expect(first.snapshot.numbers == Array(1...5))
            try await first.write(6...7)
            #expect(first.revision == 7)
            await first.end()
            let second = try await NotebookStore.open(at: workplace.log)
            #expect(second.snapshot.numbers == Array(1...7))
            await second.end()
        }
    }

    typealias SourceLocation = Testing.SourceLocation
#endif
