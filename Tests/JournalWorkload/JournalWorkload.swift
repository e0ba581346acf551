#if Journal
    import ActorStore
    import ActorStoreJournal
    import Foundation

    /// What the tests of journals run as processes of their own, and their benchmarks.
    ///
    /// - `JournalWorkload write <path>` dispatches from eight tasks, and says of each action that was acknowledged,
    ///   until it is killed.
    /// - `JournalWorkload benchmark` prints what durability costs.
    @main
    struct JournalWorkload {
        static func main() async throws {
            let arguments = CommandLine.arguments.dropFirst()
            switch (arguments.first, arguments.dropFirst().first) {
            case ("write", let path?): try await write(to: path)
            case ("benchmark", let count): try await Benchmark(actions: count.flatMap { Int($0) } ?? 1_000_000).run()
            default: print("JournalWorkload write <path> | benchmark [actions to recover]")
            }
        }

        private static func write(to path: String) async throws {
            // Few pages between two copies of SQLite's log, and few actions between two snapshots, so that a kill can
            // hit each of them.
            let journal = JournalConfiguration(snapshots: SnapshotInterval(actions: 100))
            let store = try await Store.durable(
                at: path,
                initialState: Tally.State(),
                reducer: Tally(),
                journal: journal
            )
            let newest = store.snapshot.newest
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<Tally.tasks {
                    group.addTask {
                        for number in (newest[task] + 1)... {
                            try await store.dispatch(Tally.Action(task: task, number: number))
                            // One call, so that the line is there whole or not at all.
                            let line = Array("\(task) \(number)\n".utf8)
                            _ = Foundation.write(1, line, line.count)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
#else
    @main
    struct JournalWorkload {
        static func main() {
            print("This is a part of the package's trait: swift run --traits Journal JournalWorkload")
        }
    }
#endif
