#if SQLite
    import ActorStore
    import ActorStorePersistence

    /// Counts for each of several tasks, and notices what comes twice or out of order.
    struct Tally: Reducer {
        static let tasks = 8

        struct State: Codable, Sendable, Equatable {
            /// The newest number of each task.
            var newest = [Int](repeating: 0, count: Tally.tasks)
            /// How many actions did not come right after the one before.
            var disordered = 0

            init() {}
        }

        struct Action: Codable, Sendable, Equatable {
            let task: Int
            let number: Int
            /// Makes actions of different lengths.
            let filler: String

            init(task: Int, number: Int) {
                self.task = task
                self.number = number
                filler = String(repeating: "x", count: number % 200)
            }

            /// Whether it is as it was made.
            var isWhole: Bool { filler.utf8.count == number % 200 }
        }

        init() {}

        /// Few actions between two snapshots and between two digests, so that a kill can hit each of them.
        static func durability(keeping retention: LogRetention) -> DurabilityConfiguration {
            DurabilityConfiguration(
                snapshots: SnapshotInterval(actions: 100),
                retention: retention,
                digestInterval: 50
            )
        }

        func reduce(into state: inout State, action: Action) -> Effect<Action> {
            if action.number != state.newest[action.task] + 1 || !action.isWhole { state.disordered += 1 }
            state.newest[action.task] = action.number
            return .none
        }
    }
#endif
