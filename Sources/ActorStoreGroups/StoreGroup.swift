import ActorStore
import Synchronization

/// A store for each key: for each session, room or tenant. It is made when somebody asks for it, and let go when nobody
/// has used it for a time, if the group is given a ``StoreGroupEviction`` that says so.
///
/// ```swift
/// let rooms = StoreGroup(reducer: Room(), eviction: .afterIdle(.seconds(300))) { id in Room.State(name: id) }
/// try await rooms.dispatch(.joined(user), to: "lobby")
/// rooms.send(.said("hello", by: user), to: "lobby")
/// let lobby = rooms["lobby"]                                     // Store<Room.State, Room.Action>
/// for await sizes in rooms.values(of: \.members.count) { … }      // TreeDictionary<String, Int>, of all rooms
/// ```
///
/// Each store is a root of its own, so that actions of different keys are reduced at the same time, on as many cores as
/// there are. There is no order among the actions of different keys. Looking a store up costs about what an action
/// costs.
///
/// A store that somebody holds, or observes, or that has effects or children is not let go. A scope, a view or a
/// binding does not keep it, and is refused when it has gone, so hold the store itself. <doc:ManyStores> says when to
/// use a group.
///
/// All stores have the dependencies that were in force where the group was created, whoever asks for them first, unless
/// the closure that makes a store overrides them.
///
/// The stores end with the group, unless somebody else holds them, or with ``shutdown(drain:within:reserving:clock:)``.
public final class StoreGroup<ID: Hashable & Sendable, State: Sendable, Action: Sendable>: @unchecked Sendable {
    // Sound: `tables` is constant; what it points to is touched only under `access`, and freed in `deinit`. What says
    // so is touched under `access` or `lock`. Everything else is constant or atomic.

    @usableFromInline typealias Table = StoreGroupTable<ID, State, Action>

    @usableFromInline let access = ReadMostlyLock()
    @usableFromInline let tables: UnsafeMutablePointer<Table>
    /// Whether no store is made any more. Under `access`.
    @exclusivity(unchecked) var isClosed = false
    /// How many states are being handed over to `onEvict`. Under `access`.
    @exclusivity(unchecked) var handOvers = 0
    /// Those who wait until one of them has been. Under `access`.
    @exclusivity(unchecked) var handOverWaiters: [UnsafeContinuation<Void, Never>] = []
    /// Who shuts the group down.
    let ending = GroupShutdown()
    /// Makes a store, which must be a root.
    let make: @Sendable (ID) -> Store<State, Action>
    /// What was in force where the group was created, which is in force where its stores are made: who asks for a store
    /// first is a matter of chance. If that was in a reducer, they are not made inside of it.
    let dependencies = DependencyOverrides.current.outsideReducers
    let eviction: StoreGroupEviction<ID, State>
    /// Of the group's own tasks.
    let configuration: StoreConfiguration
    let lock = Lock()
    /// Those who observe all stores. Under `lock`.
    @exclusivity(unchecked) var followers: [UInt64: any StoreGroupFollower<ID, State, Action>] = [:]
    /// Whether a shutdown has finished them, and those that come later with it. Under `lock`.
    @exclusivity(unchecked) var isFollowingOver = false
    /// The number of the follower that came last. Under `lock`.
    @exclusivity(unchecked) var lastFollower: UInt64 = 0
    /// Whether there ever were any followers.
    ///
    /// Pairs: `follow(with:)` stores it and then looks through the tables; the other side adds a store to a table and
    /// then loads it. The lock of the tables orders the two looks, so that one of both sees the other.
    let isFollowed = AtomicValue<Bool>(false)
    private var evictor: Task<Void, Never>?

    /// A power of two.
    @inlinable static var tableCount: Int { 64 }

    /// Creates a group whose stores are made by a closure.
    ///
    /// ```swift
    /// let tenants = StoreGroup { (id: TenantID) in Store(initialState: Tenant.State(), reducer: Tenant(id: id)) }
    /// ```
    ///
    /// - Parameters:
    ///   - configuration: Of the group's own tasks, that evict: their executor and priority.
    ///   - eviction: When stores are let go.
    ///   - make: Makes the store of a key, each time a new one, which must be a root, or this traps. It can be called
    ///     more than once, also at the same time, for a store of which one is used: when several ask for it at the same
    ///     time. It runs on the thread of the one who asks, with the dependencies that are in force where the group is
    ///     created.
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
    ///   - reducer: Changes the states, and asks for effects.
    ///   - interceptors: Of each store.
    ///   - configuration: Of each store, and of the group's own tasks, that evict.
    ///   - eviction: When stores are let go.
    ///   - initialState: Makes the state of a key before its first action, or the one that the key had when its store
    ///     was evicted. It can be called more than once, also at the same time, for a store that several ask for. It
    ///     runs on the thread of the one who asks, so it must not block.
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
    ///   - configuration: Of each store, and of the group's own tasks, that evict.
    ///   - eviction: When stores are let go.
    ///   - initialState: Makes the state of a key before its first action.
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
        // They end when the last store has ended, which reduces before what it had accepted.
        for follower in followers.inOrder { follower.finishWithStores() }
        if !followers.isEmpty { leaveHeldStores() }
        tables.deinitialize(count: Self.tableCount)
        tables.deallocate()
    }

    /// The table of a hash value, by bits that are not those by which an entry is found in it.
    @inlinable
    func table(of hash: UInt) -> UnsafeMutablePointer<Table> {
        tables + Int(truncatingIfNeeded: hash &>> (UInt.bitWidth - Self.tableCount.trailingZeroBitCount))
    }

    func stopEvicting() { evictor?.cancelInBackground(on: configuration.executor) }

    /// Ends what the followers observe in stores that others hold, and that go on without the group.
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
