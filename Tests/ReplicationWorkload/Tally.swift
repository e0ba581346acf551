import ActorStore
import ActorStorePersistence
import Foundation

/// Counts for each of many writers, and notices what comes twice or out of order.
struct Tally: Reducer {
    struct State: Codable, Sendable, Equatable {
        /// The newest number of each writer.
        var newest: [String: Int] = [:]
        /// How many actions did not come right after the one before.
        var disordered = 0

        init() {}

        /// The state as text, the same for the same state.
        var text: String {
            get throws {
                let encoder = JSONEncoder()
                encoder.outputFormatting = .sortedKeys
                return String(decoding: try encoder.encode(self), as: UTF8.self)
            }
        }
    }

    struct Action: Codable, Sendable, Equatable {
        let writer: String
        let number: Int

        init(writer: String, number: Int) {
            self.writer = writer
            self.number = number
        }
    }

    init() {}

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        if action.number != state.newest[action.writer, default: 0] + 1 { state.disordered += 1 }
        state.newest[action.writer] = action.number
        return .none
    }
}

extension Tally {
    typealias Replicated = ReplicatedStore<State, Action>

    /// Opens a replica, however long the server is away.
    static func join(through log: any ActionLog, name: String) async throws -> Replicated {
        while true {
            do throws(ActionLogError) {
                return try await Store.replicated(
                    through: log,
                    initialState: State(),
                    reducer: Tally(),
                    // Many snapshots, and entries that are deleted soon, so that a kill can hit both.
                    replication: ReplicationConfiguration(
                        name: name,
                        snapshots: SnapshotInterval(actions: 200),
                        replicaPatience: .seconds(2)
                    )
                )
            } catch {
                guard error.isPassing else { throw error }
            }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
