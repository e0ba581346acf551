import ActorStore

/// A store of which neither the type of the state nor that of the actions is known where it is used.
///
/// ```swift
/// let stores: [AnyStore] = [AnyStore(orders), AnyStore(users)]
/// for store in stores { print(store.name, String(redacting: store.snapshot)) }
/// let user = try await stores[1].dispatch(RefreshUser(id: 7)) as? User
/// ```
///
/// For inspectors, admin interfaces, and routers that get actions by name. It keeps the store alive, as the store
/// itself does.
public struct AnyStore: Sendable {
    private let store: any ErasedStore

    /// Erases the types of a store.
    public init<State: Sendable, Action: Sendable>(_ store: Store<State, Action>) {
        self.store = store
    }

    /// The name given in the configuration.
    public var name: String { store.name }

    /// How many actions have been reduced in the tree that the store is part of.
    public var revision: UInt64 { store.revision }

    /// The state at this moment; see `Store.snapshot`.
    public var snapshot: any Sendable { store.erasedSnapshot }

    /// The state after everything that was sent before; see `Store.state`.
    @inlinable @inline(__always) public nonisolated(nonsending) var state: any Sendable {
        get async { await settledState() }
    }

    @usableFromInline
    func settledState(isolation: isolated (any Actor)? = #isolation) async -> any Sendable {
        await store.erasedState(isolation: isolation)
    }

    /// Calls `body` with the current state, and with that after each turn, as an observer of `Observed.everyAction` is
    /// told it.
    ///
    /// - Returns: a token; the observation ends when it is released or cancelled.
    public func observe(
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (_ state: any Sendable) -> Void
    ) -> StoreObservation {
        store.erasedObserve(at: CodeLocation(fileID: fileID, line: line), body)
    }

    /// Sends an action, or a ``StateUpdater`` to a store that takes commands; see `Store.send(_:)`.
    ///
    /// - Returns: what became of it.
    /// - Throws: ``UnexpectedItemError`` if the store does not take things of this type.
    @discardableResult
    public func send(_ item: any Sendable) throws(UnexpectedItemError) -> SendOutcome {
        try store.erasedSend(item)
    }

    /// Dispatches an action, a ``StateUpdater`` to a store that takes commands, or a ``SideEffect``.
    ///
    /// - Parameters:
    ///   - item: What to dispatch.
    ///   - fileID: Where this is written; leave the default.
    ///   - line: Where this is written; leave the default.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    /// - Returns: a `StoreTask` for an action or an updater, its value for a side effect.
    /// - Throws: what `Store.dispatch(_:)` throws; ``UnexpectedItemError`` if the store does not take things
    ///   of this type.
    @discardableResult
    public func dispatch(
        _ item: any Sendable,
        fileID: String = #fileID,
        line: UInt = #line,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> any Sendable {
        try await store.erasedDispatch(item, at: CodeLocation(fileID: fileID, line: line), isolation: isolation)
    }

    /// The store with its types, or nil if they are others.
    public func typed<State: Sendable, Action: Sendable>(
        _ state: State.Type = State.self,
        _ action: Action.Type = Action.self
    ) -> Store<State, Action>? {
        store as? Store<State, Action>
    }

    /// Ends the store's life in order; see `Store.shutdown(drain:within:reserving:clock:isolation:)`.
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

/// Something was given to an ``AnyStore`` that the store does not take.
public struct UnexpectedItemError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The type of the item.
    public let item: String
    /// The type of the store.
    public let store: String

    /// Creates an error about an item and a store of these types.
    public init(item: String, store: String) {
        self.item = item
        self.store = store
    }

    /// Names both types.
    public var description: String { "A \(store) takes no \(item)." }
}
