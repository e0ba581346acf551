import ActorStore

/// An operation on a store.
public enum StoreOperation<Action: Sendable>: Sendable {
    /// An action whose reduction the sender awaits.
    case dispatch(Action)
    /// An action whose reduction the sender does not await.
    case send(Action)
    /// A read that does not wait: `snapshot`.
    case snapshot
    /// A read after all actions that were sent before: `state`.
    case state
}

/// The answer of a store.
public enum StoreResponse<State: Sendable>: Sendable {
    /// The action has been reduced.
    case reduced
    /// The state that was read.
    case state(State)
}

extension StoreResponse: Equatable where State: Equatable {}

/// The behaviour of a store according to its reducer, one operation at a time.
public struct ReducerSpecification<State: Hashable & Sendable, Action: Sendable>: SequentialSpecification {
    /// The state before the first action.
    public let initialState: State
    private let reduce: @Sendable (inout State, Action) -> Void

    /// Creates a specification.
    ///
    /// - Parameters:
    ///   - initialState: The state before the first action.
    ///   - reduce: The store's reducer.
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

/// The access to a store whose history is recorded: to a `Store`, or to an object that should behave like one.
public struct StoreAccess<State: Sendable, Action: Sendable>: Sendable {
    let dispatch: @Sendable (Action) async throws -> Void
    let send: @Sendable (Action) -> Bool
    let snapshot: @Sendable () async -> State
    let state: @Sendable () async -> State

    /// Creates the access to a store, whose mailbox must not drop accepted actions.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - snapshot: Reads the current state, if not by the store's `snapshot`: in a simulation whose reducers call
    ///     ``Simulation/preempt()``, after ``Simulation/outermost()``.
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

    /// Creates the access to another object.
    ///
    /// - Parameters:
    ///   - dispatch: Returns when an action has been reduced; throws if it never will be.
    ///   - send: Sends an action; returns whether it will be reduced.
    ///   - snapshot: Reads the current state.
    ///   - state: Reads the state after all actions that the caller sent before.
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
