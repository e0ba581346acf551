import ActorStore
import ActorStoreComposition

/// What a ``SideEffect`` can see of the store, and do with it.
///
/// It is of use as long as the side effect runs, and can be handed to child tasks. When the side effect has ended, or
/// was cancelled, what is still sent and dispatched is dropped or refused, and counted in
/// `StoreStatistics.lateActions`.
public struct SideEffectContext<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline let context: WorkContext<State, Action>
    /// The dependencies of the store, if it was created with some, and otherwise those in force where the side effect
    /// was dispatched.
    public var dependencies: DependencyValues { DependencyValues(context.overrides) }

    init(_ context: WorkContext<State, Action>) { self.context = context }

    /// The state at this moment; see `Store.snapshot`.
    public var snapshot: State { context.snapshot() }

    /// The state after everything that was sent before; see `Store.state`.
    @inlinable @inline(__always) public nonisolated(nonsending) var state: State {
        get async { await context.settledState() }
    }

    /// Sends actions, as an effect does; what it returns is called like a function: `context.send(.progress(0.5))`.
    ///
    /// They are accepted also while a shutdown waits for this side effect.
    public var send: Send<Action> { context.send }

    /// Has an action reduced, and returns when that is done and visible to every reader.
    ///
    /// It is accepted also while a shutdown waits for this side effect, and does not count in the capacity of the
    /// mailbox: whoever waits for its end brings no more than one at a time.
    ///
    /// - Returns: the effects that the action started, to be awaited or cancelled. A task that tracks feedback does not
    ///   count them by itself: it ends when this side effect has ended, which can await them.
    /// - Throws: `StoreError.rejected(by:)` if an interceptor stopped the action, `StoreError.cancelled` if the
    ///   side effect has been cancelled or has ended, `StoreError.shutDown` if the store has ended.
    @discardableResult
    public func dispatch(_ action: Action, isolation: isolated (any Actor)? = #isolation) async throws(StoreError)
        -> StoreTask
    {
        try await context.dispatch(action)
    }

    /// Runs another side effect, and returns its value. When the task that calls this is cancelled, so is the other.
    ///
    /// - Parameters:
    ///   - sideEffect: What to run.
    ///   - fileID: Where this is written; leave the default.
    ///   - line: Where this is written; leave the default.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    /// - Returns: what the side effect returns.
    /// - Throws: what the side effect throws; a `CancellationError` if it was cancelled before it began;
    ///   `StoreError.cancelled` if this one has been cancelled or has ended, `StoreError.shutDown` if the store has
    ///   ended.
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
    /// Applies an updater; see `Store.dispatch(_:named:isolation:)`.
    @discardableResult
    public func dispatch(
        _ updater: some StateUpdater<Action.CommandState>,
        named name: String? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(StoreError) -> StoreTask {
        try await dispatch(.command(Command(updater, named: name)))
    }

    /// Changes the state by a closure; see `Store.update(_:fileID:line:isolation:_:)`.
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
