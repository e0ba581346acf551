import ActorStore
import Observation

/// A mirror of a store on the main actor, for code that observes with the `Observation` module:
/// `withObservationTracking`, SwiftUI, and whatever else is built on that.
///
/// ```swift
/// let mirror = ObservableStore(store)
/// withObservationTracking {
///     label.text = mirror.user.name        // depends on `user`
///     count.text = mirror[\.basket.count]  // depends on the count alone
/// } onChange: {
///     …
/// }
/// mirror.send(.signedOut)
/// ```
///
/// It follows the store in visits to the main actor: one for all that has changed meanwhile, and for all mirrors of one
/// store, so that it can skip states, but ends with the newest one. Whoever reads a member depends on that part of the
/// state, and is told when a newer state has another value there. What comes after the first name reads from the value:
/// `mirror.user.name` depends on the user, `mirror[\.user.name]` on the name.
///
/// It does not keep the store alive. When the store has ended it stays as it is, and what is sent is refused.
@MainActor
@dynamicMemberLookup
public final class ObservableStore<State: Sendable, Action: Sendable>: Observable {
    private let registrar = ObservationRegistrar()
    private let store: StoreReference<State, Action>
    /// Whether nobody need be told that the state has changed from one to the other.
    private let areSame: @Sendable (State, State) -> Bool
    private var current: State
    /// The parts that have been read since they changed last, as far as that is not too long ago.
    private var parts: [PartialKeyPath<State>: MirroredPart] = [:]
    /// How many newer states there have been.
    private var updates: UInt64 = 0
    private var observation: StoreObservation?

    /// Begins to mirror a store.
    ///
    /// Nobody is told of states that are equal.
    public convenience init(_ store: Store<State, Action>, fileID: String = #fileID, line: UInt = #line)
    where State: Equatable {
        self.init(store, .part(\.self), areSame: ==, CodeLocation(fileID: fileID, line: line))
    }

    /// Begins to mirror a store whose state cannot be compared. Observers of the whole state are notified after each
    /// action; observers of a part that can be compared, when that part has changed. If the store is busy when the
    /// mirror is created, observers may be notified once before any action.
    public convenience init(_ store: Store<State, Action>, fileID: String = #fileID, line: UInt = #line) {
        let source = CodeLocation(fileID: fileID, line: line)
        self.init(store, .part(\.self, removeDuplicates: .everyAction), areSame: { _, _ in false }, source)
    }

    private init(
        _ store: Store<State, Action>,
        _ observed: Observed<State, State>,
        areSame: @escaping @Sendable (State, State) -> Bool,
        _ source: CodeLocation
    ) {
        self.store = store.reference.withoutHold
        self.areSame = areSame
        // Until the observation says which state it begins after.
        current = store.snapshot
        let (state, observation) = store.stateAndObservation(of: observed, isolatedTo: MainActor.shared, at: source) {
            [weak self] _, state in
            // Sound: the closure is isolated to the main actor, which the compiler does not take from its parameter.
            MainActor.assumeIsolated { self?.update(to: state) }
        }
        current = state
        self.observation = observation
    }

    // MARK: Reading

    /// The whole state. Whoever reads it depends on all of it.
    public var state: State {
        registrar.access(self, keyPath: \.state)
        return current
    }

    /// A part of the state. Whoever reads it depends on that part.
    ///
    /// What has been read is looked up in later states, too, to see whether it has changed, also if nobody reads it any
    /// more; it is forgotten when it has neither changed nor been read during 1,000 newer states, with which its
    /// readers are notified although it is the same. So the key path has to lead somewhere in every state:
    /// `mirror[\.items[3]]` and `mirror[\.selected!]` trap in a state without that item. `mirror.items[3]`, which
    /// depends on all items, and `mirror[\.selected?.name]` do not.
    ///
    /// - Complexity: that of comparing the part with each new state, as long as it does not change.
    public subscript<Value: Equatable>(_ keyPath: KeyPath<State, Value>) -> Value {
        track(keyPath) { old, new in old[keyPath: keyPath] == new[keyPath: keyPath] }
        return current[keyPath: keyPath]
    }

    /// A part of the state that cannot be compared. Each new state notifies its readers, and all other readers of the
    /// same key path, including those that could compare it. It is not looked up in later states until it is read
    /// again.
    public subscript<Value>(_ keyPath: KeyPath<State, Value>) -> Value {
        track(keyPath, nil)
        return current[keyPath: keyPath]
    }

    /// A part of the state. Whoever reads it depends on that part.
    ///
    /// - Complexity: that of comparing the part with each new state, as long as it does not change.
    public subscript<Value: Equatable>(dynamicMember keyPath: KeyPath<State, Value>) -> Value { self[keyPath] }

    /// A part of the state that cannot be compared. Whoever reads it is told of each new state.
    public subscript<Value>(dynamicMember keyPath: KeyPath<State, Value>) -> Value { self[keyPath] }

    // MARK: Sending

    /// Accepts an action without waiting; see `Store.send(_:)`. The mirror follows in a later visit to the
    /// main actor.
    ///
    /// - Returns: what became of it.
    @discardableResult
    public func send(_ action: Action) -> SendOutcome { store.send(action) }

    /// Reduces an action, and returns when that is done; see `Store.dispatch(_:)`. The mirror follows in a
    /// later visit to the main actor.
    ///
    /// - Returns: the effects that the action started.
    /// - Throws: a `StoreError` if the action was not reduced.
    @discardableResult
    public func dispatch(_ action: Action) async throws(StoreError) -> StoreTask { try await store.dispatch(action) }

    // MARK: Following

    /// - Parameter areSame: Compares the part in two states; nil if it cannot be compared.
    private func track<Value>(_ keyPath: KeyPath<State, Value>, _ areSame: ((State, State) -> Bool)?) {
        let path = (\ObservableStore.current).appending(path: keyPath)
        registrar.access(self, keyPath: path)
        // A reader that cannot compare decides for all readers of the key path.
        if let place = parts.index(forKey: keyPath), areSame != nil || parts.values[place].areSame == nil {
            return parts.values[place].lastRead = updates
        }
        parts[keyPath] = MirroredPart(areSame: areSame, lastRead: updates) { mirror in
            mirror.registrar.willSet(mirror, keyPath: path)
        } didSet: { mirror in
            mirror.registrar.didSet(mirror, keyPath: path)
        }
    }

    private func update(to state: State) {
        guard !areSame(current, state) else { return }
        updates += 1
        // The registrar does not say whether a reader is left.
        let changed = parts.filter {
            updates - $0.value.lastRead >= Self.unreadUpdates || $0.value.areSame?(current, state) != true
        }
        // Whoever is told reads again, which puts them back.
        for path in changed.keys { parts[path] = nil }
        registrar.willSet(self, keyPath: \.state)
        for part in changed.values { part.willSet(self) }
        current = state
        for part in changed.values { part.didSet(self) }
        registrar.didSet(self, keyPath: \.state)
    }

    /// After how many updates a part is forgotten that is not read: those that nobody reads any more would pile up.
    private static var unreadUpdates: UInt64 { 1_000 }

    /// A part that somebody depends on.
    private struct MirroredPart {
        /// Nil if it cannot be compared.
        let areSame: ((State, State) -> Bool)?
        /// With how many updates it was read last.
        var lastRead: UInt64
        let willSet: @MainActor (ObservableStore) -> Void
        let didSet: @MainActor (ObservableStore) -> Void
    }
}
