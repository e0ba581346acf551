import ActorStore
import ActorStoreComposition

/// Middleware around the side effects of a tree of stores: for authorisation, rate limits, recording or retries.
///
/// ```swift
/// let authorise = SideEffectInterceptor<Shop.State, Shop.Action>("authorise") { sideEffect, context, next in
///     if sideEffect is Refund {
///         guard try await context.dependencies.permissions.mayRefund() else { return }    // Rejected.
///     }
///     try await next()
/// }
/// store.use(authorise)
/// ```
///
/// Interceptors run in the task of the side effect, outside the store's turn. They are nested in the order in which
/// they were added; the work is innermost. An interceptor may suspend: it delays only the caller that awaits the side
/// effect. Several side effects pass through an interceptor concurrently. An interceptor can
/// - call `next`, which returns when the work is done, and throws the error of the work;
/// - return without calling it: then `dispatch` throws `StoreError.rejected(by:)` with the interceptor's name;
/// - call it again, which repeats the work: `dispatch` returns the result of the last call. Among calls that overlap, a
///   success takes precedence over a failure;
/// - call it in a child task, such as that of `withTimeout(_:tolerance:clock:isolation:operation:)`. After the
///   interceptor has returned, `next` only throws `StoreError.cancelled`;
/// - throw an error: `dispatch` throws the same error, even if the work was done;
/// - dispatch actions and side effects through the context, as the side effect itself does.
///
/// If the interceptor catches an error of `next`, `dispatch` still throws that error, unless the interceptor throws
/// another one, or a later or overlapping call succeeds.
///
/// ## Which side effects it receives
///
/// It receives the side effects of the store, of all scopes and children below it, and those that other side effects
/// run, if they begin after `Store.use(_:)` in the order of the store. It does not receive the actions that side
/// effects dispatch; use an `Interceptor` for these. Nor does it receive the `Effect`s of reducers, which begin with an
/// action that has passed through the interceptors.
public struct SideEffectInterceptor<State: Sendable, Action: Sendable>: Sendable {
    /// Handles one side effect.
    public typealias Body =
        @Sendable (
            _ sideEffect: any SideEffect,
            _ context: SideEffectContext<State, Action>,
            _ next: @escaping @Sendable () async throws -> Void
        ) async throws -> Void

    /// The name of the interceptor in errors.
    public let name: String
    let body: Body

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - name: The name in `StoreError.rejected(by:)`.
    ///   - body: Handles a side effect. Its context is that of the store that uses the interceptor, with that store's
    ///     dependencies.
    public init(_ name: String, _ body: @escaping Body) {
        self.name = name
        self.body = body
    }
}

extension Store {
    /// Adds an interceptor to the side effects of this tree.
    ///
    /// Side effects pass through all interceptors, in the order in which these were added. A store without interceptors
    /// has no overhead.
    ///
    /// Calling this on a child or a scope is a programmer error, and traps.
    ///
    /// - Parameter interceptor: The interceptor. Several stores can use it, and one store can use it several times.
    /// - Returns: A token that can be ignored; the interceptor stays until ``Interception/remove()`` is called. Side
    ///   effects that have begun before that still pass through it.
    @discardableResult
    public nonisolated func use(_ interceptor: SideEffectInterceptor<State, Action>) -> Interception {
        // Weak, because the store retains the interceptor.
        let store = weak
        let used = WorkInterceptor(name: interceptor.name) { sideEffect, work, next in
            guard let reference = store.reference else { throw StoreError.shutDown }
            guard let sideEffect = sideEffect as? any SideEffect else {
                preconditionFailure("The work that passes through side effect interceptors is not a side effect.")
            }
            let context = reference.context(of: work)
            try await DependencyOverrides.$current.withValue(context.overrides) {
                try await interceptor.body(sideEffect, SideEffectContext(context), next)
            }
        }
        guard let interception = reference.useAroundWork(used) else {
            fatalError(
                """
                The side effect interceptor "\(interceptor.name)" was added to "\(name)", which is a child or a scope. \
                Add it to the root of the tree.
                """
            )
        }
        return interception
    }
}

extension ArraySlice<WorkInterceptor> {
    /// Passes a side effect through all interceptors.
    ///
    /// - Parameter body: Does the work of the side effect.
    /// - Returns: The value that the work returns.
    /// - Throws: The error of an interceptor or of the work; ``StoreError/rejected(by:)`` if an interceptor did not
    ///   call `next`.
    func pass<Value: Sendable>(
        _ sideEffect: any SideEffect,
        of work: RunningWork,
        to body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let interceptor = first else { return try await body() }
        let calls = LockedValue(CallsOfNext<Value>())
        defer { calls.withLock { $0.areOver = true } }
        try await interceptor.run(sideEffect, work) {
            guard let call = calls.withLock({ $0.begin() }) else { throw StoreError.cancelled }
            do {
                let value = try await dropFirst().pass(sideEffect, of: work, to: body)
                // The outcome that this one replaces is released here, outside the lock.
                _ = calls.withLock { $0.end(call, with: .success(value)) }
            } catch {
                _ = calls.withLock { $0.end(call, with: .failure(error)) }
                throw error
            }
        }
        guard let outcome = calls.withLock({ $0.outcome }) else {
            throw StoreError.rejected(by: interceptor.name)
        }
        return try outcome.get()
    }
}

/// The outcome of an interceptor's calls of `next`, of which several may run at once: that of the last call. Among
/// calls that overlap, a success takes precedence over a failure, and else the call that began last.
private struct CallsOfNext<Value: Sendable> {
    /// Whether the interceptor has returned.
    var areOver = false
    private var begun = 0
    /// Of the calls that have ended, the one whose outcome counts, and how many calls had begun by its end: later calls
    /// did not overlap with it.
    private var last: (call: Int, outcome: Result<Value, any Error>, begun: Int)?

    var outcome: Result<Value, any Error>? { last?.outcome }

    /// Returns the number of the call, or nil if the interceptor has returned.
    mutating func begin() -> Int? {
        if areOver { return nil }
        begun += 1
        return begun
    }

    /// Returns the outcome that no longer counts, for release outside the lock.
    mutating func end(_ call: Int, with outcome: Result<Value, any Error>) -> Result<Value, any Error>? {
        if let last, call <= last.begun {
            // The calls overlapped. An interceptor that hedges cancels the others after the first success, which makes
            // them fail.
            switch (last.outcome, outcome) {
            case (.success, .failure):
                return outcome
            case (.failure, .success):
                break
            case (.success, .success), (.failure, .failure):
                if call < last.call {
                    self.last?.begun = begun
                    return outcome
                }
            }
        }
        defer { last = (call, outcome, begun) }
        return last?.outcome
    }
}
