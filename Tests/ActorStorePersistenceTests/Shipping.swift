import ActionLogConformance
import ActorStore
import ActorStoreFoundation

@testable import ActorStorePersistence

/// Orders to ship, and offers with an end.
struct Shipping: Reducer {
    struct State: Codable, Sendable, Equatable {
        var unshipped: [Int: String] = [:]
        var shipped: [Int] = []
        var ends: [Int: WallClock.Instant] = [:]
        var ended: [Int] = []
    }

    enum Action: Codable, Sendable, Equatable {
        case ordered(Int, String)
        case withdrawn(Int)
        case shipped(Int)
        case offered(Int, until: WallClock.Instant)
        case ended(Int)
        /// Ends an offer, unless its end was changed.
        case expired(Int, WallClock.Instant)
        /// Changes nothing.
        case looked
    }

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .ordered(let id, let what): state.unshipped[id] = what
        case .withdrawn(let id): (state.unshipped[id], state.ends[id]) = (nil, nil)
        case .shipped(let id):
            state.unshipped[id] = nil
            state.shipped.append(id)
        case .offered(let id, let end): state.ends[id] = end
        case .expired(let id, let end):
            if state.ends[id] == end { return reduce(into: &state, action: .ended(id)) }
        case .ended(let id):
            state.ends[id] = nil
            state.ended.append(id)
        case .looked: break
        }
        return .none
    }
}

typealias ShippingStore = DurableStore<Shipping.State, Shipping.Action>

extension ShippingStore {
    static func open(
        _ log: some ActionLog,
        _ durability: DurabilityConfiguration = DurabilityConfiguration(openingTimeout: .seconds(60))
    ) async throws(ActionLogError) -> ShippingStore {
        try await Store.durable(in: log, initialState: Shipping.State(), reducer: Shipping(), durability: durability)
    }
}

/// Refuses actions as a log does that is full in that moment, and has room afterwards.
final class MomentaryRefusals: Sendable {
    private let refused = LockedValue(0)
    private let store = LockedValue<ShippingStore?>(nil)

    var count: Int { refused.withLock { $0 } }

    /// Opens a store whose log refuses actions.
    ///
    /// - Parameters:
    ///   - name: The name of the interceptor that refuses them.
    ///   - limit: The number of refusals.
    ///   - isRefused: Returns whether an action is refused.
    func open(
        as name: String = "log",
        atMost limit: Int,
        where isRefused: @escaping @Sendable (Shipping.Action) -> Bool
    ) async throws -> ShippingStore {
        let interceptor = Interceptor<Shipping.State, Shipping.Action>(name) { [self] action, _, next in
            guard isRefused(action), count < limit else { return try next(action) }
            refused.withLock { $0 += 1 }
            store.withLock { $0 }?.log.overloads.withLock { $0 += 1 }
        }
        let opened = try await Store.durable(
            in: MemoryLog(),
            initialState: Shipping.State(),
            reducer: Shipping(),
            interceptors: [interceptor]
        )
        store.withLock { $0 = opened }
        return opened
    }

    /// Releases the store.
    func close() { store.withLock { $0 = nil } }
}
