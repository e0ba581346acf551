import ActorStore
import ActorStorePersistence

/// Counts for each of several tasks, and detects repeated and disordered actions.
public struct Tally: Reducer {
    /// The number of tasks.
    public static let tasks = 8

    /// The counts.
    public struct State: Codable, Sendable, Equatable {
        /// The newest number of each task.
        public var newest = [Int](repeating: 0, count: Tally.tasks)
        /// The number of actions that did not directly follow the previous one.
        public var disordered = 0

        /// Creates the state before the first action.
        public init() {}
    }

    /// One action of one task.
    public struct Action: Codable, Sendable, Equatable {
        /// The number of its task.
        public let task: Int
        /// Its number within the task, from 1 on.
        public let number: Int
        /// Makes actions of different lengths.
        public let filler: String

        /// Creates an action.
        public init(task: Int, number: Int) {
            self.task = task
            self.number = number
            filler = String(repeating: "x", count: number % 200)
        }

        /// Whether it is unchanged.
        public var isWhole: Bool { filler.utf8.count == number % 200 }
    }

    /// Creates the reducer.
    public init() {}

    /// Few actions between two snapshots and between two digests, so that a kill can hit each of them.
    public static func durability(keeping retention: LogRetention) -> DurabilityConfiguration {
        DurabilityConfiguration(
            snapshots: SnapshotInterval(actions: 100),
            retention: retention,
            digestInterval: 50
        )
    }

    /// Counts an action.
    public func reduce(into state: inout State, action: Action) -> Effect<Action> {
        if action.number != state.newest[action.task] + 1 || !action.isWhole { state.disordered += 1 }
        state.newest[action.task] = action.number
        return .none
    }
}
