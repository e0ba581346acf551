import Synchronization

/// Middleware that decides on a dispatched action before the store accepts it, and can suspend. For example, it asks
/// another service whether the action is allowed, or completes the action with data from that service.
///
/// ```swift
/// let authorise = AsyncInterceptor<Shop.State, Shop.Action>("authorise") { action, _ in
///     guard case .refund(let order) = action else { return action }
///     return try await permissions.mayRefund(order) ? action : nil
/// }
/// store.use(authorise)
/// ```
///
/// It runs in the dispatching task, outside the store's turn, so only that task waits for it. It can
/// - return the action, or another one in its place, with which the dispatch continues;
/// - return `nil`: `dispatch` then throws ``StoreError/rejected(by:)`` with the interceptor's name;
/// - throw a ``StoreError``: `dispatch` then throws that error;
/// - throw any other error: `dispatch` then throws ``StoreError/rejected(by:)``, and ``Store/errors`` publishes the
///   error.
///
/// If the dispatching task is cancelled during the dispatch, `dispatch` throws ``StoreError/cancelled`` whatever the
/// interceptor throws or returns, unless it returns `nil`. If the task was cancelled before, only a `CancellationError`
/// becomes ``StoreError/cancelled``.
///
/// The state can change between the decision and the reduction of the action. Checks that must hold when the action is
/// reduced belong in the reducer, or in an ``Interceptor``, which receives the action afterwards.
///
/// ## Which actions it receives
///
/// It receives actions that are dispatched to the store, or to a scope of it, from outside, after
/// ``Store/use(_:)-(AsyncInterceptor<State,Action>)``, because only a dispatch can wait. The order per sender does not
/// change: a dispatching task continues only after its action has been reduced, so what it does next comes later. It
/// does not receive:
/// - *sent* actions: ``Store/send(_:)-(Action)`` never waits. If sent actions were held back, either all of them would
///   wait for the slowest, or they would overtake each other;
/// - actions that effects send, and actions that side effects send or dispatch through their context, which is the
///   store's own. It does receive actions that effects dispatch to a store that they hold;
/// - actions that child stores forward, because these arrive in the middle of a turn.
///
/// For checks that no action may bypass, use an ``Interceptor``, which receives every action.
///
/// Actions that it dispatches to its own store pass through it again.
public struct AsyncInterceptor<State: Sendable, Action: Sendable>: Sendable {
    /// The name of the interceptor in errors.
    public let name: String
    let body: @Sendable (Action, WeakStore<State, Action>) async throws -> Action?

    /// Creates an asynchronous interceptor.
    ///
    /// - Parameters:
    ///   - name: The name of the interceptor in errors and in ``StoreError/rejected(by:)``.
    ///   - body: The closure that decides on each action. It receives a handle to the store for reading the state. It
    ///     must not wait for an action that its own task dispatches.
    public init(
        _ name: String,
        _ body: @escaping @Sendable (_ action: Action, _ store: WeakStore<State, Action>) async throws -> Action?
    ) {
        self.name = name
        self.body = body
    }
}

/// An asynchronous interceptor in use by one store.
struct InstalledAsyncInterceptor<State: Sendable, Action: Sendable>: IdentifiedUse, Sendable {
    let identity: InterceptorIdentity
    let interceptor: AsyncInterceptor<State, Action>
}

/// The asynchronous interceptors of a root store, created for the first one.
///
/// They are read and changed outside the turn. A dispatch that waited for the turn to read them could not be cancelled
/// during the wait, which an observer that suspends the store can prolong indefinitely.
@usableFromInline
final class AsyncInterceptorList: Sendable {
    /// The number of interceptors, for checks without the lock.
    ///
    /// Pairs: the stores, under the lock, with the loads of dispatches that wait for the turn. A dispatch that begins
    /// after `add` has returned sees the new count, also within the turn. A concurrent dispatch may see either count.
    @usableFromInline let count = AtomicValue<Int>(0)
    /// In the order in which they were added; nil once the store has ended. Type-erased: only the store has the types.
    private let uses = LockedValue<[any IdentifiedUse & Sendable]?>([])

    /// All interceptors, in the order in which they were added.
    var all: [any IdentifiedUse & Sendable] { uses.withLock { $0 ?? [] } }

    /// Adds an interceptor, unless the store has ended.
    func add(_ use: some IdentifiedUse & Sendable) { change { $0?.append(use) } }

    /// Removes an interceptor.
    ///
    /// - Returns: The interceptor; `nil` if it was removed before.
    func remove(_ identity: InterceptorIdentity) -> (any IdentifiedUse & Sendable)? {
        change { uses in uses?.firstIndex { $0.identity === identity }.flatMap { uses?.remove(at: $0) } }
    }

