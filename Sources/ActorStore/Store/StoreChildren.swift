/// The stores of the entries of a table; see ``Store/children(forEach:initialState:reducer:name:fileID:line:action:)``
/// and ``Store/scopes(forEach:fileID:line:action:extract:)``.
///
/// ```swift
/// let rooms = store.children(forEach: \.rooms, initialState: { id, room in Session.State() }, reducer: Session()) {
///     AppAction.room(id: $0, action: $1)
/// }
/// try await store.dispatch(.open("lobby"))
/// try await rooms["lobby"]?.dispatch(.greet)
/// ```
///
/// This object retains the stores. When an entry is removed, its store ends, and when this object is released, all of
/// them end, even if they are still retained elsewhere. So retain this object as long as you use the stores. If the
/// table belongs to a child, this object retains the child, too.
///
/// The stores are created within the turn of the store that owns the table. If that store is busy when this object is
/// created, or if it is created within one of its turns, such as by an observer, this object is empty until its turn
/// has come; ``Store/state`` waits for it.
public final class StoreChildren<Key: Hashable & Sendable, State: Sendable, Action: Sendable>: Sendable {
    private let table: StoreTable<Key, State, Action>
    private let observation: StoreObservation

    @usableFromInline
    init(_ table: StoreTable<Key, State, Action>, _ observation: StoreObservation) {
        self.table = table
        self.observation = observation
    }

    deinit { table.release(observation) }

    /// Returns the store of an entry, or nil if there is no such entry.
    ///
    /// - Complexity: O(1).
    public subscript(key: Key) -> Store<State, Action>? { table[key] }

    /// The keys of all entries, in the order in which the entries were added; entries that one action adds are in the
    /// order of the table.
    ///
    /// - Complexity: O(*n* log *n*).
    public var keys: [Key] { table.keys }

    /// The number of entries.
    public var count: Int { table.count }
}

/// The stores of the entries of a table, by key.
@usableFromInline
final class StoreTable<Key: Hashable & Sendable, State: Sendable, Action: Sendable>: @unchecked Sendable {
    // Sound: `entries` and `isReleased` are accessed only under `lock`, which blocks instead of spinning because
    // hashing keys runs user code; `number` is accessed only within a turn.
    private struct Entry {
        let store: Store<State, Action>
        /// The memory that observers of the store read.
        let source: any AnyElementStorage
        /// The child, unless the store is a scope.
        let node: (any StoreNode)?
    }

    private let root: TreeRoot
    /// The node whose state contains the table.
    private let node: any StoreNode
    private let lock = BlockingLock()
    private var entries = ArrivalTable<Key, Entry>()
    private var isReleased = false
    /// The number under which the tree checks the table. Accessed only within a turn.
    private var number: UInt64?

    @usableFromInline
    init(root: TreeRoot, node: any StoreNode) {
        self.root = root
        self.node = node
    }

    @usableFromInline subscript(key: Key) -> Store<State, Action>? { lock.withLock { entries[key]?.store } }

    @usableFromInline
    func source(of key: Key) -> (any AnyElementStorage)? { lock.withLock { entries[key]?.source } }

    var keys: [Key] { lock.withLock { entries.keys } }

    var count: Int { lock.withLock { entries.count } }

    @usableFromInline
    func insert(
        _ store: Store<State, Action>,
        _ source: any AnyElementStorage,
        _ node: (any StoreNode)?,
        for key: Key
    ) {
        let entry = Entry(store: store, source: source, node: node)
        lock.withLock { entries[key] = entry }
    }

    /// Removes the store of an entry. The store ends, even if it is still retained, after its observers have been
    /// notified of the change that removes the entry. Called within a turn, by the observer of the table.
    @usableFromInline
    func remove(_ key: Key) {
        // Moved out of the lock, so that nothing is released under it.
        guard let entry = lock.withLock({ entries.removeValue(forKey: key) }) else { return }
        // Actions that an observer sends to the store from now on would not be reduced.
        entry.source.beginEnding()
        if let node = entry.node {
            node.extras.insert(.departure)
            root.refuseFurtherActions(of: node)
        }
        root.endWhenAllAreTold(entry.source) { [self] in end(entry) }
    }

    /// Makes the tree check the entries between the actions of a batch. Call it within a turn.
    @usableFromInline
    func follow(_ check: @autoclosure () -> TableCheck) {
        if number == nil, isInUse { number = root.addTable(check()) }
    }

    /// Whether stores are still created for new entries.
    @usableFromInline var isInUse: Bool { !lock.withLock { isReleased } }

    /// Releases all stores, because they have no more users. They refuse actions immediately, and end when everything
    /// that the tree had accepted before is reduced; until then their entries are kept up to date. Can be called from
    /// any thread.
    ///
    /// - Parameter observation: The observation that keeps the entries up to date.
    func release(_ observation: StoreObservation) {
        let released = lock.withLock {
            isReleased = true
            return entries.inOrder
        }
        for entry in released {
            entry.source.refuseFurtherActions()
            if let node = entry.node { root.refuseFurtherActions(of: node) }
        }
        root.inTurn { [self] in
            observation.cancel()
            endAll(removing: true)
        }
    }

    /// Ends all stores, because the owner of the table has ended. They stay accessible if the whole store has ended;
    /// otherwise they are removed with the table. Call it within a turn.
    @usableFromInline
    func finish() { endAll(removing: !node.hasEnded) }

    private func endAll(removing removes: Bool) {
        if let number { root.removeTable(number) }
        number = nil
        // Moved out of the lock, so that nothing is released under it.
        let ended = lock.withLock {
            defer { if removes { entries = ArrivalTable() } }
            return entries
        }
        for entry in ended.inOrder { end(entry) }
    }

    private func end(_ entry: Entry) {
        // Ends the stores below it, too. This comes first, so that whatever ends with the entry's memory can see that
        // its store has ended.
        if let node = entry.node { root.end(node) }
        entry.source.finishObservations(in: root)
        root.retire(entry)
    }
}
