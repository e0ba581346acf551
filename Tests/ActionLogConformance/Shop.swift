import ActorStore
import ActorStorePersistence
import Testing

/// The orders, in order, and their deliveries: the state of the replicas in tests.
package struct Shop: Reducer {
    package struct State: Codable, Sendable, Equatable {
        package var orders: [Int] = []
        package var deliveries: [Int] = []

        package init() {}
    }

    package enum Action: Codable, Sendable, Equatable {
        case order(Int)
        /// Starts an effect that delivers it.
        case deliver(Int)
        case delivered(Int)
        /// Cancels the running delivery.
        case stop
        /// Cannot be encoded.
        case riddle(Riddle)
        case queue(Queue)
        /// Gets no response.
        case silence(Silence)
    }

    /// Orders, and responds with the number of orders.
    package struct Queue: Request, Codable, Equatable {
        package static let casePath = CasePath(embed: Action.queue) {
            if case .queue(let queue) = $0 { queue } else { nil }
        }
        let order: Int

        package init(order: Int) { self.order = order }

        package func reduce(into state: inout State) -> Int {
            state.orders.append(order)
            return state.orders.count
        }
    }

    /// A request without a reducer.
    package struct Silence: Request, Codable, Equatable {
        package static let casePath = CasePath(embed: Action.silence) {
            if case .silence(let silence) = $0 { silence } else { nil }
        }

        package init() {}

        package func reduce(into state: inout State) -> Bool { true }
    }

    /// A value that cannot be encoded.
    package struct Riddle: Codable, Sendable, Equatable {
        package init() {}

        package func encode(to encoder: any Encoder) throws {
            throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "It cannot be encoded."))
        }
    }

    /// The duration of a delivery.
    private let work: @Sendable (Int) async -> Void
    /// A release's result of the same actions.
    private let factor: Int

    package init(factor: Int = 1, work: @escaping @Sendable (Int) async -> Void = { _ in }) {
        self.work = work
        self.factor = factor
    }

    package func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .order(let number): state.orders.append(number * factor)
        case .delivered(let number): state.deliveries.append(number)
        case .deliver(let number):
            return .run(id: "delivery") { [work] send in
                await work(number)
                send(.delivered(number))
            }
        case .stop: return .cancel(id: "delivery")
        case .riddle: state.orders.append(-1)
        // Behind other effects, where a response is also possible.
        case .queue(let queue): return .merge(.cancel(id: "nothing"), .answer(queue.reduce(into: &state)))
        case .silence: break
        }
        return .none
    }
}

package typealias ShopStore = ReplicatedStore<Shop.State, Shop.Action>

extension ShopStore {
    /// Opens a replica.
    package static func open(
        _ log: some ActionLog,
        _ replication: ReplicationConfiguration = ReplicationConfiguration(),
        _ shop: Shop = Shop(),
        leaseAcquired: Shop.Action? = nil
    ) async throws(ActionLogError) -> ShopStore {
        try await Store.replicated(
            through: log,
            initialState: Shop.State(),
            reducer: shop,
            replication: replication,
            leaseAcquired: leaseAcquired
        )
    }

    package func order(_ numbers: some Sequence<Int>) async throws {
        for number in numbers { try await dispatch(.order(number)) }
    }

    /// Waits for an expected state.
    package func reaches(_ isReached: @escaping @Sendable (Shop.State) -> Bool) async {
        for await state in store.values(of: \.self) where isReached(state) { return }
    }

    /// Waits until the replica has stopped, or waits before an entry.
    ///
    /// - Returns: The reason.
    package func failure() async -> ActionLogError? {
        for await phase in phase.values(of: \.self) {
            switch phase {
            case .ended(let error), .waiting(let error): return error
            case .connected, .disconnected: break
            }
        }
        return nil
    }

    @discardableResult
    package func end() async -> DurableShutdownReport { await shutdown(drain: .finishEffects, within: .seconds(60)) }
}

/// A list of events, and a way to wait for it.
package final class Events<Value: Sendable & Equatable>: Sendable {
    private let values = LockedValue<[Value]>([])
    private let stream = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    package init() {}

    package var all: [Value] { values.withLock { $0 } }

    package func add(_ value: Value) {
        values.withLock { $0.append(value) }
        stream.continuation.yield()
    }

    /// Waits for these events. For one task at a time.
    package func wait(for value: Value) async { await wait { $0.contains(value) } }

    /// Waits for a condition. For one task at a time.
    package func wait(until isSo: ([Value]) -> Bool) async {
        if isSo(all) { return }
        for await _ in stream.stream where isSo(all) { return }
    }
}
