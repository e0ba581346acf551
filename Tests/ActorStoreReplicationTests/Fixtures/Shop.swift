#if Replication
    import ActorStore
    import ActorStoreReplication
    @testable import ReplicationWorkload

    /// What was ordered, in order, and what was done about it.
    struct Shop: Reducer {
        struct State: Codable, Sendable, Equatable {
            var orders: [Int] = []
            var deliveries: [Int] = []
        }

        enum Action: Codable, Sendable, Equatable {
            case order(Int)
            /// Has an effect deliver it.
            case deliver(Int)
            case delivered(Int)
            /// Has what is being delivered stopped.
            case stop
            /// Cannot be encoded.
            case riddle(Riddle)
            case queue(Queue)
            /// Is not answered.
            case silence(Silence)
        }

        /// Orders, and asks how many orders there are then.
        struct Queue: Request, Codable, Equatable {
            static let casePath = CasePath(embed: Action.queue) {
                if case .queue(let queue) = $0 { queue } else { nil }
            }
            let order: Int

            func reduce(into state: inout State) -> Int {
                state.orders.append(order)
                return state.orders.count
            }
        }

        /// A request that the reducer does not know.
        struct Silence: Request, Codable, Equatable {
            static let casePath = CasePath(embed: Action.silence) {
                if case .silence(let silence) = $0 { silence } else { nil }
            }

            func reduce(into state: inout State) -> Bool { true }
        }

        /// A value that cannot be encoded.
        struct Riddle: Codable, Sendable, Equatable {
            func encode(to encoder: any Encoder) throws {
                throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "Nobody knows."))
            }
        }

        /// What a delivery takes.
        var work: @Sendable (Int) async -> Void = { _ in }

        func reduce(into state: inout State, action: Action) -> Effect<Action> {
            switch action {
            case .order(let number): state.orders.append(number)
            case .delivered(let number): state.deliveries.append(number)
            case .deliver(let number):
                return .run(id: "delivery") { [work] send in
                    await work(number)
                    send(.delivered(number))
                }
            case .stop: return .cancel(id: "delivery")
            case .riddle: state.orders.append(-1)
            // Behind other effects, where an answer may stand as well.
            case .queue(let queue): return .merge(.cancel(id: "nothing"), .answer(queue.reduce(into: &state)))
            case .silence: break
            }
            return .none
        }
    }

    typealias ShopStore = ReplicatedStore<Shop.State, Shop.Action>

    extension ShopStore {
        static func join(
            _ redis: RedisProcess,
            _ replication: ReplicationConfiguration = ReplicationConfiguration(),
            shop: Shop = Shop(),
            leaseAcquired: Shop.Action? = nil
        ) async throws(ReplicationError) -> ShopStore {
            try await join(redis.server, replication, shop: shop, leaseAcquired: leaseAcquired)
        }

        static func join(
            _ server: RedisServer,
            _ replication: ReplicationConfiguration = ReplicationConfiguration(),
            shop: Shop = Shop(),
            leaseAcquired: Shop.Action? = nil
        ) async throws(ReplicationError) -> ShopStore {
            try await Store.replicated(
                through: server,
                stream: "shop",
                initialState: Shop.State(),
                reducer: shop,
                replication: replication,
                leaseAcquired: leaseAcquired
            )
        }

        func order(_ numbers: some Sequence<Int>) async throws {
            for number in numbers { try await dispatch(.order(number)) }
        }

        /// Waits for the state to be as it should.
        func reaches(_ isReached: @escaping @Sendable (Shop.State) -> Bool) async {
            for await state in store.values(of: \.self) where isReached(state) { return }
        }

        func end() async throws { try await shutdown(drain: .finishEffects) }
    }
#endif
