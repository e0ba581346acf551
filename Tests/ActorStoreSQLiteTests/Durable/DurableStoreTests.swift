import ActionLogConformance
import ActorStoreComposition

#if SQLite
    import ActorStore
    @testable import ActorStorePersistence
    import ActorStoreSQLite
    import Dispatch
    import Foundation
    import Testing

    @Suite("Durable stores", .timeLimit(.minutes(10)))
    struct DurableStoreTests {
        let workplace: Workplace

        init() throws { workplace = try Workplace() }

        @Test("A restarted store continues with its state and revision")
        func roundTrip() async throws {
            let first = try await NotebookStore.open(at: workplace.log)
            #expect(first.recovery == RecoveryReport())
            try await first.write(1...100)
            #expect(first.revision == 100)
            #expect(first.statistics.committedRevision == 100)
            await first.end()
            let second = try await NotebookStore.open(at: workplace.log)
            #expect(second.snapshot.numbers == Array(1...100))
            #expect(second.revision == 100)
            #expect(second.recovery.replayedActions == 100)
            try await second.write([101])
            #expect(second.revision == 101)
            await second.end()
            let third = try await NotebookStore.open(at: workplace.log)
            #expect(third.snapshot.numbers == Array(1...101))
            await third.end()
        }

        @Test("Actions whose dispatch has returned are in the file without an end of the store")
        func acknowledged() async throws {
            let store = try await NotebookStore.open(at: workplace.log)
            for number in 1...20 {
                try await store.dispatch(.write(number))
                let copy = try workplace.copyLog(to: "copy-\(number)")
                let other = try await NotebookStore.open(at: copy)
                #expect(other.snapshot.numbers == Array(1...number))
                await other.end()
            }
            await store.end()
        }

        @Test(
            "Replayed actions are reduced with the dependencies of the store's opening, also for the past",
            arguments: [true, false]
        )
        func dependencies(overridesOthers: Bool) async throws {
            let reducer = overridesOthers ? Adding().dependency(\.other, 5).prepared() : Adding().prepared()
            for round in 1...2 {
                let store = try await withDependencies {
                    $0.rate = 10
                } operation: {
                    try await Store.durable(in: SQLiteLog(at: workplace.log), initialState: 0, reducer: reducer)
                }
                #expect(store.store.snapshot == (round == 1 ? 0 : 20))
                if round == 1 { for _ in 0..<2 { try await store.store.dispatch(1) } }
                #expect(try await store.state(at: 1) == 10)
                await store.shutdown(drain: .finishEffects)
            }
        }

        @Test("Dispatches that arrive while the disk is busy are written together")
        func groupCommit() async throws {
            let store = try await NotebookStore.open(at: workplace.log)
            let isHeld = DispatchSemaphore(value: 0)
            store.log.writer.thread.run { isHeld.wait() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...64 { group.addTask { try await store.dispatch(.write(number)) } }
                try await until { store.revision >= 64 }
                #expect(store.statistics.committedRevision == 0)
                isHeld.signal()
                try await group.waitForAll()
            }
            #expect(store.statistics.committedRevision == 64)
            #expect(store.statistics.commits <= 2)
            await store.end()
        }

        @Test("The actions of many tasks are kept once each, in the order of the store")
        func concurrentDispatches() async throws {
            let first = try await NotebookStore.open(at: workplace.log)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<16 {
                    group.addTask { try await first.write(task * 100..<task * 100 + 100) }
                }
                try await group.waitForAll()
            }
            let numbers = first.snapshot.numbers
            #expect(Set(numbers).count == 1_600)
            await first.end()
            let second = try await NotebookStore.open(at: workplace.log)
            #expect(second.snapshot.numbers == numbers)
            await second.end()
        }

        @Test("Sent actions and actions of effects are kept; effects are not run in a recovery")
        func effects() async throws {
            let first = try await NotebookStore.open(at: workplace.log)
            try await first.dispatch(.writeWithNext(1)).finish()
            first.send(.write(3))
            first.store.send(contentsOf: [.write(4), .write(5)])
            try await first.commit()
            #expect(first.statistics.committedRevision == 5)
            await first.end()
            let second = try await NotebookStore.open(at: workplace.log)
            #expect(second.store.statistics.runningEffects == 0)
            await second.end()
            #expect(second.snapshot.numbers == [1, 2, 3, 4, 5])
        }

        @Test("A commit covers earlier sent actions, also if the store has not processed them yet")
        func commitAfterSending() async throws {
            let isHeld = DispatchSemaphore(value: 0)
            let mayGoOn = DispatchSemaphore(value: 0)
            let first = try await NotebookStore.open(at: workplace.log)
            let holding = Interceptor<Notebook.State, Notebook.Action>("holding") { action, _, next in
                if action == .write(1) {
                    isHeld.signal()
                    mayGoOn.wait()
                }
                try next(action)
            }
            first.store.use(holding)
            DispatchQueue(label: "sender").async { first.send(.write(1)) }
            isHeld.wait()
            first.send(.write(2))
            let committed = Task.immediate {
                try await first.commit()
                return first.statistics.committedRevision
            }
            mayGoOn.signal()
            #expect(try await committed.value == 2)
            await first.end()
        }

        @Test("Actions stopped by interceptors are not kept, and replaced ones are kept as reduced")
        func interceptors() async throws {
            let changing = Interceptor<Notebook.State, Notebook.Action>("changing") { action, _, next in
                guard case .write(let number) = action, number > 0 else { return }
                try next(.write(number * 10))
            }
            let first = try await NotebookStore.open(at: workplace.log, interceptors: [changing])
            first.store.use(changing)
            try await first.dispatch(.write(1))
            await #expect(throws: StoreError.rejected(by: "changing")) { try await first.dispatch(.write(-1)) }
            await first.end()
            let second = try await NotebookStore.open(at: workplace.log, interceptors: [changing])
            #expect(second.snapshot.numbers == [100])
            #expect(second.revision == 1)
            await second.end()
        }

        @Test("A second writer is refused until the first has been shut down")
        func oneWriter() async throws {
            // Not one that expires while a busy machine does other work.
            let lasting = DurabilityConfiguration(snapshotAtShutdown: false, leaseDuration: .seconds(3_600))
            let first = try await NotebookStore.open(at: workplace.log, lasting)
            await expect(.inUse) { try await NotebookStore.open(at: workplace.log) }
            try await first.write([1])
            await first.end()
            let second = try await NotebookStore.open(at: workplace.log)
            #expect(second.snapshot.numbers == [1])
            await second.end()
        }

        @Test("A store refuses actions after its shutdown, and a second shutdown does nothing")
        func shutdown() async throws {
            let store = try await NotebookStore.open(at: workplace.log)
            await store.end()
            await expect(.closed) { try await store.dispatch(.write(1)) }
            await expect(.closed) { try await store.checkpoint() }
            await expect(.closed) { try await store.compact(keepingSnapshots: 1) }
            await store.end()
        }

        @Test("A store released without a shutdown has written its reduced actions, and releases the file")
        func release() async throws {
            for round in 0..<20 {
                let store = try await openWhenFree()
                #expect(store.snapshot.numbers == Array(0..<round * 10))
                for number in round * 10..<round * 10 + 10 { store.send(.write(number)) }
            }
            let last = try await openWhenFree()
            await last.end()
        }

        /// Opens the log as soon as the previous store has released it.
        private func openWhenFree() async throws -> NotebookStore {
            while true {
                do {
                    return try await NotebookStore.open(at: workplace.log)
                } catch {
                    guard error.code == .inUse else { throw error }
                    await Task.yield()
                }
            }
        }

        @Test("Stores below a durable one are durable through it")
        func scopes() async throws {
            let first = try await NotebookStore.open(at: workplace.log)
            let scope = first.store.scope(state: \.numbers) { (number: Int) in Notebook.Action.write(number) }
            try await scope.dispatch(7)
            try await first.commit()
            let copy = try workplace.copyLog(to: "copy")
            let second = try await NotebookStore.open(at: copy)
            #expect(second.snapshot.numbers == [7])
            await second.end()
            await first.end()
        }

        @Test("With an interval dispatch does not wait, and due entries are written automatically")
        func interval() async throws {
            let level = DurabilityLevel.interval(.milliseconds(1))
            let first = try await NotebookStore.open(at: workplace.log, DurabilityConfiguration(level: level))
            try await first.write(1...100)
            try await until { first.statistics.committedRevision >= 100 }
            await first.end()
            let long = DurabilityConfiguration(level: .interval(.seconds(3_600)))
            let second = try await NotebookStore.open(at: workplace.log, long)
            try await second.write(101...200)
            #expect(second.statistics.committedRevision == 100)
            try await second.commit()
            #expect(second.statistics.committedRevision == 200)
            try await second.write(201...300)
            await second.end()
            let third = try await NotebookStore.open(at: workplace.log)
            #expect(third.snapshot.numbers == Array(1...300))
            await third.end()
        }

        @Test("A dispatch that does not wait for the disk does so before too many actions wait")
        func backPressure() async throws {
            let level = DurabilityLevel.interval(.seconds(3_600))
            let store = try await NotebookStore.open(
                at: workplace.log,
                DurabilityConfiguration(level: level, pendingLimit: 10)
            )
            try await store.write(1...100)
            #expect(store.statistics.committedRevision > 90)
            await store.end()
        }

        @Test("With acknowledgements by the system everything is written, and a shutdown loses nothing")
        func system() async throws {
            let first = try await NotebookStore.open(at: workplace.log, acknowledgement: .system)
            try await first.write(1...500)
            await first.end()
            let second = try await NotebookStore.open(at: workplace.log, acknowledgement: .system)
            #expect(second.snapshot.numbers == Array(1...500))
            await second.end()
        }

        @Test("An export or a restoration to a path of the log is refused, and releases none of its locks")
        func exportOntoLog() async throws {
            let store = try await NotebookStore.open(at: workplace.log)
            try await store.write(1...5)
            let link = workplace.path("link")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: workplace.log)
            let files = ["", "-wal", "-shm", "-end", "-journal"].map { workplace.log + $0 }
            for path in files + [link] {
                await expect(.refused) { try await store.export(to: path) }
                await expect(.unknownFormat) { try await ActionLogArchive.restore(from: path, to: MemoryLog()) }
            }
            // Another program that closes the database as if it was the last one would delete these.
            let shell = Process()
            shell.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            shell.arguments = ["sqlite3", workplace.log, "SELECT count(*) FROM entries"]
            shell.standardOutput = FileHandle.nullDevice
            shell.standardError = FileHandle.nullDevice
            try shell.run()
            shell.waitUntilExit()
            for end in ["-wal", "-shm"] { #expect(FileManager.default.fileExists(atPath: workplace.log + end)) }
            try await store.write(6...7)
            #expect(store.statistics.lastProblem == nil)
            await store.end()
        }

        @Test("A store that connects again keeps its lease, and other stores find the log in use")
        func leaseOfNewConnection() async throws {
            let log = FaultyLog(try SQLiteLog(at: workplace.log))
            let store = try await Store.durable(in: log, initialState: Notebook.State(), reducer: Notebook())
            #expect(store.statistics.settings["synchronous"] == "FULL")
            try await store.write(1...5)
            log.breakConnections()
            try await store.write(6...10)
            await expect(.inUse) { try await NotebookStore.open(at: workplace.log) }
            try await store.write(11...12)
            await store.end()
            let next = try await NotebookStore.open(at: workplace.log)
            #expect(next.snapshot.numbers == Array(1...12))
            await next.end()
        }
    }

    private struct RateKey: DependencyKey {
        static let liveValue = 1
        static let testValue = 1
    }

    private struct OtherKey: DependencyKey {
        static let liveValue = 0
        static let testValue = 0
    }

    extension DependencyValues {
        fileprivate var rate: Int {
            get { self[RateKey.self] }
            set { self[RateKey.self] = newValue }
        }

        fileprivate var other: Int {
            get { self[OtherKey.self] }
            set { self[OtherKey.self] = newValue }
        }
    }

    private struct Adding: Reducer {
        @Dependency(\.rate) var rate

        func reduce(into sum: inout Int, action: Int) -> Effect<Int> {
            sum += rate * action
            return .none
        }
    }
#endif
