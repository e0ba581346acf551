/// What can be done with a store.
public enum StoreOperation<Action: Sendable>: Sendable {
    /// An action of which the sender awaits that it is reduced.
    case dispatch(Action)
    /// An action that is only handed in.
    case send(Action)
    /// A read that does not wait: `snapshot`.
    case snapshot
    /// A read after everything that was handed in before: `state`.
    case state
}

/// What a store answers.
public enum StoreResponse<State: Sendable>: Sendable {
    /// The action has been reduced.
    case reduced
    /// What was read.
    case state(State)
}

extension StoreResponse: Equatable where State: Equatable {}

/// What a store does according to its reducer, one operation at a time.
public struct ReducerSpecification<State: Hashable & Sendable, Action: Sendable>: SequentialSpecification {
    /// The state before the first action.
    public let initialState: State
    private let reduce: @Sendable (inout State, Action) -> Void

    /// Creates a specification.
    ///
    /// - Parameters:
    ///   - initialState: The state before the first action.
    ///   - reduce: What the store's reducer does to the state.
    public init(initialState: State, reduce: @escaping @Sendable (_ state: inout State, _ action: Action) -> Void) {
        self.initialState = initialState
        self.reduce = reduce
    }

    /// Reduces an action, or reads the state.
    public func apply(_ operation: StoreOperation<Action>, to state: inout State) -> StoreResponse<State> {
        switch operation {
        case .dispatch(let action), .send(let action):
            reduce(&state, action)
            return .reduced
        case .snapshot, .state:
            return .state(state)
        }
    }
}
