#if Journal
    import ActorStore
    import ActorStoreJournal
    import struct ActorStorePersistence.JSONStateCodec
    import struct ActorStorePersistence.StateCoding
    import struct ActorStorePersistence.StateSchema
    import Foundation

    /// Measures journals beside plain SQLite with the same waits for the disk, on the same disk, in the same run.
    struct Benchmark {
        let actions: Int
        private let directory = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
            .appendingPathComponent(".build/journal-benchmark-\(ProcessInfo.processInfo.processIdentifier)")

        init(actions: Int) { self.actions = actions }

        func run() async throws {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: directory) }
            try await measureDispatch()
            try await measureRecovery()
            try await measurePauses()
        }

        private func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

        private func seconds(_ body: () async throws -> Void) async rethrows -> Double {
            let duration = try await ContinuousClock().measure(body)
            return Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
        }

        private func show(_ name: String, _ value: Double, _ unit: String, _ note: String = "") {
            print(name.padding(toLength: 44, withPad: " ", startingAt: 0), String(format: "%12.1f", value), unit, note)
        }

        // MARK: Dispatching

        private func measureDispatch() async throws {
            let plainCount = 2_000
            let payload = try JSONStateCodec().encode(Tally.Action(task: 0, number: 1))
            let database = try SQLiteConnection(path: path("plain"), creates: true)
            try database.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL")
            try database.execute("CREATE TABLE actions (revision INTEGER PRIMARY KEY, payload BLOB NOT NULL)")
            let insertion = try database.prepare("INSERT INTO actions VALUES (NULL, ?)")
            let plain = try await seconds {
                for _ in 0..<plainCount {
                    insertion.bind(payload, at: 1)
                    try insertion.run()
                }
            }
            let plainRate = Double(plainCount) / plain
            show("plain SQLite, one insert a transaction", plainRate, "actions/s")
            for tasks in [1, 8, 64] {
                let store = try await Store.durable(
                    at: path("dispatch-\(tasks)"),
                    initialState: Tally.State(),
                    reducer: Tally()
                )
                let count = plainCount * tasks / (tasks > 1 ? 4 : 1)
                let time = try await seconds { try await dispatch(count / tasks, tasks, to: store) }
                let rate = Double(count) / time
                let share = Double(count) / Double(store.statistics.commits)
                show(
                    "durable dispatch, \(tasks) tasks",
                    rate,
                    "actions/s",
                    String(format: "%.2f x plain, %.1f actions a commit", rate / plainRate, share)
                )
                try await store.shutdown(drain: .cancelEffects)
            }
        }

        private func dispatch(
            _ count: Int,
            _ tasks: Int,
            to store: DurableStore<Tally.State, Tally.Action>
        ) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<tasks {
                    group.addTask {
                        for number in 1...count {
                            try await store.dispatch(Tally.Action(task: task % Tally.tasks, number: number))
                        }
                    }
                }
                try await group.waitForAll()
            }
        }

        // MARK: Recovery

        private func measureRecovery() async throws {
            let journal = JournalConfiguration(level: .none, snapshots: .never, pendingLimit: actions + 1)
            let first = try await Store.durable(
                at: path("recovery"),
                initialState: 0,
                journal: journal
            ) { (sum: inout Int, step: Int) in sum += step }
            let writing = try await seconds {
                for number in 0..<actions { first.send(number) }
                try await first.commit()
            }
            show("sending \(actions) actions, level none", Double(actions) / writing, "actions/s")
            try await first.shutdown(drain: .cancelEffects)
            var recovered = 0
            let reading = try await seconds {
                let second = try await Store.durable(
                    at: path("recovery"),
                    initialState: 0,
                    journal: journal
                ) { (sum: inout Int, step: Int) in sum += step }
                recovered = second.snapshot
                try await second.shutdown(drain: .cancelEffects)
            }
            guard recovered == actions * (actions - 1) / 2 else { fatalError("The recovery changed the sum.") }
            show(
                "recovery of \(actions) actions",
                reading,
                "s",
                String(format: "%.0f actions/s", Double(actions) / reading)
            )
        }

        // MARK: Pauses

        private func measurePauses() async throws {
            let store = try await Store.durable(
                at: path("pauses"),
                initialState: [Int](0..<1_000_000),
                journal: JournalConfiguration(snapshots: .never)
            ) { (state: inout [Int], index: Int) in state[index] += 1 }
            try await measurePauses("without a snapshot", of: store) { try await store.commit() }
            try await measurePauses("while a snapshot is made", of: store) { try await store.checkpoint() }
            try await store.shutdown(drain: .cancelEffects)
        }

        /// Dispatches until `work` has ended, and 500 times at least.
        private func measurePauses(
            _ name: String,
            of store: DurableStore<[Int], Int>,
            _ work: @escaping @Sendable () async throws -> Void
        ) async throws {
            let end = EndMark()
            let task = Task {
                try await work()
                end.set()
            }
            var dispatches: [Double] = []
            while dispatches.count < 500 || !end.isSet {
                dispatches.append(try await seconds { try await store.dispatch(dispatches.count % 1_000) })
            }
            try await task.value
            dispatches.sort()
            let median = dispatches[dispatches.count / 2] * 1e3
            let longest = (dispatches.last ?? 0) * 1e3
            show(
                "longest dispatch, 1,000,000 numbers, \(name)",
                longest,
                "ms",
                String(format: "median %.2f ms", median)
            )
        }
    }

    /// Whether something has ended.
    private final class EndMark: @unchecked Sendable {
        // Sound: the value is touched only under the lock.
        private let lock = NSLock()
        private var value = false

        var isSet: Bool { lock.withLock { value } }
        func set() { lock.withLock { value = true } }
    }
#endif
