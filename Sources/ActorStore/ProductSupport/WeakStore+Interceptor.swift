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

// What reduces actions that are a store's own, whose reducer alone knows them: they take no room in the mailbox, and
// some are reduced also while the store is shutting down.

extension WeakStore {
    private var backing: StoreBacking<State, Action>? {
        if let core { return .root(core) }
        return scopeNode.map { .view($0) }
    }

    /// Whether there is a state, and not one that stands in for it because the loading has not ended well.
    package var hasState: Bool { root?.hasState ?? false }

    /// Has an action reduced, unless a shutdown has begun. Its effects are part of the calling task.
    package func dispatchOwn(_ action: Action, isolation: isolated (any Actor)? = #isolation) async throws(StoreError) {
        guard let backing else { throw .shutDown }
        let root = backing.root
        let pending = try await root.perform {
            root.lifecycle.isOpen ? backing.reduceInTurn(action) : .failure(root.refusal)
        }.get()
        pending.start(.inheriting)
    }

    /// Has an action reduced in its turn.
    ///
    /// - Parameter isLast: Whether it is reduced also while the store is shutting down.
    package func sendOwn(_ action: Action, whileShuttingDown isLast: Bool) {
        guard let backing else { return }
        backing.root.inTurn { Self.reduceOwn(action, isLast, backing) }
    }

    /// The same, and waits until it is reduced.
    package func settleOwn(
        _ action: Action,
        whileShuttingDown isLast: Bool,
        isolation: isolated (any Actor)? = #isolation
    ) async {
        guard let backing else { return }
        await backing.root.perform { Self.reduceOwn(action, isLast, backing) }
    }

    /// In the turn.
    private static func reduceOwn(_ action: Action, _ isLast: Bool, _ backing: StoreBacking<State, Action>) {
        let root = backing.root
        guard isLast ? !root.lifecycle.isEnded : root.lifecycle.isOpen else { return }
        if case .success(let pending) = backing.reduceInTurn(action) { root.deferStart(pending) }
    }
}
