import ActorStore

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
