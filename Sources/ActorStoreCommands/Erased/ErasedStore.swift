import ActorStore

/// The requirements of ``AnyStore`` on a store.
protocol ErasedStore: AnyObject, Sendable {
    nonisolated var name: String { get }
    nonisolated var revision: UInt64 { get }
    nonisolated var erasedSnapshot: any Sendable { get }
    func erasedState(isolation: isolated (any Actor)?) async -> any Sendable
    nonisolated func erasedSend(_ item: any Sendable) throws(UnexpectedItemError) -> SendOutcome
    func erasedDispatch(
        _ item: any Sendable,
        at source: CodeLocation,
        isolation: isolated (any Actor)?
    ) async throws -> any Sendable
    nonisolated func erasedObserve(
        at source: CodeLocation,
        _ body: @escaping @Sendable (any Sendable) -> Void
    ) -> StoreObservation
    func shutdown(
        drain: ShutdownDrain,
        within limit: Duration?,
        reserving reserve: Duration?,
        clock: any Clock<Duration>,
        isolation: isolated (any Actor)?
    ) async -> ShutdownReport
}

extension Store: ErasedStore {
    nonisolated var erasedSnapshot: any Sendable { snapshot }

    func erasedState(isolation: isolated (any Actor)? = #isolation) async -> any Sendable { await state }

    nonisolated func erasedObserve(
        at source: CodeLocation,
        _ body: @escaping @Sendable (any Sendable) -> Void
    ) -> StoreObservation {
        observe(.everyAction, fileID: source.fileID, line: source.line) { body($0) }
    }

    nonisolated func erasedSend(_ item: any Sendable) throws(UnexpectedItemError) -> SendOutcome {
        guard let action = action(of: item) else { throw unexpected(item) }
        return send(action)
    }

    func erasedDispatch(
        _ item: any Sendable,
        at source: CodeLocation,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> any Sendable {
        if let action = action(of: item) { return try await dispatch(action) }
        guard let sideEffect = item as? any SideEffect else { throw unexpected(item) }
        return try await run(sideEffect, at: source)
    }

    private func run<Body: SideEffect>(
        _ sideEffect: Body,
        at source: CodeLocation,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> any Sendable {
        guard let store = self as? Store<Body.State, Body.Action> else { throw unexpected(sideEffect) }
        return try await store.dispatch(sideEffect, fileID: source.fileID, line: source.line)
    }

    private nonisolated func action(of item: any Sendable) -> Action? {
        if let action = item as? Action { return action }
        guard let updater = item as? any StateUpdater, let type = Action.self as? any CommandAction.Type else {
            return nil
        }
        return command(updater, type) as? Action
    }

    private nonisolated func command<Embedding: CommandAction>(
        _ updater: any StateUpdater,
        _ type: Embedding.Type
    ) -> Embedding? {
        guard let updater = updater as? any StateUpdater<Embedding.CommandState> else { return nil }
        return .command(Command(updater))
    }

    private nonisolated func unexpected(_ item: any Sendable) -> UnexpectedItemError {
        UnexpectedItemError(item: "\(type(of: item))", store: "\(Self.self)")
    }
}
