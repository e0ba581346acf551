/// What an interceptor can see and do besides passing an action on.
public struct InterceptorContext<State: Sendable, Action: Sendable>: Sendable {
    /// Where the interceptor stands.
    @usableFromInline
    enum Place: Sendable {
        case root(StoreCore<State, Action>)
        case child(ChildInterceptors<State, Action>)
    }

    @usableFromInline let place: Place

    @inlinable
    init(_ place: Place) {
        self.place = place
    }

    /// The state: before the interceptor calls `next` the one before the action, afterwards the one after it.
    @inlinable public var state: State {
        switch place {
        case .root(let core): core.snapshot()
        case .child(let child): child.snapshot()
        }
    }

    /// How many actions have been reduced.
    public var revision: UInt64 {
        switch place {
        case .root(let core): core.revision.loadAcquiring()
        case .child(let child): child.root.revision.loadAcquiring()
        }
    }

    /// The name of the store.
    public var storeName: String {
        switch place {
        case .root(let core): core.configuration.name
        case .child(let child): child.name
        }
    }

    /// Sends an action, which is reduced after all that the store has accepted so far.
    @discardableResult
    public func send(_ action: Action) -> SendOutcome {
        switch place {
        case .root(let core): core.send(action)
        case .child(let child): child.actions.send(action)
        }
    }

    /// Has a value released when the turn has been passed on.
    package func retire<Value>(_ value: Value) {
        switch place {
        case .root(let core): core.retire(value)
        case .child(let child): child.root.retire(value)
        }
    }

    /// Looks at the state where it stands, for the owner of the turn, while no reducer runs.
    package func withState<Result>(_ body: (UnsafePointer<State>) -> Result) -> Result {
        switch place {
        case .root(let core): core.withStateAtRest(body)
        case .child(let child): withUnsafePointer(to: child.states.load(), body)
        }
    }
}
