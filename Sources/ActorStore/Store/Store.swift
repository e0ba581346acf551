/// A state that only actions can change, and that can be dispatched to, read and observed from anywhere.
///
/// ```swift
/// let store = Store(initialState: Counter.State(), reducer: Counter())
/// try await store.dispatch(.increment)
/// print(store.snapshot.count)
/// ```
///
/// What a store promises:
/// 1. One total order: actions are reduced one at a time; ``revision`` grows by one for each.
/// 2. Order per sender: what one task or thread sends or dispatches, one after the other, is reduced in that order.
/// 3. Read your writes: when ``dispatch(_:)-(Action)`` returns, every read and every observation begun afterwards
///    reflects it.
/// 4. Observers get the current value first, which is that of ``snapshot``, then changes, in order, never two equal
///    values in a row, and always the newest one in the end. An observer with a notion of sameness of its own, a
///    ``Deduplication`` or that of ``scope(_:removeDuplicates:)``, gets the current value first, too; what counts as no
///    change is kept from it.
///
/// ## Which thread reduces
///
/// A store has no thread and no queue of its own. A caller that finds it idle reduces its action on the spot. A caller
/// that finds it busy leaves a message, which the caller at work reduces, up to a bound, or a background task. So an
/// uncontended ``dispatch(_:)-(Action)`` never suspends, ``send(_:)-(Action)`` never waits, and reducers, interceptors
/// and closure observers can run on the thread of any sender: they must not block, and must not take a lock that a
/// thread holds while it sends or dispatches. <doc:Concurrency> has the rules and the reasons.
///
/// The store is an actor, and its executor is the turn: code that is isolated to it runs between actions, so that the
/// state stands still while it runs, and what it sends is queued behind what others have sent. That costs two switches
/// of executors, about 30 times a ``dispatch(_:)-(Action)``; none of the store's own methods needs it.
///
/// ## Lifetime
///
/// Observations and effects do not keep a store alive; a running ``dispatch(_:)-(Action)`` does. When the last
/// reference goes, what was accepted is reduced, effects are cancelled, and observers' sequences end after the newest
/// value. To await the end of effects, call ``shutdown(drain:within:reserving:clock:isolation:)`` before.
public actor Store<State: Sendable, Action: Sendable> {
    @usableFromInline let backing: StoreBacking<State, Action>
    /// The core in `backing`, if the store is a root. To take a reference out of an enumeration is to count it, which
    /// makes a `send` twice as slow. (`backing` keeps it alive as long as the store lives.)
    @usableFromInline let core: Unmanaged<StoreCore<State, Action>>?

    /// Creates a store, whose first state can be loaded.
    ///
    /// ```swift
    /// let store = Store(initialState: .empty, loading: { try await database.load() }, reducer: Orders())
    /// store.send(.opened)          // Kept until then,
    /// try await store.ready()      // and reduced before what is sent after this.
    /// ```
    ///
    /// ## Loading
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
    ///   - initialState: The state before the first action; what ``snapshot`` shows until the state has been loaded.
    ///   - load: Loads the state, in a task of its own, with the task-locals of the calling task; nil for a store that
    ///     begins with `initialState`. It must not wait for the store, which waits for it.
    ///   - reducer: Changes the state, and asks for effects.
    ///   - interceptors: Stand between senders and the reducer, the first of them outermost. They are set up when the
    ///     state is there.
    ///   - configuration: Name, mailbox capacity, priority and executor.
    @inlinable
    public init(
        initialState: State,
        loading load: (@Sendable () async throws -> State)? = nil,
        reducer: some Reducer<State, Action>,
        interceptors: [Interceptor<State, Action>] = [],
        configuration: StoreConfiguration = StoreConfiguration()
    ) {
        let dependencies = DependencyContainer.here()
        let core = StoreCore(
            state: initialState,
            reducer: reducer.prepared().run(in: dependencies),
            interceptors: load == nil ? interceptors : [],
            configuration: configuration,
            dependencies: dependencies
        )
        backing = .root(core)
        self.core = .passUnretained(core)
        if let load { core.beginLoading(interceptors, preparing: {}, load) }
    }

    /// Creates a store whose reducer is a closure without effects.
    ///
    /// ```swift
    /// let store = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
    /// ```
    ///
    /// - Parameters:
    ///   - initialState: The state before the first action.
    ///   - interceptors: Stand between senders and the reducer, the first of them outermost.
    ///   - configuration: Name, mailbox capacity, priority and executor.
    ///   - reduce: Changes the state.
    @inlinable
    public init(
        initialState: State,
        interceptors: [Interceptor<State, Action>] = [],
        configuration: StoreConfiguration = StoreConfiguration(),
        reduce: @escaping @Sendable (_ state: inout State, _ action: Action) -> Void
    ) {
        let dependencies = DependencyContainer.here()
        let reducer = PreparedReducer<State, Action> { state, action in
            reduce(&state, action)
            return .none
        }
        let core = StoreCore(
            state: initialState,
            reducer: reducer.run(in: dependencies),
            interceptors: interceptors,
            configuration: configuration,
            dependencies: dependencies
        )
        backing = .root(core)
        self.core = .passUnretained(core)
    }

    /// A scope or a child.
    @usableFromInline
    init(scopeNode: ScopeNode<State, Action>) {
        backing = .view(scopeNode)
        core = nil
    }

    deinit {
        if case .root(let core) = backing { core.close() }
    }

    /// Runs what is isolated to the store in its turns.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { root.serialExecutor }

    /// The name given in the configuration.
    public nonisolated var name: String {
        switch backing {
        case .root(let core): core.configuration.name
        case .view(let scopeNode): scopeNode.name
        }
    }

    /// Figures for diagnostics and metrics, as they are at this moment.
    public nonisolated var statistics: StoreStatistics { root.statistics }

    /// Who observes, for `ActorStoreInstruments`.
    package nonisolated var observerRecords: [ObserverRecord] {
        get async {
            let root = root
            return await root.perform { root.observerRecords() }
        }
    }
}
