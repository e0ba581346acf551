import ActorStore
import Synchronization

/// A store for each key: for each session, room or tenant. Stores are created on demand, and evicted when idle if the
/// group has such a ``StoreGroupEviction``.
///
/// ```swift
/// let rooms = StoreGroup(reducer: Room(), eviction: .afterIdle(.seconds(300))) { id in Room.State(name: id) }
/// try await rooms.dispatch(.joined(user), to: "lobby")
/// rooms.send(.said("hello", by: user), to: "lobby")
/// let lobby = rooms["lobby"]                                     // Store<Room.State, Room.Action>
/// for await sizes in rooms.values(of: \.members.count) { … }      // TreeDictionary<String, Int>, of all rooms
/// ```
///
/// Each store is a root of its own, so actions of different keys are reduced concurrently, on all cores. The actions of
/// different keys have no order. Looking a store up costs about as much as an action.
///
/// A store is not evicted while other code holds or observes it, or while it has effects or children. A scope, a view
/// or a binding does not retain its store, and is refused after the eviction, so hold the store itself. See
/// <doc:ManyStores> for when to use a group.
///
/// All stores have the dependencies that were in force where the group was created, regardless of the code that
/// requests them first, unless the closure that creates a store overrides them.
///
/// The stores end with the group, unless other code holds them, or with ``shutdown(drain:within:reserving:clock:)``.
public final class StoreGroup<ID: Hashable & Sendable, State: Sendable, Action: Sendable>: @unchecked Sendable {
    // Sound: `tables` is constant; the memory it points to is accessed only under `access`, and freed in `deinit`.
    // Variables marked so are accessed under `access` or `lock`. Everything else is constant or atomic.

    @usableFromInline typealias Table = StoreGroupTable<ID, State, Action>

    @usableFromInline let access = ReadMostlyLock()
    @usableFromInline let tables: UnsafeMutablePointer<Table>
    /// Whether the group no longer creates stores. Under `access`.
    @exclusivity(unchecked) var isClosed = false
    /// The number of hand-overs to `onEvict` in progress. Under `access`.
    @exclusivity(unchecked) var handOvers = 0
    /// Continuations that wait for the end of a hand-over. Under `access`.
    @exclusivity(unchecked) var handOverWaiters: [UnsafeContinuation<Void, Never>] = []
    /// The callers that shut the group down.
    let ending = GroupShutdown()
    /// Creates a store, which must be a root.
    let make: @Sendable (ID) -> Store<State, Action>
    /// The dependencies in force where the group was created. They are in force where stores are created, because it is
    /// not determined which code requests a store first. If the group was created in a reducer, stores are not created
    /// as part of that reducer.
    let dependencies = DependencyOverrides.current.outsideReducers
    let eviction: StoreGroupEviction<ID, State>
    /// The configuration of the group's own tasks.
    let configuration: StoreConfiguration
    let lock = Lock()
    /// The observers of all stores. Under `lock`.
    @exclusivity(unchecked) var followers: [UInt64: any StoreGroupFollower<ID, State, Action>] = [:]
    /// Whether a shutdown has finished the followers, and finishes those that are added later. Under `lock`.
    @exclusivity(unchecked) var isFollowingOver = false
    /// The number of the most recent follower. Under `lock`.
    @exclusivity(unchecked) var lastFollower: UInt64 = 0
    /// Whether there ever were any followers.
    ///
    /// Pairs: `follow(with:)` stores it and then enumerates the tables; the other side adds a store to a table and then
    /// loads it. The lock of the tables orders both accesses, so that at least one side sees the other.
    let isFollowed = AtomicValue<Bool>(false)
    private var evictor: Task<Void, Never>?

    /// The number of tables, a power of two.
    @inlinable static var tableCount: Int { 64 }

