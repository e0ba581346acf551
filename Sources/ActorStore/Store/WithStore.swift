/// Makes a store for as long as `body` runs, and shuts it down on the way out, whichever that is.
///
/// ```swift
/// let total = try await withStore(initialState: Orders.State(), reducer: Orders()) { store in
///     try await process(requests, with: store)
///     return store.snapshot.total
/// }
/// // No effect of the store runs any more.
/// ```
///
/// When `body` returns, the store is shut down as `drain` says; when it throws, effects are cancelled. They are also
/// cancelled if the calling task is cancelled, but not before `body` has returned or thrown: as long as it runs, so do
/// they. In each case this returns or throws when the effects have ended, so that one that ignores its cancellation
/// delays it.
///
/// - Parameters:
///   - initialState: The state before the first action.
///   - reducer: Changes the state, and asks for effects.
///   - interceptors: Stand between senders and the reducer, the first of them outermost.
///   - configuration: Name, mailbox capacity, priority and executor.
///   - drain: What happens with running effects when `body` returns.
///   - body: Is given the store, which takes no more actions afterwards, whoever still holds it.
///   - isolation: The caller's actor, on which this runs; leave the default.
/// - Returns: what `body` returns.
/// - Throws: what `body` throws.
@inlinable
@discardableResult
public func withStore<State: Sendable, Action: Sendable, Result, Failure: Error>(
    initialState: State,
    reducer: some Reducer<State, Action>,
    interceptors: [Interceptor<State, Action>] = [],
    configuration: StoreConfiguration = StoreConfiguration(),
    drain: ShutdownDrain = .finishEffects,
    isolation: isolated (any Actor)? = #isolation,
    _ body: nonisolated(nonsending) (_ store: Store<State, Action>) async throws(Failure) -> Result
) async throws(Failure) -> Result {
    let store = Store(
        initialState: initialState,
        reducer: reducer,
        interceptors: interceptors,
        configuration: configuration
    )
    return try await store.shutDown(drain, after: body)
}

/// Makes a store whose reducer is a closure without effects for as long as `body` runs; otherwise like
/// ``withStore(initialState:reducer:interceptors:configuration:drain:isolation:_:)``.
///
/// - Parameters:
///   - initialState: The state before the first action.
///   - interceptors: Stand between senders and the reducer, the first of them outermost.
///   - configuration: Name, mailbox capacity, priority and executor.
///   - reduce: Changes the state.
///   - body: Is given the store, which takes no more actions afterwards, whoever still holds it.
///   - isolation: The caller's actor, on which this runs; leave the default.
/// - Returns: what `body` returns.
/// - Throws: what `body` throws.
@inlinable
@discardableResult
public func withStore<State: Sendable, Action: Sendable, Result, Failure: Error>(
    initialState: State,
    interceptors: [Interceptor<State, Action>] = [],
    configuration: StoreConfiguration = StoreConfiguration(),
    isolation: isolated (any Actor)? = #isolation,
    reduce: @escaping @Sendable (_ state: inout State, _ action: Action) -> Void,
    _ body: nonisolated(nonsending) (_ store: Store<State, Action>) async throws(Failure) -> Result
) async throws(Failure) -> Result {
    let store = Store(
        initialState: initialState,
        interceptors: interceptors,
        configuration: configuration,
        reduce: reduce
    )
    return try await store.shutDown(.finishEffects, after: body)
}

extension Store {
    @usableFromInline
    func shutDown<Result, Failure: Error>(
        _ drain: ShutdownDrain,
        isolation: isolated (any Actor)? = #isolation,
        after body: nonisolated(nonsending) (Store) async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let result: Result
        do throws(Failure) {
            result = try await body(self)
        } catch {
            await shutdown(drain: .cancelEffects)
            throw error
        }
        await shutdown(drain: drain)
        return result
    }
}
