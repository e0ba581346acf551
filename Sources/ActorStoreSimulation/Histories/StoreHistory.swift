/// Records what several senders do with a store, and checks it against its reducer.
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
/// A history that passes shows, for its run, one total order of all actions, each sender's in the order in which it
/// sent them, none lost, none doubled; and that every read saw what its sender, and everybody whose dispatch had
/// returned, had written before.
public struct StoreHistory<State: Hashable & Sendable, Action: Sendable>: Sendable {
    private let access: StoreAccess<State, Action>
    private let recorder = HistoryRecorder<StoreOperation<Action>, StoreResponse<State>>()

    /// Begins a history.
    public init(of access: StoreAccess<State, Action>) { self.access = access }

    /// Makes one who uses the store, one operation after the other: one task or thread.
    ///
    /// - Parameters:
    ///   - number: Its name in the history.
    ///   - other: Another way into the same tree of stores, such as a child; nil for that of the history.
    public func sender(
        _ number: Int,
        through other: StoreAccess<State, Action>? = nil
    ) -> StoreSender<State, Action> {
        StoreSender(access: other ?? access, process: recorder.process(number))
    }

    /// What has been recorded up to now.
    public var history: History<StoreOperation<Action>, StoreResponse<State>> { recorder.history }

    /// Checks what has been recorded. A sender that ends with a send should read the state after it: otherwise nobody
    /// can tell whether what it sent was lost.
    ///
    /// - Parameters:
    ///   - initialState: The state before the first action.
    ///   - reduce: What the store's reducer does to the state.
    /// - Returns: the actions in an order that explains everything.
    /// - Throws: a ``LinearizabilityViolation``, or ``UndecidedHistory``.
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

/// One who uses a store whose history is recorded.
public struct StoreSender<State: Sendable, Action: Sendable>: Sendable {
    let access: StoreAccess<State, Action>
    let process: HistoryProcess<StoreOperation<Action>, StoreResponse<State>>

    /// Its name in the history.
    public var number: Int { process.number }

    /// Dispatches an action.
    ///
    /// - Throws: what the store threw; then the action is not part of the history.
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

    /// Sends an action, which takes effect before what this sender does next.
    ///
    /// - Returns: whether it was accepted; if not, it is not part of the history.
    @discardableResult
    public func send(_ action: Action) -> Bool {
        let ticket = process.begin(.send(action))
        let isAccepted = access.send(action)
        if !isAccepted { process.withdraw(ticket) }
        return isAccepted
    }

    /// Reads the state as it is: after what this sender has dispatched, but not always after what it has sent.
    @discardableResult
    public func snapshot() async -> State {
        let ticket = process.begin(.snapshot, followsOwn: false)
        let state = await access.snapshot()
        process.end(ticket, with: .state(state))
        return state
    }

    /// Reads the state after everything that this sender has sent.
    @discardableResult
    public func state() async -> State {
        let ticket = process.begin(.state)
        let state = await access.state()
        process.end(ticket, with: .state(state))
        return state
    }
}
