extension Store {
    /// Runs code between two actions, which may look at the state and change it, and returns what it returns.
    ///
    /// ```swift
    /// let left = try await stock.withIsolation("correct the count") { stock in
    ///     stock.available -= stock.broken
    ///     stock.broken = 0
    ///     return stock.available
    /// }
    /// ```
    ///
    /// It is for what is decided and done at once, and is no event that the rest of the program has to know: a
    /// correction by hand, a migration, a test. It counts as one action: ``revision`` goes up, observers of the state
    /// are told, and instruments see it under its name. But it is no action of the store's type, so it does not pass
    /// interceptors, reducers, or observers of actions, and asks no `ObserverRule`. For
    /// ``transitions(buffering:fileID:line:)`` and rules of the root it is no part of what the next action changes.
    /// What should pass them is a ``Request``.
    ///
    /// The dependencies of the store are in force, if it was created with some, and otherwise those that are in force
    /// where this is called.
    ///
    /// It takes its place in the order of everything that is asked of the store. When it returns, the change is visible
    /// to every reader.
    ///
    /// Calling this on a child or a scope is a programmer error, and traps: their states are made of those of others.
    ///
    /// - Parameters:
    ///   - name: What is done, for instruments.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    ///   - body: Like a reducer, it runs on whichever thread owns the store's turn, and must not block. It does not
    ///     throw: a refusal is a value that it returns.
    /// - Returns: What `body` returns.
    /// - Throws: ``StoreError/shutDown`` after a shutdown, ``StoreError/notReady`` if the first state could not be
    ///   loaded; ``StoreError/notReplayable`` for a store whose state is what a log has made of it: what is no
    ///   action of its type would be lost with the next start. Then `body` was not called. Cancelling the task does not
    ///   take it back.
    public func withIsolation<Result: Sendable>(
        _ name: String,
        isolation: isolated (any Actor)? = #isolation,
        _ body: @escaping @Sendable (_ state: inout State) -> Result
    ) async throws(StoreError) -> Result {
        guard case .root(let core) = backing else {
            if await root.perform({ [root] in root.keepsActions }) { throw .notReplayable }
            fatalError(
                """
                "\(name)" is to run isolated to "\(self.name)", which is a child or a scope. Run it isolated to the root of the \
                tree.
                """
            )
        }
        // Taken here, because the body can run on any thread.
        let dependencies = core.dependencies.valuesOutsideReducers
        return try await core.perform { core.reduce(IsolatedAccess(name: name, body: body), with: dependencies) }.get()
    }
}

/// Code that runs in the place of an action.
private struct IsolatedAccess<State, Result: Sendable>: Sendable, CustomDebugStringConvertible {
    let name: String
    let body: @Sendable (inout State) -> Result

    /// What instruments show.
    var debugDescription: String { name }
}

extension StoreCore {
    /// Runs code with all that belongs to the turn of an action, but for interceptors and reducers. In the turn.
    ///
    /// - Parameter dependencies: Those that are in force around the code.
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
        guard let value else { fatalError("The closure of \(access.name) was not called.") }
        return outcome.map { _ in value }
    }
}
