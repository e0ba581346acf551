import ActorStore
import Observation

/// A mirror of a store on the main actor, for code that observes with the `Observation` module:
/// `withObservationTracking`, SwiftUI, and frameworks built on it.
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
/// A job on the main actor updates all mirrors of a store to the newest state. A mirror can skip states between two
/// jobs, but always receives the last one. Code that reads a member depends on that part of the state, and is notified
/// when a newer state has another value there. Only the first name selects the part; the rest reads from its value:
/// `mirror.user.name` depends on the user, `mirror[\.user.name]` on the name.
///
/// The mirror does not retain the store. When the store has ended, the mirror keeps its last state, and actions are
/// refused.
@MainActor
@dynamicMemberLookup
public final class ObservableStore<State: Sendable, Action: Sendable>: Observable {
    private let registrar = ObservationRegistrar()
    private let store: StoreReference<State, Action>
    /// Whether two states are the same, so that a change from one to the other needs no notification.
    private let areSame: @Sendable (State, State) -> Bool
    private var current: State
    /// The parts that have been read since their last change, unless that is too long ago.
    private var parts: [PartialKeyPath<State>: MirroredPart] = [:]
    /// The number of newer states so far.
    private var updates: UInt64 = 0
    private var observation: StoreObservation?

    /// Creates a mirror of a store.
    ///
    /// Observers are not notified of states that are equal.
    ///
    /// - Parameters:
    ///   - store: The store to mirror. It is not retained.
    ///   - fileID: The file of the mirror, for diagnostics.
    ///   - line: The line of the mirror, for diagnostics.
    public convenience init(_ store: Store<State, Action>, fileID: String = #fileID, line: UInt = #line)
    where State: Equatable {
        self.init(store, .part(\.self), areSame: ==, CodeLocation(fileID: fileID, line: line))
    }

    /// Creates a mirror of a store whose state is not `Equatable`.
    ///
    /// Observers of the whole state are notified after each action; observers of a part that is `Equatable`, when that
    /// part has changed. If the store is busy when the mirror is created, observers may be notified once before any
    /// action.
    ///
    /// - Parameters:
    ///   - store: The store to mirror. It is not retained.
    ///   - fileID: The file of the mirror, for diagnostics.
    ///   - line: The line of the mirror, for diagnostics.
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
        // Until the observation provides the state after which it begins.
        current = store.snapshot
        let (state, observation) = store.stateAndObservation(of: observed, isolatedTo: MainActor.shared, at: source) {
            [weak self] _, state in
            // Sound: the closure is isolated to the main actor, which the compiler does not infer from its parameter.
            MainActor.assumeIsolated { self?.update(to: state) }
        }
        current = state
        self.observation = observation
    }

    // MARK: Reading

    /// The whole state. Code that reads it depends on all of it.
    public var state: State {
        registrar.access(self, keyPath: \.state)
        return current
    }

    /// A part of the state. Code that reads it depends on that part.
    ///
    /// A part that has been read is read in later states, too, to detect changes, even if it has no more readers. It is
    /// dropped after 1,000 newer states without a change or a read; its readers are then notified although it is
    /// unchanged. So the key path must be valid in every state: `mirror[\.items[3]]` and `mirror[\.selected!]` trap in
    /// a state without that item. `mirror.items[3]`, which depends on all items, and `mirror[\.selected?.name]` do not.
    ///
    /// - Complexity: The cost of comparing the part with each new state, while it does not change.
    public subscript<Value: Equatable>(_ keyPath: KeyPath<State, Value>) -> Value {
        track(keyPath) { old, new in old[keyPath: keyPath] == new[keyPath: keyPath] }
        return current[keyPath: keyPath]
    }

    /// A part of the state that is not `Equatable`. Each new state notifies its readers, and all other readers of the
    /// same key path, including those that could compare it. It is not read in later states until it is read again.
    public subscript<Value>(_ keyPath: KeyPath<State, Value>) -> Value {
        track(keyPath, nil)
        return current[keyPath: keyPath]
    }

    /// A part of the state. Code that reads it depends on that part.
    ///
    /// - Complexity: The cost of comparing the part with each new state, while it does not change.
    public subscript<Value: Equatable>(dynamicMember keyPath: KeyPath<State, Value>) -> Value { self[keyPath] }

    /// A part of the state that is not `Equatable`. Its readers are notified of each new state.
    public subscript<Value>(dynamicMember keyPath: KeyPath<State, Value>) -> Value { self[keyPath] }

    // MARK: Sending

    /// Sends an action without waiting; see `Store.send(_:)`. The mirror is updated in a later job on the main actor.
    ///
    /// - Returns: Whether the action was accepted, dropped or refused.
    @discardableResult
    public func send(_ action: Action) -> SendOutcome { store.send(action) }

    /// Dispatches an action, and returns when it has been reduced; see `Store.dispatch(_:)`. The mirror is updated in a
    /// later job on the main actor.
    ///
    /// - Returns: A `StoreTask` of the effects that the action started.
    /// - Throws: A `StoreError` if the action was not reduced.
    @discardableResult
    public func dispatch(_ action: Action) async throws(StoreError) -> StoreTask { try await store.dispatch(action) }

    // MARK: Following

    /// - Parameter areSame: Compares the part in two states; nil if it is not `Equatable`.
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
        // The registrar does not report whether a reader is left.
        let changed = parts.filter {
            updates - $0.value.lastRead >= Self.unreadUpdates || $0.value.areSame?(current, state) != true
        }
        // Notified readers read again, which adds the parts again.
        for path in changed.keys { parts[path] = nil }
        registrar.willSet(self, keyPath: \.state)
        for part in changed.values { part.willSet(self) }
        current = state
        for part in changed.values { part.didSet(self) }
        registrar.didSet(self, keyPath: \.state)
    }

    /// The number of updates after which an unread part is dropped: otherwise parts without readers would accumulate.
    private static var unreadUpdates: UInt64 { 1_000 }

    /// A part with dependent readers.
    private struct MirroredPart {
        /// Nil if the part is not `Equatable`.
        let areSame: ((State, State) -> Bool)?
        /// The number of updates at the last read.
        var lastRead: UInt64
        let willSet: @MainActor (ObservableStore) -> Void
        let didSet: @MainActor (ObservableStore) -> Void
    }
}
