import ActorStore

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

/// The ways into a store whose history is recorded: those of a `Store`, or of something that should behave like one.
public struct StoreAccess<State: Sendable, Action: Sendable>: Sendable {
    let dispatch: @Sendable (Action) async throws -> Void
    let send: @Sendable (Action) -> Bool
    let snapshot: @Sendable () async -> State
    let state: @Sendable () async -> State

    /// Names the ways into a store, whose mailbox must not drop what it has accepted.
    ///
    /// - Parameter snapshot: How the state is read at once, if not by the store's `snapshot`: in a simulation whose
    ///   reducers let others come in between, after ``Simulation/outermost()``.
    public init(
        _ store: Store<State, Action>,
        snapshot: (@Sendable (Store<State, Action>) async -> State)? = nil
    ) {
        dispatch = { _ = try await store.dispatch($0) }
        send = { store.send($0).isAccepted }
        state = { await store.state }
        if let snapshot {
            self.snapshot = { await snapshot(store) }
        } else {
            self.snapshot = { store.snapshot }
        }
    }

    /// Names the ways into something else.
    ///
    /// - Parameters:
    ///   - dispatch: Returns when an action has been reduced; throws if it never will be.
    ///   - send: Hands an action in; returns whether it will be reduced.
    ///   - snapshot: Reads the state as it is.
    ///   - state: Reads the state after everything that the caller handed in before.
    public init(
        dispatch: @escaping @Sendable (Action) async throws -> Void,
        send: @escaping @Sendable (Action) -> Bool,
        snapshot: @escaping @Sendable () async -> State,
        state: @escaping @Sendable () async -> State
    ) {
        self.dispatch = dispatch
        self.send = send
        self.snapshot = snapshot
        self.state = state
    }
}
