/// The stores that come and go with the entries of a table in another store's state; see
/// ``Store/children(forEach:initialState:reducer:name:fileID:line:action:)``
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
/// It holds the stores: when an entry goes, its store ends, and all of them end when this is released, also if others
/// hold them still. So keep it as long as the stores are used. If the other store is a child, this holds that, too.
///
/// It is filled in the store's turn. If the store is busy when this is made, or it is made in one of its turns, as by
/// an observer, it is empty until its turn has come; ``Store/state`` waits for that.
public final class StoreChildren<Key: Hashable & Sendable, State: Sendable, Action: Sendable>: Sendable {
    private let table: StoreTable<Key, State, Action>
    private let observation: StoreObservation

    @usableFromInline
    init(_ table: StoreTable<Key, State, Action>, _ observation: StoreObservation) {
        self.table = table
        self.observation = observation
    }

    deinit { table.release(observation) }

    /// The store of an entry, or nil if there is no such entry.
    ///
    /// - Complexity: O(1).
    public subscript(key: Key) -> Store<State, Action>? { table[key] }

    /// The keys of all entries that there are, in the order in which they came; those that an action adds together, in
    /// the order of the table.
    ///
    /// - Complexity: O(*n* log *n*).
    public var keys: [Key] { table.keys }

    /// How many entries there are.
    public var count: Int { table.count }
}

/// The stores of the entries of a table, by key.
@usableFromInline
final class StoreTable<Key: Hashable & Sendable, State: Sendable, Action: Sendable>: @unchecked Sendable {
    // Sound: `entries` and `isReleased` are touched only under `lock`, which is one to sleep on, because keys' hashes
    // are users' code; `number` only in the turn.
    private struct Entry {
        let store: Store<State, Action>
        /// The memory that its observers look at.
        let source: any AnyElementStorage
        /// The child, if it is one.
        let node: (any StoreNode)?
    }

    private let root: TreeRoot
    /// The store of the tree in whose state the table is.
    private let node: any StoreNode
    private let lock = BlockingLock()
    private var entries = ArrivalTable<Key, Entry>()
    private var isReleased = false
    /// Its number in the tree, while the tree looks at it. In the turn.
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

    /// Lets the store of an entry go, which ends although others may hold it still, when its observers have been told
    /// of the change with which the entry goes. In the turn, by the observer of the table.
    @usableFromInline
    func remove(_ key: Key) {
        // Carried out of the lock, so that nothing is released under it.
        guard let entry = lock.withLock({ entries.removeValue(forKey: key) }) else { return }
        // What an observer sends to it now would not be reduced.
        entry.source.beginEnding()
        if let node = entry.node {
            node.extras.insert(.departure)
            root.refuseFurtherActions(of: node)
        }
        root.endWhenAllAreTold(entry.source) { [self] in end(entry) }
    }

    /// Has the tree look at the entries between the actions of a batch. In the turn.
    @usableFromInline
    func follow(_ look: @autoclosure () -> TableLook) {
        if number == nil, isInUse { number = root.addTable(look()) }
    }

    /// Whether stores are still made for entries that come.
    @usableFromInline var isInUse: Bool { !lock.withLock { isReleased } }

    /// Lets all of them go, because nobody can ask for them any more. They refuse actions at once, and end when what
    /// the tree had accepted before is reduced, up to which their entries are brought up to date. From anywhere.
    ///
    /// - Parameter observation: What brings them up to date.
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

    /// Ends all of them, because that has ended which the table is a part of. They stay if that is the store; otherwise
    /// they have gone with the table. In the turn.
    @usableFromInline
    func finish() { endAll(removing: !node.hasEnded) }

    private func endAll(removing removes: Bool) {
        if let number { root.removeTable(number) }
        number = nil
        // Carried out of the lock, so that nothing is released under it.
        let ended = lock.withLock {
            defer { if removes { entries = ArrivalTable() } }
            return entries
        }
        for entry in ended.inOrder { end(entry) }
    }

    private func end(_ entry: Entry) {
        // With the stores below it; first, so that what ends with the entry's memory knows that its store has ended.
        if let node = entry.node { root.end(node) }
        entry.source.finishObservations(in: root)
        root.retire(entry)
    }
}