    /// Removes all interceptors and ignores later additions, because the store has ended.
    func close() -> [any IdentifiedUse & Sendable] { change { $0.take() ?? [] } }

    private func change<Result>(_ body: (inout [any IdentifiedUse & Sendable]?) -> Result) -> Result {
        uses.withLock { uses in
            defer { count.storeReleasing(uses?.count ?? 0) }
            return body(&uses)
        }
    }
}

extension TreeRoot {
    /// Whether dispatches to the root pass through asynchronous interceptors first.
    @inlinable final var hasAsyncInterceptors: Bool {
        guard let list = asyncInterceptors.load() else { return false }
        return list.count.loadAcquiring() > 0
    }
}

extension StoreCore {
    private typealias Installed = InstalledAsyncInterceptor<State, Action>

    /// Adds an asynchronous interceptor for all dispatches that begin from now on.
    func use(_ interceptor: AsyncInterceptor<State, Action>) -> Interception {
        let installed = Installed(identity: InterceptorIdentity(), interceptor: interceptor)
        let list = asyncInterceptors.load() ?? asyncInterceptors.storeIfNil(AsyncInterceptorList())
        list.add(installed)
        submit { core in
            // If this is the first interceptor, the end of the store has found no list.
            if core.lifecycle.isEnded { core.uninstallAsyncInterceptors() }
            core.asyncInterceptorsChanged()
        }
        return Interception(installed.identity) { [weak self] identity in
            guard let self, let removed = asyncInterceptors.load()?.remove(identity) else { return }
            submit { core in
                core.deferred.abandon(removed)
                core.asyncInterceptorsChanged()
            }
        }
    }

    /// Removes all asynchronous interceptors, because the store has ended.
    func uninstallAsyncInterceptors() {
        guard let list = asyncInterceptors.load() else { return }
        deferred.abandon(list.close())
        asyncInterceptorsChanged()
    }

    /// Updates the flag that dispatches to an idle store check. Called within the turn.
    private func asyncInterceptorsChanged() { extras.set(.asyncInterceptors, to: hasAsyncInterceptors) }

    /// Passes an action through the asynchronous interceptors before it is accepted.
    ///
    /// - Parameter acceptance: The limited wait for acceptance, if the dispatch has one.
    /// - Returns: The action to continue with.
    /// - Throws: The reason why the action is not accepted.
    @usableFromInline
    func askFirst(
        _ action: Action,
        acceptance: AcceptanceWait? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(StoreError) -> Action {
        if isClosed { throw refusal }
        // A task that was cancelled before may still dispatch, to clean up.
        let wasCancelled = acceptance?.wasCancelled ?? Task.isCancelled
        // A snapshot: interceptors that are added or removed during the wait do not count.
        let uses = asyncInterceptors.load()?.all ?? []
        // The interceptors may read the state, and must not be asked in vain if loading fails.
        if let loading, !hasState { try? await loading.waiters.finish(despiteCancellation: wasCancelled) }
        if Task.isCancelled && !wasCancelled {
            acceptance?.noteEnd()
            throw .cancelled
        }
        var action = action
        for installed in uses {
            guard let installed = installed as? Installed else { continue }
            // Again, because waiting for the first state or for the previous interceptor can take long.
            if isClosed { throw refusal }
            action = try await pass(action, through: installed.interceptor, wasCancelled: wasCancelled, acceptance)
        }
        return action
    }

    private func pass(
        _ action: Action,
        through interceptor: AsyncInterceptor<State, Action>,
        wasCancelled: Bool,
        _ acceptance: AcceptanceWait?,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(StoreError) -> Action {
        do {
            if let action = try await interceptor.body(action, WeakStore(core: self)) {
                // The dispatching task was cancelled, whether the interceptor has noticed or not.
                if Task.isCancelled && !wasCancelled { throw StoreError.cancelled }
                return action
            }
        } catch let failure where Task.isCancelled && (!wasCancelled || failure is CancellationError) {
            // Whatever the interceptor did when it was cancelled, that is no decision about the action.
            acceptance?.noteEnd()
            throw .cancelled
        } catch let error as StoreError {
            throw reject(action, error)
        } catch {
            inTurn { [self] in report(error, ofInterceptor: interceptor.name) }
        }
        throw reject(action, .rejected(by: interceptor.name))
    }

    /// Counts an action that an asynchronous interceptor rejected, and notifies instruments.
    ///
    /// - Returns: The error.
    private func reject(_ action: Action, _ error: StoreError) -> StoreError {
        noteRejection()
        instrumentRegistry.load()?.drop(1, action, because: .rejected(error))
        return error
    }
}
