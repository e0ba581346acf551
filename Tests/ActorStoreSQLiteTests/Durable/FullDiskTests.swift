#if SQLite
    import ActionLogConformance
    import ActorStore
    @testable import ActorStorePersistence
    @testable import ActorStoreSQLite
    import Foundation
    import Testing

    @Suite("Logs on a full disk", .timeLimit(.minutes(10)))
    struct FullDiskTests {
        let workplace: Workplace

        init() throws { workplace = try Workplace() }

        /// Waits until a write has found the disk full.
        private func untilFull(
            _ store: NotebookStore,
            _ place: Testing.SourceLocation = #_sourceLocation
        ) async throws {
            try await untilStatistics(of: store, place) { $0.lastProblem?.code == .full }
        }

        /// Waits for statistics; throws if the store fails.
        private func untilStatistics(
            of store: NotebookStore,
            _ place: Testing.SourceLocation = #_sourceLocation,
            _ condition: (DurabilityStatistics) -> Bool
        ) async throws {
            try await until(place) {
                if let failure = store.statistics.failure { throw failure }
                return condition(store.statistics)
            }
        }

        @Test("A dispatch waits while the disk is full, and no acknowledged action is lost")
        func room() async throws {
            let store = try await NotebookStore.open(at: workplace.log)
            try await store.log.writer.limitPages(to: 2)
            let writing = Task { try await store.write(1...500) }
            try await untilFull(store)
            let acknowledged = Int(store.statistics.committedRevision)
            #expect(acknowledged > 0)
            #expect(store.snapshot.numbers == Array(1...acknowledged + 1))
            #expect(store.statistics.pendingActions == 1)
            let copy = try await NotebookStore.open(at: workplace.copyLog(to: "copy"))
            #expect(copy.snapshot.numbers == Array(1...acknowledged))
            await copy.end()
            #expect(Int(store.statistics.committedRevision) == acknowledged)
            try await store.log.writer.limitPages(to: nil)
            try await writing.value
            #expect(store.statistics.failure == nil)
            await store.end()
            let second = try await NotebookStore.open(at: workplace.log)
            #expect(second.snapshot.numbers == Array(1...500))
            await second.end()
        }

        @Test("A dispatch throws when the disk stays full for too long, and a restart has the acknowledged actions")
        func retryLimit() async throws {
            var durability = DurabilityConfiguration(snapshotAtShutdown: false)
            durability.retryLimit = .milliseconds(30)
            let store = try await NotebookStore.open(at: workplace.log, durability)
            try await store.log.writer.limitPages(to: 2)
            await expect(.full) { try await store.write(1...500) }
            #expect(store.statistics.failure?.code == .full)
            #expect(store.statistics.failure?.log == workplace.log)
            let acknowledged = Int(store.statistics.committedRevision)
            #expect(store.statistics.unconfirmedActions == 1)
            // It stays so, although there is room: the limit was that of its connection, which it has closed.
            await expect(.full) { try await store.dispatch(.write(-1)) }
            let report = await store.shutdown(drain: .finishEffects)
            #expect(report.unwrittenActions == 1 && report.failure?.code == .full && !report.isComplete)
            let second = try await NotebookStore.open(at: workplace.log)
            #expect(second.snapshot.numbers == Array(1...acknowledged))
            await second.end()
        }

        @Test("Actions beyond the limit of waiting ones are refused, and accepted again when there is room")
        func bound() async throws {
            let durability = DurabilityConfiguration(snapshotAtShutdown: false, pendingLimit: 10)
            let store = try await NotebookStore.open(at: workplace.log, durability)
            try await store.log.writer.limitPages(to: 0)
            var sent = 0
            while sent < 10 || !store.statistics.isFull {
                // Some may be written before the file has to grow.
                try #require(sent < 1_000 && store.statistics.failure == nil)
                if store.send(.write(sent + 1)).isAccepted { sent += 1 }
                await Task.yield()
            }
            await expect(.overloaded) { try await store.dispatch(.write(-1)) }
            await #expect(throws: StoreError.rejected(by: "log")) { try await store.store.dispatch(.write(-1)) }
            #expect(store.send(.write(-1)) == .refused(.rejected(by: "log")))
            // Those refused in flight; the last one was not.
            #expect(store.store.statistics.rejectedActions == 2)
            #expect(store.statistics.pendingActions == 10)
            #expect(store.snapshot.numbers == Array(1...sent))
            try await store.log.writer.limitPages(to: nil)
            try await store.commit()
            #expect(store.send(.write(sent + 1)).isAccepted)
            await store.end()
            #expect(store.send(.write(-1)) == .refused(.shutDown))
            let second = try await NotebookStore.open(at: workplace.log)
            #expect(second.snapshot.numbers == Array(1...sent + 1))
            await second.end()
        }

        @Test("A snapshot without room is given up, and actions continue")
        func snapshot() async throws {
            let store = try await Store.durable(
                in: SQLiteLog(at: workplace.log),
                initialState: [Int](0..<200_000)
            ) { (state: inout [Int], number: Int) in state.append(number) }
            try await store.log.writer.limitPages(to: 100)
            try await store.dispatch(1)
            await expect(.full) { try await store.checkpoint() }
            #expect(store.statistics.lastProblem?.code == .full)
            try await store.dispatch(2)
            #expect(store.statistics.committedRevision == 2)
            try await store.log.writer.limitPages(to: nil)
            #expect(try await store.checkpoint() == 2)
            await store.shutdown(drain: .finishEffects)
            // Behind the first entry of a store.
            #expect(try SQLiteLog(at: workplace.log).connect().snapshots().map(\.point.position) == [3])
        }

        @Test("A shutdown with a deadline that cannot write its entries reports it in time, and releases the file")
        func shutdown() async throws {
            let store = try await NotebookStore.open(at: workplace.log)
            try await store.log.writer.limitPages(to: 0)
            let writing = Task { try await store.write(1...500) }
            try await untilFull(store)
            let acknowledged = Int(store.statistics.committedRevision)
            let report = await store.shutdown(drain: .finishEffects, within: .milliseconds(100))
            #expect(report.unwrittenActions == 1)
            #expect(!report.isComplete)
            await #expect(throws: (any Error).self) { try await writing.value }
            let second = try await NotebookStore.open(
                at: workplace.log,
                // The file is closed a moment after the shutdown's deadline.
                DurabilityConfiguration(snapshotAtShutdown: false, openingTimeout: .seconds(60))
            )
            #expect(second.snapshot.numbers == Array((1...500).prefix(acknowledged)))
            await second.end()
        }

        @Test("Parts of an unfinished snapshot are deleted, and those of a finished one are kept")
        func discard() throws {
            let connection = try #require(try SQLiteLog(at: workplace.log).connect() as? SQLiteLogConnection)
            let identity = ActionLogEntry.Identity(origin: "a", number: 1)
            try connection.append([ActionLogEntry(identity, header: "{}", payload: Data())])
            let point = ActionLogPoint(position: 1, identity: identity)
            let snapshots = (0..<2).map { _ in ActionLogSnapshot(at: point, header: "{}", parts: 40) }
            for snapshot in snapshots {
                for part in 0..<40 { try connection.write(Data(count: 100), part, of: snapshot) }
            }
            #expect(try connection.finish(snapshots[0]))
            try connection.discard(snapshots[0])
            #expect(try connection.database.integer("SELECT count(*) FROM parts") == 80)
            // Refused, because there is one of this position.
            #expect(try !connection.finish(snapshots[1]))
            #expect(try connection.database.integer("SELECT count(*) FROM parts") == 40)
            #expect(try connection.part(39, of: snapshots[0])?.count == 100)
        }

        @Test("An unfinished snapshot of a killed program is deleted before the next one is written")
        func remains() async throws {
            let store = try await NotebookStore.open(at: workplace.log)
            try await store.write(1...5)
            let connection = try SQLiteLog(at: workplace.log).connect()
            let point = ActionLogPoint(position: 6, identity: try connection.identity(at: 6))
            for _ in 1...3 {
                let snapshot = ActionLogSnapshot(at: point, header: "{}", parts: 50)
                for number in 0..<40 { try connection.write(Data(repeating: 7, count: 100), number, of: snapshot) }
            }
            try await store.checkpoint()
            let database = try SQLiteConnection(path: workplace.log, isReadOnly: true)
            let left = "SELECT count(*) FROM parts WHERE snapshot NOT IN (SELECT id FROM snapshots)"
            #expect(try database.integer(left) == 0)
            #expect(try database.integer("SELECT count(*) FROM snapshots") == 1)
            await store.end()
        }

        @Test("A snapshot needs room in the file and in the write-ahead log, and leaves a reserve")
        func snapshotRoom() {
            func needed(_ bytes: Int64, free: Int64 = 0, missing: Int64 = 0, log: Int64 = 0) -> Int64 {
                let room = SnapshotRoom(
                    freePages: free << 20,
                    missingPages: missing << 20,
                    writeAheadLog: log << 20
                )
                return room.needed(for: bytes << 20) >> 20
            }
            #expect(needed(3) == 3 + 6 + 6)
            // Unused pages do not take the write-ahead log.
            #expect(needed(3, free: 5) == 6 + 6)
            #expect(needed(3, log: 2) == 3 + 4 + 6)
            #expect(needed(3, free: 5, log: 9) == 6)
            // What is only in the write-ahead log extends the file later.
            #expect(needed(3, free: 5, missing: 2, log: 9) == 2 + 6)
            // Checkpoints limit the write-ahead log.
            #expect(needed(1_000) == 1_000 + 32 + 8)
        }

        @Test("The write-ahead log of a busy writer restarts, also beside constant reads", arguments: [0, 3])
        func writeAheadLog(readers: Int) throws {
            // On a busy machine, reads can last longer than the writer waits for them.
            let sizes = (1...3).lazy.map { try? sizeOfWriteAheadLog(of: workplace.path("log\($0)"), readers) }
            // It would be 100 MB.
            #expect(sizes.contains { $0.map { $0 < 70 << 20 } ?? false })
        }

        /// Writes 100 MB beside constant reads.
        private func sizeOfWriteAheadLog(of path: String, _ readers: Int) throws -> Int64 {
            let connection = try SQLiteLog(at: path).connect()
            let (isDone, reading) = (LockedValue(false), DispatchGroup())
            for _ in 0..<readers {
                let reader = LockedValue(try SQLiteConnection(path: path, isReadOnly: true))
                reading.enter()
                Thread.detachNewThread {
                    while !isDone.withLock({ $0 }) {
                        reader.withLock { reader in
                            try? reader.view { () throws(ActionLogError) in
                                _ = try reader.integer("SELECT trimmed FROM log")
                                usleep(5_000)
                            }
                        }
                    }
                    reading.leave()
                }
            }
            let payload = Data(repeating: 7, count: 100_000)
            for number in 1...1_000 as ClosedRange<UInt64> {
                let identity = ActionLogEntry.Identity(origin: "a", number: number)
                try connection.append([ActionLogEntry(identity, header: "{}", payload: payload)])
            }
            isDone.withLock { $0 = true }
            reading.wait()
            return Inode.size(of: path + "-wal")
        }

        // MARK: A file system that is full

        /// A small file system, if this process may mount one.
        private func mountSmallDisk(megabytes: Int = 1) -> Bool {
            let size = "size=\(megabytes)m"
            return geteuid() == 0 && run("/bin/mount", "-t", "tmpfs", "-o", size, "tmpfs", workplace.directory.path)
        }

        private func unmountSmallDisk() { _ = run("/bin/umount", "-l", workplace.directory.path) }

        private func run(_ program: String, _ arguments: String...) -> Bool {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: program)
            process.arguments = arguments
            process.standardError = FileHandle.nullDevice
            do {
                try process.run()
            } catch {
                return false
            }
            process.waitUntilExit()
            return process.terminationStatus == 0
        }

        @Test("On a full file system no acknowledged action is lost, and the log continues when there is room")
        func fileSystem() async throws {
            // Only an administrator can mount one; elsewhere the other tests have to suffice.
            guard mountSmallDisk() else { return }
            defer { unmountSmallDisk() }
            let filler = workplace.path("filler")
            #expect(FileManager.default.createFile(atPath: filler, contents: Data(count: 700_000)))
            let store = try await NotebookStore.open(at: workplace.log)
            let writing = Task { try await store.write(1...) }
            try await untilFull(store)
            let acknowledged = store.statistics.committedRevision
            #expect(acknowledged > 0)
            #expect(store.revision == acknowledged + 1)
            try FileManager.default.removeItem(atPath: filler)
            try await untilStatistics(of: store) { $0.committedRevision >= acknowledged + 10 }
            #expect(store.statistics.failure == nil)
            await store.end()
            await #expect(throws: (any Error).self) { try await writing.value }
            let second = try await NotebookStore.open(at: workplace.log)
            #expect(second.snapshot.numbers == store.snapshot.numbers)
            await second.end()
        }

        @Test("A snapshot that does not fit on the file system is refused, and leaves the room to actions")
        func largeSnapshot() async throws {
            guard mountSmallDisk(megabytes: 48) else { return }
            defer { unmountSmallDisk() }
            func open() async throws -> DurableStore<[Int], Int> {
                var durability = DurabilityConfiguration()
                durability.retryLimit = .milliseconds(30)
                return try await Store.durable(
                    in: SQLiteLog(at: workplace.log),
                    // Some 5 MB.
                    initialState: [Int](1_000_000..<1_600_000),
                    durability: durability
                ) { (state: inout [Int], number: Int) in state.append(number) }
            }
            let filler = workplace.path("filler")
            #expect(FileManager.default.createFile(atPath: filler, contents: Data(count: 36 << 20)))
            for life in 1...3 {
                let store = try await open()
                #expect(store.snapshot.count == 600_000 + 100 * (life - 1))
                await expect(.full) { try await store.checkpoint() }
                for number in 1...100 { try await store.dispatch(number) }
                // It also tries to write a snapshot.
                let report = await store.shutdown(drain: .finishEffects)
                #expect(report.isComplete)
            }
            try FileManager.default.removeItem(atPath: filler)
            let store = try await open()
            #expect(try await store.checkpoint() == 300)
            await store.shutdown(drain: .finishEffects)
        }

        @Test("A snapshot that fits is written, however large its first part is")
        func largeFirstPart() throws {
            guard mountSmallDisk(megabytes: 24) else { return }
            defer { unmountSmallDisk() }
            let connection = try SQLiteLog(at: workplace.log).connect()
            let identity = ActionLogEntry.Identity(origin: "a", number: 1)
            try connection.append([ActionLogEntry(identity, header: "{}", payload: Data())])
            let point = ActionLogPoint(position: 1, identity: identity)
            let snapshot = ActionLogSnapshot(at: point, header: "{}", parts: 20)
            for part in 0..<20 { try connection.write(Data(count: part == 0 ? 1 << 20 : 1_000), part, of: snapshot) }
            #expect(try connection.finish(snapshot))
        }

        @Test("A backup that does not fit on the file system leaves no file")
        func largeBackup() async throws {
            guard mountSmallDisk(megabytes: 96) else { return }
            defer { unmountSmallDisk() }
            let log = try SQLiteLog(at: workplace.log)
            let connection = try log.connect()
            for number in 1...300 as ClosedRange<UInt64> {
                let identity = ActionLogEntry.Identity(origin: "a", number: number)
                try connection.append([ActionLogEntry(identity, header: "{}", payload: Data(count: 100_000))])
            }
            let filler = workplace.path("filler")
            #expect(FileManager.default.createFile(atPath: filler, contents: Data(count: 10 << 20)))
            let descriptor = open(workplace.path("rest"), O_WRONLY | O_CREAT, 0o600)
            let bytes = [UInt8](repeating: 0, count: 4_096)
            while write(descriptor, bytes, bytes.count) > 0 {}
            close(descriptor)
            try FileManager.default.removeItem(atPath: filler)
            let files = try FileManager.default.contentsOfDirectory(atPath: workplace.directory.path).sorted()
            await expect(.full) { try await log.backup(to: workplace.path("copy")) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: workplace.directory.path).sorted() == files)
        }

        @Test("A log that cannot be created on a full file system is created when there is room")
        func creation() async throws {
            guard mountSmallDisk() else { return }
            defer { unmountSmallDisk() }
            let filler = workplace.path("filler")
            let descriptor = open(filler, O_WRONLY | O_CREAT, 0o600)
            let bytes = [UInt8](repeating: 0, count: 4_096)
            while write(descriptor, bytes, bytes.count) > 0 {}
            close(descriptor)
            await #expect(throws: ActionLogError.self) { try await NotebookStore.open(at: workplace.log) }
            try FileManager.default.removeItem(atPath: filler)
            let store = try await NotebookStore.open(at: workplace.log)
            try await store.write(1...3)
            await store.end()
        }
    }

    extension DurabilityStatistics {
        /// Whether the last attempt has found the disk full.
        fileprivate var isFull: Bool { lastProblem?.code == .full && pendingActions >= 10 }
    }

    extension LogWriter {
        /// Makes SQLite refuse to let the file grow by more than a number of pages, like a full disk; nil ends that.
        fileprivate func limitPages(to count: Int64?) throws {
            let database = try #require(connection as? SQLiteLogConnection).database
            let current = try #require(try database.integer("PRAGMA page_count"))
            try database.execute("PRAGMA max_page_count=\(count.map { current + $0 } ?? 4_294_967_294)")
        }
    }
#endif
