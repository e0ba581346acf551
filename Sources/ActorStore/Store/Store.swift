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
/// value. To await the end of effects, call ``shutdown(drain:isolation:)`` before.
public actor Store<State: Sendable, Action: Sendable> {
    @usableFromInline let backing: StoreBacking<State, Action>
    /// The core in `backing`, if the store is a root. To take a reference out of an enumeration is to count it, which
    /// makes a `send` twice as slow. (`backing` keeps it alive as long as the store lives.)
    @usableFromInline let core: Unmanaged<StoreCore<State, Action>>?

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - initialState: The state before the first action.
    ///   - reducer: Changes the state, and asks for effects.
    ///   - interceptors: Stand between senders and the reducer, the first of them outermost.
    ///   - configuration: Name, mailbox capacity, priority and executor.
    @inlinable
    public init(
        initialState: State,
        reducer: some Reducer<State, Action>,
        interceptors: [Interceptor<State, Action>] = [],
        configuration: StoreConfiguration = StoreConfiguration()
    ) {
        let dependencies = DependencyContainer.here()
        let core = StoreCore(
            state: initialState,
            reducer: reducer.prepared().run(in: dependencies),
            interceptors: interceptors,
            configuration: configuration,
            dependencies: dependencies
        )
        backing = .root(core)
        self.core = .passUnretained(core)
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

    /// Who observes what, since when, how far behind, and how often told; for diagnostics. The coming and going of an
    /// ``OptionalScope`` is not listed.
    ///
    /// - Complexity: O(*n*) with *n* observers, in the store's turn.
    public nonisolated var observers: [ObserverInformation] {
        get async {
            let root = root
            return await root.perform { root.observerInformation() }
        }
    }
}
