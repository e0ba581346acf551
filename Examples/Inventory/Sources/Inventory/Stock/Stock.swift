import ActorStore

/// How many there are of each item, for all desks together. Each desk has a replica of its store.
///
/// Every replica reduces the same actions in the same order, so that there is nothing to agree upon: who comes first
/// gets the last lamp, and all replicas see the same one come first.
struct Stock: Reducer {
    enum Action: Codable, Equatable, Sendable {
        /// Sets items aside for an order, or refuses it. What was decided once stays so.
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
