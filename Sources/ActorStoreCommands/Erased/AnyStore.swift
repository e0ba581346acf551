import ActorStore

/// A type-erased store, for code that does not know the types of the state and the actions.
///
/// ```swift
/// let stores: [AnyStore] = [AnyStore(orders), AnyStore(users)]
/// for store in stores { print(store.name, String(redacting: store.snapshot)) }
/// let user = try await stores[1].dispatch(RefreshUser(id: 7)) as? User
/// ```
///
/// Use it for inspectors, admin interfaces, and routers that receive actions by name. It retains the store, as a
/// `Store` reference does.
public struct AnyStore: Sendable {
    private let store: any ErasedStore

    /// Erases the types of a store.
    public init<State: Sendable, Action: Sendable>(_ store: Store<State, Action>) {
        self.store = store
    }

    /// The name given in the configuration.
    public var name: String { store.name }

    /// The number of actions that have been reduced in the tree of the store.
    public var revision: UInt64 { store.revision }

    /// The current state; see `Store.snapshot`.
    public var snapshot: any Sendable { store.erasedSnapshot }

    /// The state after everything that was sent before; see `Store.state`.
    @inlinable @inline(__always) public nonisolated(nonsending) var state: any Sendable {
        get async { await settledState() }
    }

    @usableFromInline
    func settledState(isolation: isolated (any Actor)? = #isolation) async -> any Sendable {
        await store.erasedState(isolation: isolation)
    }

    /// Calls `body` with the current state, and then with the state after each turn, like an observer of
    /// `Observed.everyAction`.
    ///
    /// - Parameters:
    ///   - fileID: The file of the observer, for diagnostics.
    ///   - line: The line of the observer, for diagnostics.
    ///   - body: Receives the state.
    /// - Returns: A token. The observation ends when the token is released or cancelled.
    public func observe(
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (_ state: any Sendable) -> Void
    ) -> StoreObservation {
        store.erasedObserve(at: CodeLocation(fileID: fileID, line: line), body)
    }

    /// Sends an action, or a ``StateUpdater`` to a store that takes commands; see `Store.send(_:)`.
    ///
    /// - Returns: Whether the item was accepted, dropped or refused.
    /// - Throws: ``UnexpectedItemError`` if the store does not accept items of this type.
    @discardableResult
    public func send(_ item: any Sendable) throws(UnexpectedItemError) -> SendOutcome {
        try store.erasedSend(item)
    }

    /// Dispatches an action, a ``StateUpdater`` to a store that takes commands, or a ``SideEffect``.
    ///
    /// - Parameters:
    ///   - item: The item to dispatch.
    ///   - fileID: The file of the caller, for diagnostics.
    ///   - line: The line of the caller, for diagnostics.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Returns: A `StoreTask` for an action or an updater; the value of a side effect.
    /// - Throws: The errors of `Store.dispatch(_:)` or of the side effect; ``UnexpectedItemError`` if the store does
    ///   not accept items of this type.
    @discardableResult
    public func dispatch(
        _ item: any Sendable,
        fileID: String = #fileID,
        line: UInt = #line,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> any Sendable {
        try await store.erasedDispatch(item, at: CodeLocation(fileID: fileID, line: line), isolation: isolation)
    }

    /// Returns the typed store, or nil if its types are others.
    public func typed<State: Sendable, Action: Sendable>(
        _ state: State.Type = State.self,
        _ action: Action.Type = Action.self
    ) -> Store<State, Action>? {
        store as? Store<State, Action>
    }

    /// Shuts the store down; see `Store.shutdown(drain:within:reserving:clock:isolation:)`.
    @discardableResult
    public func shutdown(
        drain: ShutdownDrain,
        within limit: Duration? = nil,
        reserving reserve: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        isolation: isolated (any Actor)? = #isolation
    ) async -> ShutdownReport {
        await store.shutdown(drain: drain, within: limit, reserving: reserve, clock: clock, isolation: isolation)
    }
}

/// The error of passing an ``AnyStore`` an item of a type that the store does not accept.
public struct UnexpectedItemError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The type of the item.
    public let item: String
    /// The type of the store.
    public let store: String

    /// Creates an error from the types of the item and the store.
    public init(item: String, store: String) {
        self.item = item
        self.store = store
    }

    /// A message that names both types.
    public var description: String { "A \(store) does not accept values of type \(item)." }
}
