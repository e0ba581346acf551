import ActorStore

/// Stores that take commands: those of commands alone, and those whose actions have a case for them.
extension Store where Action: CommandAction {
    /// Applies an updater, and returns when that is done and visible to every reader; otherwise like ``dispatch(_:)``.
    ///
    /// - Parameters:
    ///   - updater: Changes the state.
    ///   - name: Names the command; nil for the name of the updater's type.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    /// - Returns: the effects that came of it, if the reducer or an interceptor asked for any.
    @discardableResult
    public func dispatch(
        _ updater: some StateUpdater<Action.CommandState>,
        named name: String? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(StoreError) -> StoreTask {
        try await dispatch(.command(Command(updater, named: name)))
    }

    /// Accepts an updater without waiting; otherwise like ``send(_:)``.
    ///
    /// - Parameters:
    ///   - updater: Changes the state.
    ///   - name: Names the command; nil for the name of the updater's type.
    /// - Returns: what became of it.
    @discardableResult
    public nonisolated func send(
        _ updater: some StateUpdater<Action.CommandState>,
        named name: String? = nil
    ) -> SendOutcome {
        send(.command(Command(updater, named: name)))
    }

    /// Changes the state by a closure, and returns when that is done and visible to every reader.
    ///
    /// ```swift
    /// try await store.update("deposit") { $0.balance += 3 }
    /// ```
    ///
    /// - Parameters:
    ///   - name: Names the change in logs; the file and line of the call if it is left out.
    ///   - fileID: Where this is written; leave the default.
    ///   - line: Where this is written; leave the default.
    ///   - change: Changes the state. Like a reducer, it runs on whichever thread owns the store's turn, and must not
    ///     block.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    /// - Returns: the effects that came of it, if the reducer or an interceptor asked for any.
    /// - Throws: what ``dispatch(_:)-(Action)`` throws.
    @discardableResult
    public func update(
        _ name: String? = nil,
        fileID: String = #fileID,
        line: UInt = #line,
        isolation: isolated (any Actor)? = #isolation,
        _ change: @escaping @Sendable (_ state: inout Action.CommandState) -> Void
    ) async throws(StoreError) -> StoreTask {
        try await dispatch(.command(Command(name ?? "update at \(fileID):\(line)", change)))
    }
}
