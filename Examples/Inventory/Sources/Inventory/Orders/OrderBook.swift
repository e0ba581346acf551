import ActorStore

/// The orders of a desk. Its store is durable, and its log is the desk's promise: orders in it will be settled.
struct OrderBook: Reducer {
    enum Action: Codable, Equatable, Sendable {
        /// The desk has started, perhaps after a crash.
        case opened
        /// A customer has ordered. When this is on disk, the customer may be informed that the order was accepted.
        case placed(Order)
        /// The stock has decided.
        case settled(OrderID, Outcome)
    }

    /// Asks the stock. It may be asked about an order again, and gives the same answer.
    let decide: @Sendable (Order) async throws -> Outcome

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .opened:
            // Operations that ran when the desk ended are in the state, and begin again from there.
            return .merge(
                state.openOrders.map { order in
                    .task { .settled(order.id, try await decide(order)) }
                }
            )
        case .placed(let order):
            // The stock must not set items aside for an order that a crash could erase. An effect from here would begin
            // when the action is on disk. The desk still asks by itself, so that it informs the customer of the order
            // first.
            state.place(order)
        case .settled(let id, let outcome):
            state.settle(id, outcome)
        }
        return .none
    }
}
