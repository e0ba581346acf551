import ActorStore

/// A large state, of which an action changes a few bytes.
struct LargeLedger: Reducer, Sendable {
    struct State: Equatable, Sendable {
        var bookings = 0
        var balances = [Int](repeating: 0, count: 100_000)
        var names = Dictionary(uniqueKeysWithValues: (0..<10_000).map { ($0, "account \($0)") })
    }

    enum Action: Sendable {
        /// Books an amount: one element of a large array changes.
        case book(Int)
    }

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .book(let amount):
            state.balances[state.bookings % state.balances.count] &+= amount
            state.bookings &+= 1
        }
        return .none
    }
}
