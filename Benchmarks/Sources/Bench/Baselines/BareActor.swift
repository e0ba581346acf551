import ActorStore

/// B1: a bare actor with the same state and reducer.
actor BareActor<Logic: Reducer & Sendable> where Logic.State: Sendable, Logic.Action: Sendable {
    private(set) var state: Logic.State
    private let reducer: Logic

    init(_ state: Logic.State, _ reducer: Logic) {
        self.state = state
        self.reducer = reducer
    }

    func apply(_ action: Logic.Action) { _ = reducer.reduce(into: &state, action: action) }

    /// Applies an action, and calls a listener.
    func apply(_ action: Logic.Action, listener: @Sendable (Logic.State) -> Void) {
        _ = reducer.reduce(into: &state, action: action)
        listener(state)
    }
}

/// The name of the baseline.
enum Actors {
    static let bare = "B1 bare actor"
}

extension BareActor<Account> {
    init() { self.init(Account.State(), Account()) }
}
