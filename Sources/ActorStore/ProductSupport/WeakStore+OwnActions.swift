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
