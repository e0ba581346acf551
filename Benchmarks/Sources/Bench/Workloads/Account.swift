import ActorStore

/// The task of every contender: the state of a medium-sized service, and a reducer that changes one field of it.
struct Account: Reducer {
    struct State: Equatable, Sendable {
        var balance = 0
        var bookings = 0
        var owner = "nobody"
        var history: [Int] = [1, 2, 3]
        var limit = 1_000
        var isLocked = false
    }

    enum Action: Sendable {
        case book(Int)
        case rename(String)
    }

    @inlinable
    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .book(let amount):
            state.balance &+= amount
            state.bookings &+= 1
        case .rename(let owner):
            state.owner = owner
        }
        return .none
    }
}
