#if SQLite
    import ActorStore
    @testable import ActorStorePersistence
    import ActorStoreSQLite

    /// Numbers in the order of their recording.
    struct Notebook: Reducer {
        struct State: Codable, Sendable, Equatable {
            var numbers: [Int] = []
        }

        enum Action: Codable, Sendable, Equatable {
            case write(Int)
            /// Starts an effect that records the number after this one.
            case writeWithNext(Int)
            /// Cannot be encoded.
            case riddle(Riddle)
        }

        /// A value that cannot be encoded.
        struct Riddle: Codable, Sendable, Equatable {
            func encode(to encoder: any Encoder) throws {
                throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "It cannot be encoded."))
            }
        }

        func reduce(into state: inout State, action: Action) -> Effect<Action> {
            switch action {
            case .write(let number):
                state.numbers.append(number)
            case .writeWithNext(let number):
                state.numbers.append(number)
                return .run { send in send(.write(number + 1)) }
            case .riddle:
                state.numbers.append(-1)
            }
            return .none
        }
    }

    typealias NotebookStore = DurableStore<Notebook.State, Notebook.Action>

    extension NotebookStore {
        static func open(
            at path: String,
            _ durability: DurabilityConfiguration = DurabilityConfiguration(snapshotAtShutdown: false),
            acknowledgement: SQLiteLog.Acknowledgement = .disk,
            interceptors: [Interceptor<Notebook.State, Notebook.Action>] = []
        ) async throws(ActionLogError) -> NotebookStore {
            try await Store.durable(
                in: SQLiteLog(at: path, acknowledgement: acknowledgement),
                initialState: Notebook.State(),
                reducer: Notebook(),
                interceptors: interceptors,
                durability: durability
            )
        }

        /// Records numbers, one after the other.
        func write(_ numbers: some Sequence<Int>) async throws {
            for number in numbers { try await dispatch(.write(number)) }
        }

        func end() async { await shutdown(drain: .finishEffects) }
    }
#endif
