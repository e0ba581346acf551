/// A state that can be made without arguments, so that a store of it need not be given one.
///
/// ```swift
/// struct Counter: DefaultInitializable { var count = 0 }
/// let store = Store(reducer: Counting())    // Begins with Counter().
/// ```
///
/// No store asks for it; it is a convenience for states that have one natural beginning.
public protocol DefaultInitializable {
    /// Creates the value to begin with.
    init()
}

extension Store where State: DefaultInitializable {
    /// Creates a store that begins with the state that is made without arguments; otherwise like
    /// ``init(initialState:reducer:interceptors:configuration:)``.
    ///
    /// - Parameters:
    ///   - reducer: Changes the state, and asks for effects.
    ///   - interceptors: Stand between senders and the reducer, the first of them outermost.
    ///   - configuration: Name, mailbox capacity, priority and executor.
    @inlinable
    public init(
        reducer: some Reducer<State, Action>,
        interceptors: [Interceptor<State, Action>] = [],
        configuration: StoreConfiguration = StoreConfiguration()
    ) {
        self.init(
            initialState: State(),
            reducer: reducer,
            interceptors: interceptors,
            configuration: configuration
        )
    }
}
