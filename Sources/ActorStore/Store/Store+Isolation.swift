extension Store {
    /// Runs a closure between two actions, with read and write access to the state, and returns its result.
    ///
    /// ```swift
    /// let left = try await stock.withIsolation("correct the count") { stock in
    ///     stock.available -= stock.broken
    ///     stock.broken = 0
    ///     return stock.available
    /// }
    /// ```
    ///
    /// Use this for changes that are not events for the rest of the program: a manual correction, a migration, a test.
    /// The change counts as one action: ``revision`` grows, observers of the state are notified, and instruments record
    /// it under its name. But it is not an action of the store's type, so it bypasses interceptors, reducers, observers
    /// of actions and every `ObserverRule`. For ``transitions(buffering:fileID:line:)`` and rules of the root it is not
    /// part of the next action's change. For changes that should pass through them, use a ``Request``.
    ///
    /// The closure runs with the dependencies of the store if it was created with any, and otherwise with those in
    /// force where you call this.
    ///
    /// The closure runs in the order of all operations on the store. When the call returns, every reader can see the
    /// change.
    ///
    /// Do not call this on a child or a scope, whose states are derived from those of other stores: it traps.
    ///
    /// - Parameters:
    ///   - name: The name of the change, for instruments.
    ///   - isolation: The actor on which this runs; by default the caller's.
    ///   - body: A closure that can change the state. Like a reducer, it runs on whichever thread owns the store's
    ///     turn, and must not block. It does not throw; return a value to report a refusal.
    /// - Returns: The result of `body`.
    /// - Throws: ``StoreError/shutDown`` after a shutdown; ``StoreError/notReady`` if the first state could not be
    ///   loaded; ``StoreError/notReplayable`` for a store whose state is recovered from a log of actions, because the
    ///   change would be lost with the next start. In these cases `body` was not called. Cancelling the task does not
    ///   withdraw the closure.
    public func withIsolation<Result: Sendable>(
        _ name: String,
        isolation: isolated (any Actor)? = #isolation,
        _ body: @escaping @Sendable (_ state: inout State) -> Result
    ) async throws(StoreError) -> Result {
        guard case .root(let core) = backing else {
            if await root.perform({ [root] in root.keepsActions }) { throw .notReplayable }
            fatalError(
                """
                "\(name)" is to run isolated to "\(self.name)", which is a child or a scope. Call withIsolation on the \
                root of the tree.
                """
            )
        }
        // Read here, because the body can run on any thread.
        let dependencies = core.dependencies.valuesOutsideReducers
        return try await core.perform { core.reduce(IsolatedAccess(name: name, body: body), with: dependencies) }.get()
    }
}

/// A closure that runs in place of an action.
private struct IsolatedAccess<State, Result: Sendable>: Sendable, CustomDebugStringConvertible {
    let name: String
    let body: @Sendable (inout State) -> Result

    /// The name that instruments record.
    var debugDescription: String { name }
}

extension StoreCore {
    /// Runs a closure with everything that the turn of an action includes, except interceptors and reducers. Call it
    /// within a turn.
    ///
    /// - Parameter dependencies: The dependencies that are in force around the closure.
    fileprivate func reduce<Value>(
        _ access: IsolatedAccess<State, Value>,
        with dependencies: DependencyOverrides
    ) -> Result<Value, StoreError> {
        guard lifecycle.isOpen else { return .failure(refusal) }
        guard !keepsActions else { return .failure(.notReplayable) }
        var value: Value?
        let outcome = reduceInTurn(access, of: self) {
            beginWriting()
            value = DependencyOverrides.$current.withValue(dependencies) { access.body(&state) }
            revision.storeReleasing(revision.loadRelaxed() &+ 1)
            return .success(())
        }
        renewRememberedStates()
        guard let value else { fatalError("Internal inconsistency: the closure \"\(access.name)\" was not called.") }
        return outcome.map { _ in value }
    }
}
