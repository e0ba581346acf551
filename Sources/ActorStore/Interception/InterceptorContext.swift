/// What an interceptor can see and do besides passing an action on.
public struct InterceptorContext<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline let core: StoreCore<State, Action>

    @inlinable
    init(core: StoreCore<State, Action>) {
        self.core = core
    }

    /// The state: before the interceptor calls `next` the one before the action, afterwards the one after it.
    @inlinable public var state: State { core.snapshot() }

    /// How many actions have been reduced.
    public var revision: UInt64 { core.revision.load(ordering: .acquiring) }

    /// The name of the store.
    public var storeName: String { core.configuration.name }

    /// Sends an action, which is reduced after all that the store has accepted so far.
    @discardableResult
    public func send(_ action: Action) -> SendOutcome { core.send(action) }
}
