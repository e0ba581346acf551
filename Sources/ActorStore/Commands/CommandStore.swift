/// A store whose actions carry their own changes of the state; see ``StateUpdater``.
public typealias CommandStore<State: Sendable> = Store<State, Command<State>>

/// The reducer of a store of commands: it applies them.
public struct CommandReducer<State: Sendable>: Reducer {
    /// Creates a reducer that applies commands.
    public init() {}

    /// Applies the command. There are no effects.
    public func reduce(into state: inout State, action: Command<State>) -> Effect<Command<State>> {
        action.apply(to: &state)
        return .none
    }
}

extension Store where Action == Command<State> {
    /// Creates a store of commands.
    ///
    /// ```swift
    /// let store = CommandStore(initialState: Account())
    /// ```
    ///
    /// - Parameters:
    ///   - initialState: The state before the first command.
    ///   - interceptors: Stand between senders and the state, the first of them outermost.
    ///   - configuration: Name, mailbox capacity, priority and executor.
    public init(
        initialState: State,
        interceptors: [Interceptor<State, Action>] = [],
        configuration: StoreConfiguration = StoreConfiguration()
    ) {
        self.init(
            initialState: initialState,
            reducer: CommandReducer(),
            interceptors: interceptors,
            configuration: configuration
        )
    }
}

extension Store where State: DefaultInitializable, Action == Command<State> {
    /// Creates a store of commands that begins with the state that is made without arguments.
    ///
    /// ```swift
    /// let store = CommandStore<Account>()
    /// ```
    ///
    /// - Parameters:
    ///   - interceptors: Stand between senders and the state, the first of them outermost.
    ///   - configuration: Name, mailbox capacity, priority and executor.
    public init(
        interceptors: [Interceptor<State, Action>] = [],
        configuration: StoreConfiguration = StoreConfiguration()
    ) {
        self.init(initialState: State(), interceptors: interceptors, configuration: configuration)
    }
}
