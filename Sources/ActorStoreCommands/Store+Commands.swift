import ActorStore

/// Dispatching commands to stores of commands, and to stores whose actions have a case for commands.
extension Store where Action: CommandAction {
    /// Dispatches an updater, and returns when it has been applied and the change is visible to every reader.
    ///
    /// - Parameters:
    ///   - updater: The updater, which changes the state.
    ///   - name: The command's name in logs; nil uses the name of the updater's type.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Returns: A `StoreTask` of the effects that the reducer or an interceptor returned for it, if any.
    /// - Throws: The errors of ``dispatch(_:)``.
    @discardableResult
    public func dispatch(
        _ updater: some StateUpdater<Action.CommandState>,
        named name: String? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(StoreError) -> StoreTask {
        try await dispatch(.command(Command(updater, named: name)))
    }

    /// Sends an updater without waiting until it has been applied.
    ///
    /// - Parameters:
    ///   - updater: The updater, which changes the state.
    ///   - name: The command's name in logs; nil uses the name of the updater's type.
    /// - Returns: Whether the command was accepted, dropped or refused.
    @discardableResult
    public nonisolated func send(
        _ updater: some StateUpdater<Action.CommandState>,
        named name: String? = nil
    ) -> SendOutcome {
        send(.command(Command(updater, named: name)))
    }

    /// Changes the state with a closure, and returns when the change is done and visible to every reader.
    ///
    /// ```swift
    /// try await store.update("deposit") { $0.balance += 3 }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The change's name in logs; by default the file and line of the call.
    ///   - fileID: The file of the caller, for the default name.
    ///   - line: The line of the caller, for the default name.
    ///   - change: Changes the state. Like a reducer, it runs on the thread that owns the store's turn, and must not
    ///     block.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Returns: A `StoreTask` of the effects that the reducer or an interceptor returned for it, if any.
    /// - Throws: The errors of ``dispatch(_:)-(Action)``.
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