    /// Creates a group whose stores are created by a closure.
    ///
    /// ```swift
    /// let tenants = StoreGroup { (id: TenantID) in Store(initialState: Tenant.State(), reducer: Tenant(id: id)) }
    /// ```
    ///
    /// - Parameters:
    ///   - configuration: The executor and priority of the group's own tasks, which evict stores.
    ///   - eviction: The eviction policy.
    ///   - make: Creates the store of a key, a new one each time. It must be a root; otherwise this traps. If a store
    ///     is requested concurrently, it can be called several times, also concurrently, and one of the stores is used.
    ///     It runs on the requesting thread, with the dependencies that were in force where the group was created.
    public init(
        configuration: StoreConfiguration = StoreConfiguration(),
        eviction: StoreGroupEviction<ID, State> = .never,
        store make: @escaping @Sendable (_ id: ID) -> Store<State, Action>
    ) {
        tables = .allocate(capacity: Self.tableCount)
        for index in 0..<Self.tableCount { (tables + index).initialize(to: Table()) }
        self.make = make
        self.eviction = eviction
        self.configuration = configuration
        evictor = makeEvictor()
    }

    /// Creates a group of stores that differ in their initial state.
    ///
    /// - Parameters:
    ///   - reducer: The reducer, which changes the states and returns effects.
    ///   - interceptors: The interceptors of each store.
    ///   - configuration: The configuration of each store, and of the group's own tasks, which evict stores.
    ///   - eviction: The eviction policy.
    ///   - initialState: Returns the initial state of a key, or the state that the key had when its store was evicted.
    ///     If a store is requested concurrently, it can be called several times, also concurrently. It runs on the
    ///     requesting thread, and must not block.
    @inlinable
    public convenience init(
        reducer: some Reducer<State, Action>,
        interceptors: [Interceptor<State, Action>] = [],
        configuration: StoreConfiguration = StoreConfiguration(),
        eviction: StoreGroupEviction<ID, State> = .never,
        initialState: @escaping @Sendable (_ id: ID) -> State
    ) {
        self.init(configuration: configuration, eviction: eviction) { id in
            Store(
                initialState: initialState(id),
                reducer: reducer,
                interceptors: interceptors,
                configuration: configuration
            )
        }
    }

    /// Creates a group of stores whose reducer is a closure without effects.
    ///
    /// ```swift
    /// let counters = StoreGroup(initialState: { (_: String) in 0 }) { (count: inout Int, step: Int) in count += step }
    /// ```
    ///
    /// - Parameters:
    ///   - configuration: The configuration of each store, and of the group's own tasks, which evict stores.
    ///   - eviction: The eviction policy.
    ///   - initialState: Returns the initial state of a key. It can be called several times, also concurrently.
    ///   - reduce: Changes the states.
    @inlinable
    public convenience init(
        configuration: StoreConfiguration = StoreConfiguration(),
        eviction: StoreGroupEviction<ID, State> = .never,
        initialState: @escaping @Sendable (_ id: ID) -> State,
        reduce: @escaping @Sendable (_ state: inout State, _ action: Action) -> Void
    ) {
        self.init(configuration: configuration, eviction: eviction) { id in
            Store(initialState: initialState(id), configuration: configuration, reduce: reduce)
        }
    }

    deinit {
        evictor?.cancelInBackground(on: configuration.executor)
        // They end when the last store has ended, which first reduces what it had accepted.
        for follower in followers.inOrder { follower.finishWithStores() }
        if !followers.isEmpty { leaveHeldStores() }
        tables.deinitialize(count: Self.tableCount)
        tables.deallocate()
    }

    /// Returns the table of a hash value. It is selected by other bits than the position of an entry in it.
    @inlinable
    func table(of hash: UInt) -> UnsafeMutablePointer<Table> {
        tables + Int(truncatingIfNeeded: hash &>> (UInt.bitWidth - Self.tableCount.trailingZeroBitCount))
    }

    func stopEvicting() { evictor?.cancelInBackground(on: configuration.executor) }

    /// Ends the followers' observations of stores that other code holds, and that outlive the group.
    private func leaveHeldStores() {
        for index in 0..<Self.tableCount {
            let entries = tables[index].stores.entries
            tables[index].stores.forEachIndex { place in
                guard !isKnownUniquelyReferenced(&entries[place].store) else { return }
                for member in entries[place].members.inOrder { member.cancelAtEnd() }
            }
        }
    }
}
