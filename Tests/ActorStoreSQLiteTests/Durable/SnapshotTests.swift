#if SQLite
    import ActionLogConformance
    import ActorStore
    @testable import ActorStorePersistence
    import ActorStoreSQLite
    import Testing

    @Suite("Snapshots and the past of a log in a file", .timeLimit(.minutes(10)))
    struct SnapshotTests {
        let workplace: Workplace
        let often = DurabilityConfiguration(snapshots: SnapshotInterval(actions: 10))

        init() throws { workplace = try Workplace() }

        /// Records numbers, and waits for a snapshot after each ten.
        func fill(_ range: ClosedRange<Int>, _ store: NotebookStore) async throws {
            for number in range {
                try await store.dispatch(.write(number))
                if number.isMultiple(of: 10) { try await store.checkpoint() }
            }
        }

        @Test("A snapshot saves a recovery the actions before it")
        func recovery() async throws {
            let first = try await NotebookStore.open(at: workplace.log)
            try await first.write(1...50)
            #expect(try await first.checkpoint() == 50)
            try await first.write(51...60)
            await first.end()
            let second = try await NotebookStore.open(at: workplace.log)
            #expect(second.snapshot.numbers == Array(1...60))
            #expect(second.recovery.snapshotRevision == 50)
            #expect(second.recovery.replayedActions == 10)
            await second.end()
        }

        @Test("Snapshots are made automatically, after a number of actions or bytes")
        func automatic() async throws {
            for (name, interval) in [
                ("actions", SnapshotInterval(actions: 10)), ("bytes", SnapshotInterval(actions: .max, bytes: 100)),
            ] {
                // One is certain: more come as soon as the previous one is written, which may take all the time.
                let path = workplace.path(name)
                let first = try await NotebookStore.open(
                    at: path,
                    DurabilityConfiguration(snapshots: interval, snapshotAtShutdown: false)
                )
                try await first.write(1...100)
                await first.end()
                let second = try await NotebookStore.open(at: path)
                let saved = try #require(second.recovery.snapshotRevision)
                #expect((5...100).contains(saved))
                #expect(second.recovery.replayedActions == 100 - Int(saved))
                #expect(second.snapshot.numbers == Array(1...100))
                await second.end()
            }
        }

        @Test("A snapshot of many parts is restored completely")
        func large() async throws {
            let numbers = Array(0..<300_000)
            let first = try await Store.durable(in: SQLiteLog(at: workplace.log), initialState: numbers) {
                (state: inout [Int], number: Int) in state.append(number)
            }
            try await first.dispatch(-1)
            try await first.checkpoint()
            await first.end()
            let second = try await Store.durable(in: SQLiteLog(at: workplace.log), initialState: [Int]()) {
                (state: inout [Int], number: Int) in state.append(number)
            }
            #expect(second.snapshot == numbers + [-1])
            #expect(second.recovery.replayedActions == 0)
            await second.end()
        }

        @Test("An unreadable snapshot is skipped for the previous one, and reported")
        func broken() async throws {
            let first = try await NotebookStore.open(at: workplace.log)
            try await fill(1...30, first)
            await first.end()
            // Each has its place behind the first entry of a store.
            try workplace.change(
                "UPDATE parts SET payload = x'00' WHERE snapshot IN (SELECT id FROM snapshots WHERE position = 31)"
            )
            let second = try await NotebookStore.open(at: workplace.log)
            #expect(second.snapshot.numbers == Array(1...30))
            #expect(second.recovery.snapshotRevision == 20)
            #expect(second.recovery.problems.map(\.code) == [.damaged])
            #expect(second.recovery.problems.map(\.position) == [31])
            await second.end()
            try workplace.change("UPDATE parts SET payload = x'00'")
            let third = try await NotebookStore.open(at: workplace.log)
            #expect(third.snapshot.numbers == Array(1...30))
            #expect(third.recovery.snapshotRevision == nil)
            await third.end()
        }

        @Test("Every past state can be read, also while the store runs")
        func past() async throws {
            let store = try await NotebookStore.open(at: workplace.log)
            try await fill(1...35, store)
            for revision in 0...35 {
                let state = try await store.state(at: UInt64(revision))
                #expect(state.numbers == Array((1...35).prefix(revision)))
            }
            await expect(.unknownRevision) {
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
            await store.end()
        }

        @Test("A compaction keeps a number of snapshots, and the actions after the oldest of them")
        func compaction() async throws {
            let first = try await NotebookStore.open(at: workplace.log)
            try await fill(1...35, first)
            try await first.compact(keepingSnapshots: 2)
            #expect(try await first.state(at: 30).numbers.count == 30)
            #expect(try await first.state(at: 33).numbers.count == 33)
            await expect(.unknownRevision) {
                try await first.state(at: 29)
            }
            try await first.write([36])
            await first.end()
            let second = try await NotebookStore.open(at: workplace.log)
            #expect(second.snapshot.numbers == Array(1...36))
            #expect(second.recovery.snapshotRevision == 35)
            await second.end()
            // All snapshots are broken, and the actions before them are gone.
            try workplace.change("UPDATE parts SET payload = x'00'")
            await expect(.trimmed, at: 31) { try await NotebookStore.open(at: workplace.log) }
        }

        @Test("Entries outside the retention are deleted automatically, and no needed ones with them")
        func retention() async throws {
            let configuration = DurabilityConfiguration(
                snapshots: .never,
                snapshotAtShutdown: false,
                retention: .snapshots(2)
            )
            let first = try await NotebookStore.open(at: workplace.log, configuration)
            try await fill(1...100, first)
            try await first.write(101...105)
            // It goes when the newest snapshot has been read back, beside the store, unless that ends before.
            let connection = try SQLiteLog(at: workplace.log).connect()
            while try connection.status().first < 92 || connection.snapshots().count > 2 {
                try await Task.sleep(for: .milliseconds(1))
            }
            await first.end()
            #expect(try connection.snapshots().map(\.point.position) == [101, 91])
            #expect(try connection.status().first == 92)
            let second = try await NotebookStore.open(at: workplace.log, configuration)
            #expect(second.snapshot.numbers == Array(1...105))
            await second.end()
        }
    }

    extension DurableStore where State == [Int] {
        fileprivate func end() async { await shutdown(drain: .finishEffects) }
    }
#endif
