// Support for interceptors of other modules that store values and send actions.

extension WeakStore {
    /// The configuration of the tree; nil after the tree has been released.
    package var configuration: StoreConfiguration? { root?.configuration }

    /// Counts an action that came too late, and returns its outcome.
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

    /// Returns storage for a last value, whose old values are released after the turn. Call it within a turn.
    package func lastValue<Value>(of type: Value.Type = Value.self) -> LastValue<Value> {
        LastValue(retiringTo: presentRoot.deferred)
    }

    /// Reads the state in place. Call it within a turn, while no reducer runs.
    package func read<Value>(_ body: (UnsafePointer<State>) -> Value) -> Value {
        if let core { return core.withStateAtRest(body) }
        guard let scopeNode else { preconditionFailure(Self.isMissing) }
        return withUnsafePointer(to: scopeNode.states.load(), body)
    }

    /// Registers a closure that updates remembered values when the state is replaced otherwise than by an action. Call
    /// it within a turn.
    ///
    /// - Parameter owner: The owner of the remembered values; see ``removeRenewals(of:)``.
    package func addRenewal(of owner: AnyObject, _ renew: @escaping () -> Void) {
        core?.addRenewal(of: owner, renew)
    }

    /// Removes the closures of an owner. Call it within a turn, before the owner is released.
    package func removeRenewals(of owner: AnyObject) { root?.removeRenewals(of: owner) }

    private var presentRoot: TreeRoot {
        guard let root else { preconditionFailure(Self.isMissing) }
        return root
    }

    private static var isMissing: String {
        "Internal inconsistency: an interceptor was set up outside the turn of its store."
    }
}

// Support for a store's internal actions, which only its own reducer handles. They take no room in the mailbox, and
// some are also reduced while the store is shutting down.

extension WeakStore {
    private var backing: StoreBacking<State, Action>? {
        if let core { return .root(core) }
        return scopeNode.map { .view($0) }
    }

    /// Whether the state has been loaded. False if the initial state stands in because loading has not succeeded.
    package var hasState: Bool { root?.hasState ?? false }

    /// Reduces an internal action, unless a shutdown has started. Its effects are part of the calling task.
    package func dispatchOwn(_ action: Action, isolation: isolated (any Actor)? = #isolation) async throws(StoreError) {
        guard let backing else { throw .shutDown }
        let root = backing.root
        let pending = try await root.perform {
            root.lifecycle.isOpen ? backing.reduceInTurn(action) : .failure(root.refusal)
        }.get()
        pending.start(.inheriting)
    }

    /// Reduces an internal action when its turn comes.
    ///
    /// - Parameter isLast: Whether the action is also reduced while the store is shutting down.
    package func sendOwn(_ action: Action, whileShuttingDown isLast: Bool) {
        guard let backing else { return }
        backing.root.inTurn { Self.reduceOwn(action, isLast, backing) }
    }

    /// Reduces an internal action when its turn comes, and waits until that is done.
    ///
    /// - Parameter isLast: Whether the action is also reduced while the store is shutting down.
    package func settleOwn(
        _ action: Action,
        whileShuttingDown isLast: Bool,
        isolation: isolated (any Actor)? = #isolation
    ) async {
        guard let backing else { return }
        await backing.root.perform { Self.reduceOwn(action, isLast, backing) }
    }

    /// Call it within a turn.
    private static func reduceOwn(_ action: Action, _ isLast: Bool, _ backing: StoreBacking<State, Action>) {
        let root = backing.root
        guard isLast ? !root.lifecycle.isEnded : root.lifecycle.isOpen else { return }
        if case .success(let pending) = backing.reduceInTurn(action) { root.deferStart(pending) }
    }
}
