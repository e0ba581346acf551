// What an interceptor of another module needs that remembers values, and sends of itself.

extension WeakStore {
    /// The configuration of the tree; nil once that is gone.
    package var configuration: StoreConfiguration? { root?.configuration }

    /// Counts an action that came too late, and says what became of it.
    @discardableResult
    package func dropLate() -> SendOutcome {
        guard let root else { return .refused(.shutDown) }
        root.droppedFeedback.add()
        return root.isClosed ? .refused(root.refusal) : .dropped
    }

    /// Publishes an error of an interceptor.
    package func report(_ error: any Error, ofInterceptor name: String) {
        let failure = StoreFailure(error: error, origin: .interceptor(named: name))
        guard let root else { return failure.reportAsIssue() }
        root.inTurn { root.report(failure) }
    }

    /// Keeps the value that something was told last, which is released after the turn. In the turn.
    package func lastValue<Value>(of type: Value.Type = Value.self) -> LastValue<Value> {
        LastValue(retiringTo: presentRoot.deferred)
    }

    /// Looks at the state where it stands. In the turn, while no reducer runs.
    package func read<Value>(_ body: (UnsafePointer<State>) -> Value) -> Value {
        if let core { return core.withStateAtRest(body) }
        guard let scopeNode else { preconditionFailure(Self.isMissing) }
        return withUnsafePointer(to: scopeNode.states.load(), body)
    }

    /// Has what is remembered of the state remembered anew when that is replaced otherwise than by an action. In the
    /// turn.
    ///
    /// - Parameter owner: What it is remembered for; see ``removeRenewals(of:)``.
    package func addRenewal(of owner: AnyObject, _ renew: @escaping () -> Void) {
        core?.addRenewal(of: owner, renew)
    }

    /// Forgets what was added for an object. In the turn, and before the object is released.
    package func removeRenewals(of owner: AnyObject) { root?.removeRenewals(of: owner) }

    private var presentRoot: TreeRoot {
        guard let root else { preconditionFailure(Self.isMissing) }
        return root
    }

    private static var isMissing: String {
        "An interceptor is set up in the turn of its store, which exists as long as that lasts."
    }
}
