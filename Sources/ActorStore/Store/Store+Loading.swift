extension Store {
    /// Creates a store whose first state is loaded.
    ///
    /// ```swift
    /// let store = Store(initialState: .empty, loading: { try await database.load() }, reducer: Orders())
    /// store.send(.opened)          // Kept until then,
    /// try await store.ready()      // and reduced before what is sent after this.
    /// ```
    ///
    /// This returns at once, and the loading begins. Until it has ended, everything that is asked of the store waits,
    /// in order: actions, whose number the mailbox limits as ever; side effects; observations, the first value of which
    /// is that of the loaded state; and reads by ``state`` and ``read(_:isolation:)``. Only ``snapshot`` does not wait,
    /// and shows the initial state.
    ///
    /// If the loading fails, ``ready(isolation:)`` throws its error, which also reaches ``errors``. Every `dispatch`,
    /// before or after, throws ``StoreError/notReady``, and what is sent is refused with it. What was sent before
    /// counts in ``StoreStatistics/rejectedActions``. Every `condition` and `take`, before or after, throws
    /// ``WaitError/notReady``. Other observations get nothing, and end with the shutdown of the store, or when it is
    /// released.
    ///
    /// A shutdown cancels the loading, and so does releasing the store, unless actions wait: these are reduced when it
    /// has ended. With ``ShutdownDrain/cancelEffects`` a shutdown cancels it in any case, and so does one with a
    /// deadline, when it cancels the effects, or whose task is cancelled. What waits is refused then, unless the
    /// loading ends well nevertheless, and before the deadline. When a deadline is over the store ends without its
    /// state, and does not wait for the loading any longer: everything that waits is refused or ends, and what the
    /// loading still loads is dropped.
    ///
    /// - Parameters:
    ///   - initialState: What ``snapshot`` shows until the state has been loaded.
    ///   - load: Loads the state, in a task of its own, with the task-locals of the calling task. It must not wait for
    ///     the store, which waits for it.
    ///   - reducer: Changes the state, and asks for effects.
    ///   - interceptors: Stand between senders and the reducer, the first of them outermost. They are set up when the
    ///     state is there.
    ///   - configuration: Name, mailbox capacity, priority and executor.
    @inlinable
    public init(
        initialState: State,
        loading load: @escaping @Sendable () async throws -> State,
        reducer: some Reducer<State, Action>,
        interceptors: [Interceptor<State, Action>] = [],
        configuration: StoreConfiguration = StoreConfiguration()
    ) {
        self.init(initialState: initialState, reducer: reducer, configuration: configuration)
        guard case .root(let core) = backing else { return }
        core.beginLoading(interceptors) {
        } _: {
            try await load()
        }
    }

    /// Waits until the first state has been loaded; returns at once for a store that loads none.
    ///
    /// - Throws: what the loading threw, ``StoreError/shutDown`` if the store was shut down before, or a
    ///   `CancellationError` if the calling task is cancelled while it waits; the loading goes on then.
    public func ready(isolation: isolated (any Actor)? = #isolation) async throws {
        try await root.loading?.wait()
    }

    /// How far the store has come in its life, at this moment.
    public nonisolated var phase: StorePhase {
        let root = root
        if case .view(let scopeNode) = backing, scopeNode.isRefusing {
            return scopeNode.hasLeft ? .ended : .shuttingDown
        }
        switch node.phaseInTree {
        case .ready: return .ready
        case .loading: return .loading
        case .failed: return .failed(root.loading?.error ?? StoreError.notReady)
        case .shuttingDown: return .shuttingDown
        case .ended: return .ended
        }
    }
}
