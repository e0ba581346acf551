import ActorStore
import ActorStoreComposition

/// The access that a ``SideEffect`` has to its store.
///
/// It is valid while the side effect runs, and can be passed to child tasks. After the side effect has ended or was
/// cancelled, actions that are still sent or dispatched are dropped or refused, and counted in
/// `StoreStatistics.lateActions`.
public struct SideEffectContext<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline let context: WorkContext<State, Action>
    /// The dependencies of the store if it was created with its own; else those in force where the side effect was
    /// dispatched.
    public var dependencies: DependencyValues { DependencyValues(context.overrides) }

    init(_ context: WorkContext<State, Action>) { self.context = context }

    /// The current state; see `Store.snapshot`.
    public var snapshot: State { context.snapshot() }

    /// The state after everything that was sent before; see `Store.state`.
    @inlinable @inline(__always) public nonisolated(nonsending) var state: State {
        get async { await context.settledState() }
    }

    /// Sends actions, as an effect does. Call it like a function: `context.send(.progress(0.5))`.
    ///
    /// Actions are accepted also while a shutdown waits for this side effect.
    public var send: Send<Action> { context.send }

    /// Dispatches an action, and returns when it has been reduced and the change is visible to every reader.
    ///
    /// The action is accepted also while a shutdown waits for this side effect. It does not count towards the capacity
    /// of the mailbox: a caller that awaits each dispatch has at most one message pending.
    ///
    /// - Returns: A `StoreTask` of the effects that the action started, to await or cancel. A task that tracks feedback
    ///   does not include them by itself: it ends when this side effect has ended, which can await them.
    /// - Throws: `StoreError.rejected(by:)` if an interceptor stopped the action, `StoreError.cancelled` if the side
    ///   effect has been cancelled or has ended, `StoreError.shutDown` if the store has ended.
    @discardableResult
    public func dispatch(_ action: Action, isolation: isolated (any Actor)? = #isolation) async throws(StoreError)
        -> StoreTask
    {
        try await context.dispatch(action)
    }

    /// Runs another side effect, and returns its value. Cancelling the calling task cancels the other side effect.
    ///
    /// - Parameters:
    ///   - sideEffect: The side effect to run.
    ///   - fileID: The file of the caller, for diagnostics.
    ///   - line: The line of the caller, for diagnostics.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Returns: The value that the side effect returns.
    /// - Throws: The error of the side effect; a `CancellationError` if it was cancelled before it began;
    ///   `StoreError.cancelled` if the calling side effect has been cancelled or has ended; `StoreError.shutDown` if
    ///   the store has ended.
    @discardableResult
    public func dispatch<Other: SideEffect>(
        _ sideEffect: Other,
        fileID: String = #fileID,
        line: UInt = #line,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Other.Value where Other.State == State, Other.Action == Action {
        guard context.work.canSend else { throw StoreError.cancelled }
        let source = CodeLocation(fileID: fileID, line: line)
        return try await context.store.run(sideEffect, awaitedBy: context.work, at: source)
    }
}

extension SideEffectContext where Action: CommandAction {
    /// Dispatches an updater, and returns when it has been applied and the change is visible to every reader.
    ///
    /// It is accepted under the same conditions as an action of this side effect.
    ///
    /// - Parameters:
    ///   - updater: The updater, which changes the state.
    ///   - name: The command's name in logs; nil uses the name of the updater's type.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Returns: A `StoreTask` of the effects that the reducer or an interceptor returned for it, if any.
    /// - Throws: `StoreError.rejected(by:)` if an interceptor stopped the updater, `StoreError.cancelled` if the side
    ///   effect has been cancelled or has ended, `StoreError.shutDown` if the store has ended.
    @discardableResult
    public func dispatch(
        _ updater: some StateUpdater<Action.CommandState>,
        named name: String? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(StoreError) -> StoreTask {
        try await dispatch(.command(Command(updater, named: name)))
    }

    /// Changes the state with a closure, and returns when the change is done and visible to every reader.
    ///
    /// It is accepted under the same conditions as an action of this side effect.
    ///
    /// - Parameters:
    ///   - name: The change's name in logs; by default the file and line of the call.
    ///   - fileID: The file of the caller, for the default name.
    ///   - line: The line of the caller, for the default name.
    ///   - isolation: The actor on which this runs; by default the caller's.
    ///   - change: Changes the state. Like a reducer, it runs on the thread that owns the store's turn, and must not
    ///     block.
    /// - Returns: A `StoreTask` of the effects that the reducer or an interceptor returned for it, if any.
    /// - Throws: `StoreError.rejected(by:)` if an interceptor stopped the change, `StoreError.cancelled` if the side
    ///   effect has been cancelled or has ended, `StoreError.shutDown` if the store has ended.
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
