import Synchronization

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
        // Not by way of the other initializer, through which the compiler does not see the closure: it calls it then
        // for each action instead of making it part of the turn.
        let reducer = PreparedReducer<State, Action> { state, action in
            reduce(&state, action)
            return .none
        }
        let dependencies = DependencyContainer.here()
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

extension Store {
    /// The state at this moment, between two actions. Never torn, and never older than a ``dispatch(_:)-(Action)`` that
    /// has returned.
    ///
    /// If an action or a batch is being reduced at this moment it waits for the end of that. Keeping a snapshot
    /// makes later actions copy the collections that they change and that it shares.
    ///
    /// Traps when called by a reducer of this store, which would wait for itself.
    ///
    /// - Complexity: that of copying a `State`.
    @inlinable public nonisolated var snapshot: State {
        if let core { return core._withUnsafeGuaranteedRef { $0.snapshot() } }
        switch backing {
        case .root(let core): return core.snapshot()
        case .view(let scopeNode): return scopeNode.snapshot()
        }
    }

    /// The state after everything that was sent before.
    ///
    /// Cannot be cancelled; it waits at most for what the store had accepted when it was called, and as long as an
    /// observer suspends the store, see ``BufferingPolicy/Overflow/suspendStore``.
    ///
    /// - Complexity: that of copying a `State`.
    @inlinable @inline(__always) public nonisolated(nonsending) var state: State {
        get async { await backing.settledState() }
    }

    /// A part of the state after everything that was sent before; unlike ``state`` it copies no more than that part.
    ///
    /// Cannot be cancelled; it waits at most for what the store had accepted when it was called, and as long as an
    /// observer suspends the store, see ``BufferingPolicy/Overflow/suspendStore``.
    @inlinable
    public func read<Value: Sendable>(
        _ keyPath: KeyPath<State, Value> & Sendable,
        isolation: isolated (any Actor)? = #isolation
    ) async -> Value {
        switch backing {
        case .root(let core): await core.settledValue(of: keyPath)
        case .view(let scopeNode): await scopeNode.settledValue(of: keyPath)
        }
    }

    /// Waits for everything that was accepted before, and copies nothing.
    package func settle(isolation: isolated (any Actor)? = #isolation) async { await root.perform {} }

    /// How many actions have been reduced in the tree that the store is part of.
    @inlinable public nonisolated var revision: UInt64 { root.revision.loadAcquiring() }
}

/// What is behind a store.
@usableFromInline
enum StoreBacking<State: Sendable, Action: Sendable>: Sendable {
    /// The root of a tree. A case of its own, because it is the one that must be fast.
    case root(StoreCore<State, Action>)
    /// A child, or a scope of another store.
    case view(ScopeNode<State, Action>)
}

extension StoreBacking {
    /// A copy of the state between two turns.
    @inlinable
    func snapshot() -> State {
        switch self {
        case .root(let core): core.snapshot()
        case .view(let scopeNode): scopeNode.snapshot()
        }
    }

    /// A copy of the state after everything that was accepted before.
    @inlinable
    @inline(__always)
    nonisolated(nonsending) func settledState() async -> State {
        switch self {
        case .root(let core): await core.settledState()
        case .view(let scopeNode): await scopeNode.settledState()
        }
    }

    /// A copy of a part of the state between two turns. A stored part is copied alone, whatever lies around it.
    @inlinable
    func value<Value>(at keyPath: KeyPath<State, Value>) -> Value {
        switch self {
        case .root(let core):
            guard let part = StoredPart(keyPath) else { return core.snapshot()[keyPath: keyPath] }
            return core.snapshot(of: part)
        case .view(let scopeNode):
            guard let source = scopeNode.source, let part = StoredPart(keyPath) else {
                return scopeNode.snapshot()[keyPath: keyPath]
            }
            return scopeNode.snapshot(of: part, in: source)
        }
    }

    /// The way of actions to the store.
    @inlinable var actions: ActionSink<Action> {
        switch self {
        case .root(let core): ActionSink(core)
        case .view(let scopeNode): scopeNode.actions
        }
    }
}

extension StoreBacking {
    /// The tree that the store is part of.
    @inlinable var root: TreeRoot {
        switch self {
        case .root(let core): core
        case .view(let scopeNode): scopeNode.root
        }
    }

    /// The store with a state of its own that it is, or is a scope of, and that runs its effects.
    @inlinable var node: any StoreNode {
        switch self {
        case .root(let core): core
        case .view(let scopeNode): scopeNode.node
        }
    }

    /// Whether that has gone of which it shows a part.
    var hasLeft: Bool { if case .view(let scopeNode) = self { scopeNode.hasLeft } else { false } }

    /// The dependencies of what belongs to it.
    var dependencies: DependencyContainer? { node.dependencies }

    /// Reduces an action with all that belongs to a turn. In the turn.
    func reduceInTurn(_ action: Action) -> DispatchResult {
        switch self {
        case .root(let core): core.reduceUnlessEnded(action)
        case .view(let scopeNode): scopeNode.reduceInTurn(action)
        }
    }
}

/// A store whose types are not known.
protocol StoreOfTree: AnyObject, Sendable {
    /// What it shares with the other stores of its tree.
    nonisolated var root: TreeRoot { get }
}

extension Store: StoreOfTree {}
