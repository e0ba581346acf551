import ActorStore

/// The orders of a desk. Its store is durable, and its log is the desk's promise: what is in it will be settled.
struct OrderBook: Reducer {
    enum Action: Codable, Equatable, Sendable {
        /// The desk has started, perhaps after a crash.
        case opened
        /// A customer has ordered. Once this is on disk, the customer may be told that the order was accepted.
        case placed(Order)
        /// The stock has decided.
        case settled(OrderID, Outcome)
    }

    /// Asks the stock. It may be asked about an order again, and answers the same.
    let decide: @Sendable (Order) async throws -> Outcome

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .opened:
            // Whatever was under way when the desk ended is in the state, and begins again from there.
            return .merge(
                state.openOrders.map { order in
                    .task { .settled(order.id, try await decide(order)) }
                }
            )
        case .placed(let order):
            // The stock must not set items aside for an order that a crash could make unheard of. An effect from here
            // would begin when the action is on disk. The desk asks by itself all the same, so that it tells the
            // customer of the order first.
            state.place(order)
        case .settled(let id, let outcome):
            state.settle(id, outcome)
        }
        return .none
    }
}
