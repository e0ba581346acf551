import ActorStore

/// A large state, and a reducer that has some work to do: it keeps the last bookings of many accounts in order.
struct LargeLedger: Reducer {
    struct State: Equatable, Sendable {
        var bookings = 0
        var balances = [Int](repeating: 0, count: 100_000)
        var names = Dictionary(uniqueKeysWithValues: (0..<10_000).map { ($0, "account \($0)") })
        var recent: [Int] = []
    }

    enum Action: Sendable {
        /// Books an amount: one element of a large array changes.
        case book(Int)
        /// Books, and sorts what came lately: a reducer of about a microsecond.
        case bookInOrder(Int)
    }

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .book(let amount):
            state.balances[state.bookings % state.balances.count] &+= amount
            state.bookings &+= 1
        case .bookInOrder(let amount):
            state.bookings &+= 1
            state.recent.append(amount ^ state.bookings)
            state.recent.sort()
            if state.recent.count > 32 { state.recent.removeFirst() }
        }
        return .none
    }
}
