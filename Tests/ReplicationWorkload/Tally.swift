#if Replication
    import ActorStore

    /// Counts for each of many writers, and notices what comes twice or out of order.
    struct Tally: Reducer {
        struct State: Codable, Sendable, Equatable {
            /// The newest number of each writer.
            var newest: [String: Int] = [:]
            /// How many actions did not come right after the one before.
            var disordered = 0

            init() {}
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
#endif
