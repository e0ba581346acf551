/// Records the operations of several senders on a store, and checks them against its reducer.
///
/// ```swift
/// let history = StoreHistory(of: StoreAccess(store))
/// try await withThrowingTaskGroup { group in
///     for number in 0..<8 {
///         let sender = history.sender(number)
///         group.addTask {
///             sender.send(.increment)
///             try await sender.dispatch(.increment)
///             await sender.snapshot()
///         }
///     }
/// }
/// try history.check(initialState: 0) { count, action in count += 1 }
/// ```
///
/// A history that passes shows for its run: all actions have one total order, with those of each sender in the order in
/// which it sent them; no action is lost or duplicated; and every read includes the actions that its sender, and every
/// sender whose dispatch had returned, had sent before.
public struct StoreHistory<State: Hashable & Sendable, Action: Sendable>: Sendable {
    private let access: StoreAccess<State, Action>
    private let recorder = HistoryRecorder<StoreOperation<Action>, StoreResponse<State>>()

    /// Creates an empty history of a store.
    public init(of access: StoreAccess<State, Action>) { self.access = access }

    /// Creates a sender, which runs one operation after the other: one task or thread.
    ///
    /// - Parameters:
    ///   - number: The number of the sender in the history.
    ///   - other: The access to another store of the same tree, such as a child; nil for that of the history.
    /// - Returns: A sender.
    public func sender(
        _ number: Int,
        through other: StoreAccess<State, Action>? = nil
    ) -> StoreSender<State, Action> {
        StoreSender(access: other ?? access, process: recorder.process(number))
    }

    /// The operations recorded so far.
    ///
    /// - Complexity: O(n log n)
    public var history: History<StoreOperation<Action>, StoreResponse<State>> { recorder.history }

    /// Checks the recorded operations. A sender that ends with a send should read the state after it, by `state()`:
    /// otherwise a loss of its last action cannot be detected.
    ///
    /// - Parameters:
    ///   - initialState: The state before the first action.
    ///   - reduce: The store's reducer.
    /// - Returns: The actions in an order that explains all answers.
    /// - Throws: A ``LinearizabilityViolation``, or ``UndecidedHistory``.
    /// - Complexity: That of ``History/linearization(by:limit:)``: close to linear for linearizable histories,
    ///   exponential in the number of overlapping operations in the worst case.
    @discardableResult
    public func check(
        initialState: State,
        reduce: @escaping @Sendable (_ state: inout State, _ action: Action) -> Void
    ) throws -> [Action] {
        let specification = ReducerSpecification(initialState: initialState, reduce: reduce)
        return try history.linearization(by: specification).compactMap { record in
            switch record.operation {
            case .dispatch(let action), .send(let action): action
            case .snapshot, .state: nil
            }
        }
    }
}

/// A sender of a store whose history is recorded.
public struct StoreSender<State: Sendable, Action: Sendable>: Sendable {
    let access: StoreAccess<State, Action>
    let process: HistoryProcess<StoreOperation<Action>, StoreResponse<State>>

    /// The number of the sender in the history.
    public var number: Int { process.number }

    /// Dispatches an action.
    ///
    /// - Throws: The error of the store; the action is then not part of the history.
    public func dispatch(_ action: Action) async throws {
        let ticket = process.begin(.dispatch(action))
        do {
            try await access.dispatch(action)
        } catch {
            process.withdraw(ticket)
            throw error
        }
        process.end(ticket, with: .reduced)
    }

    /// Sends an action, which takes effect before the next operation of this sender.
    ///
    /// - Returns: Whether it was accepted; if not, it is not part of the history.
    @discardableResult
    public func send(_ action: Action) -> Bool {
        let ticket = process.begin(.send(action))
        let isAccepted = access.send(action)
        if !isAccepted { process.withdraw(ticket) }
        return isAccepted
    }

    /// Reads the current state, which includes all actions that this sender has dispatched, but not always those that
    /// it has sent.
    ///
    /// - Returns: The state.
    @discardableResult
    public func snapshot() async -> State {
        let ticket = process.begin(.snapshot, followsOwn: false)
        let state = await access.snapshot()
        process.end(ticket, with: .state(state))
        return state
    }

    /// Reads the state after all actions that this sender has sent.
    ///
    /// - Returns: The state.
    @discardableResult
    public func state() async -> State {
        let ticket = process.begin(.state)
        let state = await access.state()
        process.end(ticket, with: .state(state))
        return state
    }
}
