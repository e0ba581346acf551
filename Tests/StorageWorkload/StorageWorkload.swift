#if SQLite
    import ActionLogConformance
    import ActorStore
    import ActorStorePersistence
    import ActorStoreSQLite
    import CFileFaults
    import CSQLite
    import Foundation

    /// A process started by the tests of files, in which system calls are recorded, or fail.
    ///
    /// It opens a durable store, dispatches from eight tasks, and prints and records each acknowledged action; then it
    /// shuts the store down, and repeats this once. An error ends the task in which it happens.
    @main
    struct StorageWorkload {
        let log: String
        /// The number of actions of each task in a life of the store.
        let count: Int

        static func main() async throws {
            let arguments = Array(CommandLine.arguments.dropFirst())
            guard arguments.count == 5, let number = Int(arguments[3]), let count = Int(arguments[4]) else {
                return print(
                    """
                    StorageWorkload note   <directory> <history>            <1, or 0 to lose syncs> <actions>
                    StorageWorkload fail   <directory> <error, -1 for half> <call>                  <actions>
                    StorageWorkload memory <directory> <failure>            <bytes>                 <actions>
                    """
                )
            }
            let workload = StorageWorkload(log: arguments[1] + "/log", count: count)
            switch arguments[0] {
            case "note":
                file_faults_note(arguments[1], arguments[2], Int32(number))
                await workload.run()
            case "fail":
                file_faults_fail(arguments[1], UInt64(number), Int32(arguments[2]) ?? EIO)
                await workload.run()
                print("calls \(file_faults_calls())")
            default:
                // SQLite's memory at rest, and an additional amount.
                await workload.run(limitingMemoryTo: number)
            }
        }

        private func run(limitingMemoryTo bytes: Int? = nil) async {
            for life in 0..<2 {
                do {
                    let store = try await Store.durable(
                        in: SQLiteLog(at: log),
                        initialState: Tally.State(),
                        reducer: Tally(),
                        durability: Tally.durability(keeping: .snapshots(2))
                    )
                    if let bytes, life == 0 { sqlite3_hard_heap_limit64(sqlite3_memory_used() + Int64(bytes)) }
                    await dispatch(to: store)
                    await store.shutdown(drain: .finishEffects, within: .seconds(60))
                } catch {
                    say("failed \(error)")
                }
                sqlite3_hard_heap_limit64(0)
            }
        }

        private func dispatch(to store: DurableStore<Tally.State, Tally.Action>) async {
            let newest = store.snapshot.newest
            await withTaskGroup(of: Void.self) { group in
                for task in 0..<Tally.tasks {
                    group.addTask {
                        do {
                            for number in newest[task] + 1...newest[task] + count {
                                try await store.dispatch(Tally.Action(task: task, number: number))
                                file_faults_mark("\(task) \(number)")
                                say("\(task) \(number)")
                            }
                        } catch {
                            say("failed \(error)")
                        }
                    }
                }
            }
        }

        /// In one call, so that the line is complete or absent.
        private func say(_ line: String) {
            let bytes = Array((line + "\n").utf8)
            _ = Foundation.write(1, bytes, bytes.count)
        }
    }
#else
    @main
    struct StorageWorkload {
        static func main() {
            print("This is a part of the package's trait: swift run --traits SQLite StorageWorkload")
        }
    }
#endif
