#if SQLite
    import ActionLogConformance
    import ActorStore
    import ActorStorePersistence
    import ActorStoreSQLite
    import Foundation

    /// A process that the tests of durable stores start and kill.
    ///
    /// `DurabilityWorkload <path> <snapshots>` dispatches from eight tasks, and prints each acknowledged action, until
    /// it is killed. It keeps the given number of snapshots, with the actions behind them; 0 keeps everything.
    @main
    struct DurabilityWorkload {
        static func main() async throws {
            let arguments = CommandLine.arguments.dropFirst()
            guard let path = arguments.first, let count = arguments.last.flatMap({ Int($0) }) else {
                return print("DurabilityWorkload <path> <snapshots that are kept>")
            }
            try await write(to: path, keeping: count == 0 ? .everything : .snapshots(count))
        }

        private static func write(to path: String, keeping retention: LogRetention) async throws {
            let store = try await Store.durable(
                in: SQLiteLog(at: path),
                initialState: Tally.State(),
                reducer: Tally(),
                durability: Tally.durability(keeping: retention)
            )
            let newest = store.snapshot.newest
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<Tally.tasks {
                    group.addTask {
                        for number in (newest[task] + 1)... {
                            try await store.dispatch(Tally.Action(task: task, number: number))
                            // In one call, so that the line is complete or absent.
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
    struct DurabilityWorkload {
        static func main() {
            print("This is a part of the package's trait: swift run --traits SQLite DurabilityWorkload")
        }
    }
#endif
