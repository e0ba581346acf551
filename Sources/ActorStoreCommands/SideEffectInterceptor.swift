import ActorStore
import ActorStoreComposition

/// Stands around the side effects of a tree of stores: to authorise them, limit them, record them, or try them again.
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
/// Interceptors run in the task of the side effect, outside of the store's turn, in the order in which they were added,
/// each around those after it and the work itself. So they may wait: they hold up only the one who awaits the side
/// effect. Several side effects pass at once. One may
/// - call `next`, which returns when the work has been done, and throws what the work throws;
/// - not call it: then `dispatch` throws `StoreError.rejected(by:)` with the interceptor's name;
/// - call it again, which does the work again: `dispatch` returns what came of the last call; of several that overlap,
///   a success counts before a failure;
/// - call it in a child task, such as that of `withTimeout(_:tolerance:clock:isolation:operation:)`. When the
///   interceptor has returned, `next` only throws `StoreError.cancelled`;
/// - throw: then `dispatch` throws the same, also if the work was done;
/// - dispatch actions and side effects through the context, as the side effect itself does.
///
/// An error of `next` that it catches is still what `dispatch` throws, unless it throws another one, or a later call,
/// or one that overlaps, succeeds.
///
/// ## Which side effects it sees
///
/// Those of the store and of all scopes and children below it, and those that other side effects run. Those that begin
/// after `Store.use(_:)` in the order of the store pass through it. It does not
/// see what they dispatch, which is for an `Interceptor`, nor the `Effect`s of reducers, which begin with an action
/// that interceptors have seen.
public struct SideEffectInterceptor<State: Sendable, Action: Sendable>: Sendable {
    /// What an interceptor does with a side effect.
    public typealias Body =
        @Sendable (
            _ sideEffect: any SideEffect,
            _ context: SideEffectContext<State, Action>,
            _ next: @escaping @Sendable () async throws -> Void
        ) async throws -> Void

    /// Names it in errors.
    public let name: String
    let body: Body

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - name: Names it in `StoreError.rejected(by:)`.
    ///   - body: What it does with a side effect. It is given the store that uses it, and the dependencies of that.
    public init(_ name: String, _ body: @escaping Body) {
        self.name = name
        self.body = body
    }
}

extension Store {
    /// Has the side effects of this tree pass through an interceptor from now on.
    ///
    /// They pass through all of them, in the order in which these were added. A store without any pays nothing.
    ///
    /// Calling this on a child or a scope is a programmer error, and traps.
    ///
    /// - Parameter interceptor: May be used by several stores, or several times by one.
    /// - Returns: a token that can be ignored; the interceptor stays until ``Interception/remove()`` is called. Side
    ///   effects that have begun before that still pass through it.
    @discardableResult
    public nonisolated func use(_ interceptor: SideEffectInterceptor<State, Action>) -> Interception {
        // The store keeps the interceptor.
        let store = weak
        let used = WorkInterceptor(name: interceptor.name) { sideEffect, work, next in
            guard let reference = store.reference else { throw StoreError.shutDown }
            guard let sideEffect = sideEffect as? any SideEffect else {
                preconditionFailure("Nothing but side effects is work of a store.")
            }
            let context = reference.context(of: work)
            try await DependencyOverrides.$current.withValue(context.overrides) {
                try await interceptor.body(sideEffect, SideEffectContext(context), next)
            }
        }
        guard let interception = reference.useAroundWork(used) else {
            fatalError(
                """
                The interceptor of side effects "\(interceptor.name)" was added to "\(name)", which is a child or a scope. \
                Add it to the root of the tree.
                """
            )
        }
        return interception
    }
}

extension ArraySlice<WorkInterceptor> {
    /// Has a side effect pass through all of them.
    ///
    /// - Parameter body: does what it is for, and throws what that throws.
    /// - Returns: what the work returns.
    /// - Throws: what an interceptor or the work throws; ``StoreError/rejected(by:)`` if one did not pass it on.
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
                // What it takes the place of is released here, outside the lock.
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

/// What an interceptor has come to by calling `next`, perhaps several times at once: the outcome of its last call. Of
/// calls that overlap a success counts before a failure, and otherwise the one that began last.
private struct CallsOfNext<Value: Sendable> {
    /// Whether the interceptor has returned.
    var areOver = false
    private var begun = 0
    /// The call that counts of those that have ended, and how many had begun by its end: the later ones did not overlap
    /// with it.
    private var last: (call: Int, outcome: Result<Value, any Error>, begun: Int)?

    var outcome: Result<Value, any Error>? { last?.outcome }

    /// - Returns: The number of the call; nil if the interceptor has returned.
    mutating func begin() -> Int? {
        if areOver { return nil }
        begun += 1
        return begun
    }

    /// - Returns: What no longer counts.
    mutating func end(_ call: Int, with outcome: Result<Value, any Error>) -> Result<Value, any Error>? {
        if let last, call <= last.begun {
            // They overlapped: whoever hedges cancels the others after the first success, and these fail then.
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
