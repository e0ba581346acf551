#if Journal
    import ActorStore
    @testable import ActorStoreJournal
    import Foundation
    import Testing

    @Suite("Journals on a full disk", .timeLimit(.minutes(10)))
    struct FullDiskTests {
        let workplace: Workplace

        init() throws { workplace = try Workplace() }

        /// Dispatches until the disk is full.
        ///
        /// - Returns: the first number that was not acknowledged.
        func writeUntilFull(_ store: NotebookStore, from first: Int = 1) async throws -> Int {
            for number in first... {
                do {
                    try await store.dispatch(.write(number))
                } catch let error as JournalError {
                    #expect(error.file == workplace.journal)
                    #expect(error.cause.isFull)
                    #expect(store.statistics.failure == error)
                    return number
                }
            }
            return .max
        }

        @Test(
            "A dispatch throws, nothing that was acknowledged is lost, and what waits is written when there is room again"
        )
        func room() async throws {
            let store = try await NotebookStore.open(at: workplace.journal)
            try await store.journal.writer.limitPages(to: 2)
            let refused = try await writeUntilFull(store)
            #expect(try await writeUntilFull(store, from: refused + 1) == refused + 1)
            let copy = try await NotebookStore.open(at: workplace.copyJournal(to: "copy"))
            #expect(copy.snapshot.numbers == Array(1..<refused))
            try await copy.end()
            #expect(store.statistics.pendingActions == 2)
            #expect(store.snapshot.numbers == Array(1...refused + 1))
            try await store.journal.writer.limitPages(to: nil)
            try await store.dispatch(.write(refused + 2))
            #expect(store.statistics.failure == nil)
            try await store.end()
            let second = try await NotebookStore.open(at: workplace.journal)
            #expect(second.snapshot.numbers == Array(1...refused + 2))
            try await second.end()
        }

        @Test("While as many actions wait as may, further ones are refused; once there is room they are taken again")
        func bound() async throws {
            let store = try await NotebookStore.open(at: workplace.journal, JournalConfiguration(pendingLimit: 10))
            try await store.journal.writer.limitPages(to: 0)
            let refused = try await writeUntilFull(store)
            for number in refused + 1..<refused + 10 {
                await #expect(throws: JournalError.self) { try await store.dispatch(.write(number)) }
            }
            await #expect(throws: StoreError.rejected(by: "journal")) { try await store.dispatch(.write(-1)) }
            #expect(store.send(.write(-1)) == .refused(.rejected(by: "journal")))
            #expect(store.store.statistics.rejectedActions == 1)
            #expect(store.statistics.pendingActions == 10)
            #expect(store.snapshot.numbers.last == refused + 9)
            try await store.journal.writer.limitPages(to: nil)
            // The refusal has had it tried again, too early or not.
            try await store.commit()
            #expect(store.send(.write(refused + 10)).isAccepted)
            try await store.end()
            #expect(store.send(.write(-1)) == .refused(.shutDown))
            let second = try await NotebookStore.open(at: workplace.journal)
            #expect(second.snapshot.numbers == Array(1...refused + 10))
            try await second.end()
        }

        @Test("A snapshot for which there is no room is given up, and actions go on")
        func snapshot() async throws {
            let store = try await Store.durable(at: workplace.journal, initialState: [Int](0..<200_000)) {
                (state: inout [Int], number: Int) in state.append(number)
            }
            try await store.journal.writer.limitPages(to: 100)
            try await store.dispatch(1)
            await #expect(throws: JournalError.self) { try await store.checkpoint() }
            #expect(store.statistics.lastProblem?.cause.isFull == true)
            try await store.dispatch(2)
            #expect(store.statistics.committedRevision == 2)
            try await store.journal.writer.limitPages(to: nil)
            try await store.checkpoint()
            try await store.shutdown(drain: .finishEffects)
            let file = try JournalFile(at: workplace.journal, .reading)
            #expect(try file.snapshotRevisions() == [2])
        }

        @Test("A shutdown that cannot write what is left says so, and lets the file go all the same")
        func shutdown() async throws {
            let store = try await NotebookStore.open(at: workplace.journal)
            try await store.journal.writer.limitPages(to: 0)
            let refused = try await writeUntilFull(store)
            await #expect(throws: JournalError.self) { try await store.end() }
            let second = try await NotebookStore.open(at: workplace.journal)
            #expect(second.snapshot.numbers == Array(1..<refused))
            try await second.end()
        }

        /// A file system of a megabyte, as far as this process may mount one.
        private func mountSmallDisk() -> Bool {
            geteuid() == 0 && run("/bin/mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", workplace.directory.path)
        }

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

        @Test("On a file system that is full, nothing that was acknowledged is lost, and it goes on when there is room")
        func fileSystem() async throws {
            // Only an administrator can mount one; elsewhere the other tests have to do.
            guard mountSmallDisk() else { return }
            defer { _ = run("/bin/umount", "-l", workplace.directory.path) }
            let filler = workplace.path("filler")
            #expect(FileManager.default.createFile(atPath: filler, contents: Data(count: 700_000)))
            let store = try await NotebookStore.open(at: workplace.journal)
            let refused = try await writeUntilFull(store)
            #expect(refused > 1)
            let acknowledged = store.statistics.committedRevision
            #expect(acknowledged == refused - 1)
            try FileManager.default.removeItem(atPath: filler)
            try await store.write(refused + 1...refused + 10)
            #expect(store.statistics.failure == nil)
            try await store.end()
            let second = try await NotebookStore.open(at: workplace.journal)
            #expect(second.snapshot.numbers == Array(1...refused + 10))
            try await second.end()
        }
    }
#endif
