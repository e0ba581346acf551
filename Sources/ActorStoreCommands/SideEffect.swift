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
/// Where an `Effect` is asked for by a reducer, and talks to the store alone, a side effect is dispatched by somebody
/// who wants its result. It may read the state, dispatch actions and other side effects, and wait for them, one after
/// the other or several at once.
public protocol SideEffect<State, Action, Value>: Sendable {
    /// The state of the stores that it can be dispatched to.
    associatedtype State: Sendable
    /// The actions of the stores that it can be dispatched to.
    associatedtype Action: Sendable
    /// What it returns.
    associatedtype Value: Sendable

    /// Does the work, off the store, in a task of its own.
    ///
    /// - Parameter context: The store, as long as the work runs.
    /// - Returns: what the dispatcher gets.
    /// - Throws: what the dispatcher gets.
    func run(_ context: SideEffectContext<State, Action>) async throws -> Value
}

extension StoreReference {
    /// Runs a side effect, and awaits it, with the store's dependencies in force.
    ///
    /// - Parameters:
    ///   - sideEffect: What to run.
    ///   - parent: The side effect that waits for this one, if one does.
    ///   - source: Where it is dispatched.
    func run<Body: SideEffect>(
        _ sideEffect: Body,
        awaitedBy parent: RunningWork? = nil,
        at source: CodeLocation,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Body.Value where Body.State == State, Body.Action == Action {
        try await run(awaitedBy: parent, at: source) { [self] work, interceptors in
            let context = context(of: work)
            // Nearly always, and without the frames and closures of what passes it on.
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
    /// It begins in the order of everything that is asked of the store, and then runs in a task of its own, with the
    /// priority and the task-locals of the calling task. It is one of the store's effects: ``StoreStatistics`` counts
    /// it, ``shutdown(drain:within:reserving:clock:isolation:)`` awaits or cancels it, and on a child it is cancelled
    /// when the child ends. Cancelling the calling task cancels it, too; this returns when it has ended nevertheless.
    ///
    /// ```swift
    /// async let user = store.dispatch(RefreshUser(id: 7))
    /// async let orders = store.dispatch(RefreshOrders(user: 7))    // At the same time.
    /// show(try await user, try await orders)
    /// ```
    ///
    /// - Parameters:
    ///   - sideEffect: What to run.
    ///   - fileID: Where this is written; leave the default.
    ///   - line: Where this is written; leave the default.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    /// - Returns: what the side effect returns.
    /// - Throws: what the side effect throws, which goes nowhere else; a `CancellationError` if it was cancelled before
    ///   it began; ``StoreError/shutDown`` after a shutdown, and for a child that has ended.
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
