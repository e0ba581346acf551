import Synchronization

/// A container for state that only actions can change. It can be dispatched to, read and observed from any thread.
///
/// ```swift
/// let store = Store(initialState: Counter.State(), reducer: Counter())
/// try await store.dispatch(.increment)
/// print(store.snapshot.count)
/// ```
///
/// ## Guarantees
///
/// 1. One total order: actions are reduced one at a time, and ``revision`` grows by one for each.
/// 2. Order per sender: actions that one task or thread sends or dispatches one after another are reduced in that
///    order.
/// 3. Read your writes: after ``dispatch(_:)-(Action)`` returns, every read and every new observation reflects the
///    action.
/// 4. Observers receive the current value first, which is that of ``snapshot``, then changes in order. They never
///    receive two equal values in a row, and they always receive the newest value in the end. An observer with its own
///    definition of equality, by a ``Deduplication`` or by ``scope(_:removeDuplicates:)``, also receives the current
///    value first; it does not receive values that its definition counts as unchanged.
///
/// ## Which thread reduces
///
/// A store has no thread and no queue of its own. A caller that finds it idle reduces its action on the spot. A caller
/// that finds it busy leaves a message, which the caller at work reduces, up to a bound, or a background task. So an
/// uncontended ``dispatch(_:)-(Action)`` never suspends, ``send(_:)-(Action)`` never waits, and reducers, interceptors
/// and closure observers can run on the thread of any sender: they must not block, and must not take a lock that a
/// thread holds while it sends or dispatches. <doc:Concurrency> has the rules and the reasons.
///
/// The store is an actor whose executor is the turn: code isolated to the store runs between actions. The state does
/// not change while such code runs, and what it sends is queued behind actions that were sent earlier. Isolated code
/// costs two executor switches, about 30 times a ``dispatch(_:)-(Action)``. None of the store's own methods needs it.
///
/// ## Lifetime
///
/// Observations and effects do not retain a store; a running ``dispatch(_:)-(Action)`` does. When the last reference is
/// released, accepted actions are reduced, effects are cancelled, and observers' sequences finish after the newest
/// value. To wait until the effects have ended, call ``shutdown(drain:within:reserving:clock:isolation:)`` first.
public actor Store<State: Sendable, Action: Sendable> {
    @usableFromInline let backing: StoreBacking<State, Action>
    /// The core in `backing`, if the store is a root. Extracting a reference from the enum retains it, which would make
    /// `send` twice as slow. `backing` keeps the core alive as long as the store lives.
    @usableFromInline let core: Unmanaged<StoreCore<State, Action>>?

    /// Creates a store, and optionally loads its first state.
    ///
    /// ```swift
    /// let store = Store(initialState: .empty, loading: { try await database.load() }, reducer: Orders())
    /// store.send(.opened)          // Kept until then,
    /// try await store.ready()      // and reduced before what is sent after this.
    /// ```
    ///
    /// ## Loading
    ///
    /// The initializer returns immediately, and loading starts. Until loading ends, all operations on the store wait in
    /// order: actions, within the capacity of the mailbox; side effects; observations, whose first value is the loaded
    /// state; and reads by ``state`` and ``read(_:isolation:)``. Only ``snapshot`` does not wait; it returns the
    /// initial state.
    ///
    /// If loading fails, ``ready(isolation:)`` throws the error, and ``errors`` publishes it. Every `dispatch`, before
    /// or after the failure, throws ``StoreError/notReady``, and `send` is refused with the same error. Actions sent
    /// before the failure count in ``StoreStatistics/rejectedActions``. Every `condition` and `take`, before or after
    /// the failure, throws ``WaitError/notReady``. Other observations receive nothing, and end when the store shuts
    /// down or is released. Reads return the initial state: before you save the state after a shutdown, wait for
    /// ``ready(isolation:)``, which throws if it was not loaded.
    ///
    /// A shutdown or the release of the store cancels loading, unless actions are waiting: these are reduced when
    /// loading has ended. A shutdown cancels loading even then if its drain is ``ShutdownDrain/cancelEffects``, if its
    /// deadline cancels the effects, or if its task is cancelled. Waiting operations are then refused, unless loading
    /// succeeds nevertheless and before the deadline. After the deadline the store ends without its state and no longer
    /// waits for loading: all waiting operations are refused or end, and the loaded state is dropped.
    ///
    /// - Parameters:
    ///   - initialState: The state before the first action. ``snapshot`` returns it until the state has been loaded.
    ///   - load: Loads the state, in its own task, with the task-locals of the calling task. Pass nil to start with
    ///     `initialState`. The closure must not wait for the store, which waits for it.
    ///   - reducer: The reducer that changes the state and returns effects.
    ///   - interceptors: The interceptors between senders and the reducer, the outermost first. They are set up when
    ///     the state has been loaded.
    ///   - configuration: The name, mailbox capacity, priority and executor.
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
    ///   - interceptors: The interceptors between senders and the reducer, the outermost first.
    ///   - configuration: The name, mailbox capacity, priority and executor.
    ///   - reduce: A closure that changes the state.
    @inlinable
    public init(
        initialState: State,
        interceptors: [Interceptor<State, Action>] = [],
        configuration: StoreConfiguration = StoreConfiguration(),
        reduce: @escaping @Sendable (_ state: inout State, _ action: Action) -> Void
    ) {
        // Does not delegate to the other initializer: the compiler could not see the closure through it, and would call
        // the closure for each action instead of inlining it into the turn.
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

    /// Creates a scope or a child.
    @usableFromInline
    init(scopeNode: ScopeNode<State, Action>) {
        backing = .view(scopeNode)
        core = nil
    }

    deinit {
        if case .root(let core) = backing { core.close() }
    }

    /// The executor of the store's turns, which runs code isolated to the store.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { root.serialExecutor }

    /// The name of the store, from its configuration.
    public nonisolated var name: String {
        switch backing {
        case .root(let core): core.configuration.name
        case .view(let scopeNode): scopeNode.name
        }
    }

    /// A snapshot of the counters of the tree to which the store belongs, for diagnostics and metrics.
    public nonisolated var statistics: StoreStatistics { root.statistics }

    /// Diagnostic information about every observer of the tree, for `ActorStoreInstruments`.
    package nonisolated var observerRecords: [ObserverRecord] {
        get async {
            let root = root
            return await root.perform { root.observerRecords() }
        }
    }
}

extension Store {
    /// The current state, read between two actions. It is never torn, and never older than a ``dispatch(_:)-(Action)``
    /// that has returned.
    ///
    /// If an action or a batch is being reduced, reading waits until that is done. While you keep a snapshot, later
    /// actions copy the collections that they change and that the snapshot shares.
    ///
    /// Traps if a reducer calls it, of this store or another one, because reducers could wait for each other.
    ///
    /// - Complexity: The cost of copying a `State`.
    @inlinable public nonisolated var snapshot: State {
        if let core { return core._withUnsafeGuaranteedRef { $0.snapshot() } }
        switch backing {
        case .root(let core): return core.snapshot()
        case .view(let scopeNode): return scopeNode.snapshot()
        }
    }

    /// The state after all actions that were sent before this read.
    ///
    /// The read cannot be cancelled. It waits at most for what the store had accepted when it was called, and for as
    /// long as an observer suspends the store; see ``BufferingPolicy/Overflow/suspendStore``.
    ///
    /// - Complexity: The cost of copying a `State`.
    @inlinable @inline(__always) public nonisolated(nonsending) var state: State {
        get async { await backing.settledState() }
    }

    /// Returns a part of the state after all actions that were sent before this call. Unlike ``state``, a root copies
    /// only that part.
    ///
    /// The read cannot be cancelled. It waits at most for what the store had accepted when it was called, and for as
    /// long as an observer suspends the store; see ``BufferingPolicy/Overflow/suspendStore``.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the part.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Returns: A copy of the part.
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

    /// Waits until everything that was accepted before has been reduced. Copies nothing.
    package func settle(isolation: isolated (any Actor)? = #isolation) async { await root.perform {} }

    /// The number of actions that have been reduced in the tree of this store.
    @inlinable public nonisolated var revision: UInt64 { root.revision.loadAcquiring() }
}

/// The storage of a store: a root, or a view of another store.
@usableFromInline
enum StoreBacking<State: Sendable, Action: Sendable>: Sendable {
    /// The root of a tree. A case of its own, because it has to be the fastest.
    case root(StoreCore<State, Action>)
    /// A child, or a scope of another store.
    case view(ScopeNode<State, Action>)
}

extension StoreBacking {
    /// Returns a copy of the state between two turns.
    @inlinable
    func snapshot() -> State {
        switch self {
        case .root(let core): core.snapshot()
        case .view(let scopeNode): scopeNode.snapshot()
        }
    }

    /// Returns a copy of the state after everything that was accepted before.
    @inlinable
    @inline(__always)
    nonisolated(nonsending) func settledState() async -> State {
        switch self {
        case .root(let core): await core.settledState()
        case .view(let scopeNode): await scopeNode.settledState()
        }
    }

    /// Returns a copy of a part of the state between two turns. A stored part is copied without the state around it.
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

    /// The sink for actions to the store.
    @inlinable var actions: ActionSink<Action> {
        switch self {
        case .root(let core): ActionSink(core)
        case .view(let scopeNode): scopeNode.actions
        }
    }
}

extension StoreBacking {
    /// The root of the tree that the store is part of.
    @inlinable var root: TreeRoot {
        switch self {
        case .root(let core): core
        case .view(let scopeNode): scopeNode.root
        }
    }

    /// The node that owns the state and runs the effects: the store itself, or the store that this is a scope of.
    @inlinable var node: any StoreNode {
        switch self {
        case .root(let core): core
        case .view(let scopeNode): scopeNode.node
        }
    }

    /// Whether the part of the state that the store shows is gone.
    var hasLeft: Bool { if case .view(let scopeNode) = self { scopeNode.hasLeft } else { false } }

    /// The dependencies of the node.
    var dependencies: DependencyContainer? { node.dependencies }

    /// Reduces an action as part of the current turn, with interceptors, observers and effects. Call it within a turn.
    func reduceInTurn(_ action: Action) -> DispatchResult {
        switch self {
        case .root(let core): core.reduceUnlessEnded(action)
        case .view(let scopeNode): scopeNode.reduceInTurn(action)
        }
    }
}

/// A store with its types erased.
protocol StoreOfTree: AnyObject, Sendable {
    /// The root of the tree, which all its stores share.
    nonisolated var root: TreeRoot { get }
}

extension Store: StoreOfTree {}
