import ActorStore

/// The number of each item, for all desks together. Each desk has a replica of its store.
///
/// Every replica reduces the same actions in the same order, so that no agreement is needed: the first order gets the
/// last lamp, and all replicas see the same order first.
struct Stock: Reducer {
    enum Action: Codable, Equatable, Sendable {
        /// Sets items aside for an order, or refuses it. A decision is final.
        case reserve(Order)
        /// Items have been delivered. Unlike a reservation, this must not be reduced twice.
        case restock(Item, quantity: Int)
    }

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .reserve(let order): state.reserve(order)
        case .restock(let item, let quantity): state.restock(item, quantity)
        }
        return .none
    }
}
