import ActorStore
import ActorStoreComposition

/// A piece of asynchronous work around a store that returns a value, or throws.
///
/// ```swift
/// struct RefreshUser: SideEffect {
///     let id: Int
///     func run(_ context: SideEffectContext<AppState, AppAction>) async throws -> User {
///         let user = try await context.dependencies.users.load(id)
///         try await context.dispatch(.loaded(user))
///         return user
///     }
/// }
/// let user = try await store.dispatch(RefreshUser(id: 7))
/// ```
///
/// A reducer returns an `Effect`, which only sends actions to the store. A side effect is dispatched by a caller that
/// needs its result. It can read the state, dispatch actions and other side effects, and await them, sequentially or
/// concurrently.
public protocol SideEffect<State, Action, Value>: Sendable {
    /// The state of the stores that it can be dispatched to.
    associatedtype State: Sendable
    /// The actions of the stores that it can be dispatched to.
    associatedtype Action: Sendable
    /// The type of the result.
    associatedtype Value: Sendable

    /// Does the work, off the store, in a task of its own.
    ///
    /// - Parameter context: Access to the store, for as long as the work runs.
    /// - Returns: The value that `dispatch` returns to the caller.
    /// - Throws: Any error; `dispatch` throws it to the caller.
    func run(_ context: SideEffectContext<State, Action>) async throws -> Value
}

extension StoreReference {
    /// Runs a side effect, and awaits it, with the store's dependencies in force.
    ///
    /// - Parameters:
    ///   - sideEffect: The side effect to run.
    ///   - parent: The side effect that awaits this one, if any.
    ///   - source: The source location of the dispatch.
    func run<Body: SideEffect>(
        _ sideEffect: Body,
        awaitedBy parent: RunningWork? = nil,
        at source: CodeLocation,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Body.Value where Body.State == State, Body.Action == Action {
        try await run(awaitedBy: parent, at: source) { [self] work, interceptors in
            let context = context(of: work)
            // The usual case. It avoids the frames and closures of passing through interceptors.
            if interceptors.isEmpty { return try await perform(sideEffect, context) }
            return try await interceptors[...].pass(sideEffect, of: work) { try await perform(sideEffect, context) }
        }
    }

    /// Runs a side effect with the store's dependencies in force.
    private func perform<Body: SideEffect>(
        _ sideEffect: Body,
        _ context: WorkContext<State, Action>,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Body.Value where Body.State == State, Body.Action == Action {
        try await DependencyOverrides.$current.withValue(context.overrides) {
            try await sideEffect.run(SideEffectContext(context))
        }
    }
}

extension Store {
    /// Runs a side effect, and returns its value when it has ended.
    ///
    /// It starts in the order of all messages to the store, and then runs in a task of its own, with the priority and
    /// the task-locals of the calling task. It is one of the store's effects: ``StoreStatistics`` counts it,
    /// ``shutdown(drain:within:reserving:clock:isolation:)`` awaits or cancels it, and on a child it is cancelled when
    /// the child ends. Cancelling the calling task cancels the side effect, too; this method still returns only after
    /// it has ended.
    ///
    /// ```swift
    /// async let user = store.dispatch(RefreshUser(id: 7))
    /// async let orders = store.dispatch(RefreshOrders(user: 7))    // At the same time.
    /// show(try await user, try await orders)
    /// ```
    ///
    /// - Parameters:
    ///   - sideEffect: The side effect to run.
    ///   - fileID: The file of the caller, for diagnostics.
    ///   - line: The line of the caller, for diagnostics.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Returns: The value that the side effect returns.
    /// - Throws: The error of the side effect, which is reported nowhere else; a `CancellationError` if it was
    ///   cancelled before it began; ``StoreError/shutDown`` after a shutdown, and for a child that has ended;
    ///   ``StoreError/rejected(by:)`` if an interceptor refuses it, and ``StoreError/notReady`` if the first state
    ///   could not be loaded. While the state is being loaded, or an observer suspends the store, a cancelled call
    ///   continues to wait.
    @discardableResult
    public func dispatch<Body: SideEffect>(
        _ sideEffect: Body,
        fileID: String = #fileID,
        line: UInt = #line,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Body.Value where Body.State == State, Body.Action == Action {
        try await reference.run(sideEffect, at: CodeLocation(fileID: fileID, line: line))
    }
}
