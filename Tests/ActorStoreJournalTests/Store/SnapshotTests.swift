#if Journal
    import ActorStore
    @testable import ActorStoreJournal
    import Testing

    @Suite("Snapshots and the past of a journal", .timeLimit(.minutes(10)))
    struct SnapshotTests {
        let workplace: Workplace
        let often = JournalConfiguration(snapshots: SnapshotInterval(actions: 10))

        init() throws { workplace = try Workplace() }

        /// Writes numbers down, and waits for a snapshot after each ten.
        func fill(_ range: ClosedRange<Int>, _ store: NotebookStore) async throws {
            for number in range {
                try await store.dispatch(.write(number))
                if number.isMultiple(of: 10) { try await store.checkpoint() }
            }
        }

        @Test("A snapshot saves the recovery the actions before it")
        func recovery() async throws {
            let first = try await NotebookStore.open(at: workplace.journal)
            try await first.write(1...50)
            #expect(try await first.checkpoint() == 50)
            try await first.write(51...60)
            try await first.end()
            let second = try await NotebookStore.open(at: workplace.journal)
            #expect(second.snapshot.numbers == Array(1...60))
            #expect(second.recovery.snapshot == 50)
            #expect(second.recovery.replayedActions == 10)
            try await second.end()
        }

        @Test("Snapshots are made by themselves, after so many actions or bytes")
        func automatic() async throws {
            for (name, interval) in [
                ("actions", SnapshotInterval(actions: 10)), ("bytes", SnapshotInterval(actions: .max, bytes: 100)),
            ] {
                // One is certain: more come as soon as the one before it is written, which may take all the while.
                let path = workplace.path(name)
                let first = try await NotebookStore.open(at: path, JournalConfiguration(snapshots: interval))
                try await first.write(1...100)
                try await first.end()
                let second = try await NotebookStore.open(at: path)
                let saved = try #require(second.recovery.snapshot)
                #expect((5...100).contains(saved))
                #expect(second.recovery.replayedActions == 100 - Int(saved))
                #expect(second.snapshot.numbers == Array(1...100))
                try await second.end()
            }
        }

        @Test("A snapshot of many pieces comes back whole")
        func large() async throws {
            let numbers = Array(0..<300_000)
            let first = try await Store.durable(at: workplace.journal, initialState: numbers) {
                (state: inout [Int], number: Int) in state.append(number)
            }
            try await first.dispatch(-1)
            try await first.checkpoint()
            try await first.end()
            let second = try await Store.durable(at: workplace.journal, initialState: [Int]()) {
                (state: inout [Int], number: Int) in state.append(number)
            }
            #expect(second.snapshot == numbers + [-1])
            #expect(second.recovery.replayedActions == 0)
            try await second.end()
        }

        @Test("A snapshot that cannot be read is passed over for the one before, and reported")
        func broken() async throws {
            let first = try await NotebookStore.open(at: workplace.journal)
            try await fill(1...30, first)
            try await first.end()
            try workplace.change("UPDATE snapshot_parts SET payload = x'00' WHERE revision = 30")
            let second = try await NotebookStore.open(at: workplace.journal)
            #expect(second.snapshot.numbers == Array(1...30))
            #expect(second.recovery.snapshot == 20)
            #expect(second.recovery.skipped == [JournalError(workplace.journal, revision: 30, .brokenRecord)])
            try await second.end()
            try workplace.change("UPDATE snapshot_parts SET payload = x'00'")
            let third = try await NotebookStore.open(at: workplace.journal)
            #expect(third.snapshot.numbers == Array(1...30))
            #expect(third.recovery.snapshot == nil)
            try await third.end()
        }

        @Test("Every state there was can be read, also while the store goes on")
        func past() async throws {
            let store = try await NotebookStore.open(at: workplace.journal)
            try await fill(1...35, store)
            for revision in 0...35 {
                let state = try await store.state(at: UInt64(revision))
                #expect(state.numbers == Array((1...35).prefix(revision)))
            }
            await #expect(throws: JournalError(workplace.journal, revision: 36, .unknownRevision)) {
                try await store.state(at: 36)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await store.write(36...200) }
                group.addTask {
                    for _ in 0..<20 {
                        let state = try await store.state(at: 35)
                        #expect(state.numbers == Array(1...35))
                    }
                }
                try await group.waitForAll()
            }
            try await store.end()
        }

        @Test(
            "A state before which a compaction has deleted actions is unknown",
            arguments: [BrokenRecords.stop, .skip]
        )
        func halfCompacted(brokenRecords: BrokenRecords) async throws {
            try await workplace.fill(10)
            let store = try await NotebookStore.open(
                at: workplace.journal,
                JournalConfiguration(brokenRecords: brokenRecords)
            )
            // As a compaction does that has more to delete.
            try workplace.change("DELETE FROM actions WHERE revision <= 5")
            await #expect(throws: JournalError(workplace.journal, revision: 8, .unknownRevision)) {
                try await store.state(at: 8)
            }
            try await store.end()
        }

        @Test("A compaction keeps so many snapshots, and the actions after the oldest of them")
        func compaction() async throws {
            let first = try await NotebookStore.open(at: workplace.journal)
            try await fill(1...35, first)
            try await first.compact(keepingSnapshots: 2)
            #expect(try await first.state(at: 30).numbers.count == 30)
            #expect(try await first.state(at: 33).numbers.count == 33)
            await #expect(throws: JournalError(workplace.journal, revision: 29, .unknownRevision)) {
                try await first.state(at: 29)
            }
            try await first.write([36])
            try await first.end()
            let second = try await NotebookStore.open(at: workplace.journal)
            #expect(second.snapshot.numbers == Array(1...36))
            #expect(second.recovery.snapshot == 35)
            try await second.end()
            // All snapshots are broken, and the actions before them are gone.
            try workplace.change("UPDATE snapshot_parts SET payload = x'00'")
            await #expect(throws: JournalError(workplace.journal, revision: 1, .missingRecords(next: 31))) {
                try await NotebookStore.open(at: workplace.journal)
            }
        }

        @Test("What retention does not keep goes by itself, and nothing that is needed goes with it")
        func retention() async throws {
            var configuration = JournalConfiguration(snapshots: .never, retention: .snapshots(2))
            configuration.snapshots = .never
            let first = try await NotebookStore.open(at: workplace.journal, configuration)
            try await fill(1...100, first)
            try await first.write(101...105)
            try await first.end()
            let file = try JournalFile(at: workplace.journal, .reading)
            #expect(try file.snapshotRevisions() == [100, 90])
            #expect(try file.actionRange() == 91...105)
            let second = try await NotebookStore.open(at: workplace.journal, configuration)
            #expect(second.snapshot.numbers == Array(1...105))
            try await second.end()
        }
    }

    extension DurableStore where State == [Int] {
        fileprivate func end() async throws { try await shutdown(drain: .finishEffects) }
    }
#endif
