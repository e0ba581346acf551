import Synchronization

/// Decides on an action before the store accepts it, and may take its time: ask another service whether it is allowed,
/// or complete it with what that knows.
///
/// ```swift
/// let authorise = AsyncInterceptor<Shop.State, Shop.Action>("authorise") { action, _ in
///     guard case .refund(let order) = action else { return action }
///     return try await permissions.mayRefund(order) ? action : nil
/// }
/// store.use(authorise)
/// ```
///
/// It runs in the task that dispatches, outside the store's turn: nobody waits for it but that task. It may
/// - return the action, or another one in its place, with which the dispatch goes on;
/// - return nil: then `dispatch` throws ``StoreError/rejected(by:)`` with the interceptor's name;
/// - throw: a ``StoreError`` is thrown by `dispatch`, too; for other errors that is ``StoreError/rejected(by:)``, and
///   they reach ``Store/errors``.
///
/// If the task that dispatches is cancelled meanwhile, `dispatch` throws ``StoreError/cancelled`` whatever the
/// interceptor throws or returns, unless it returns nil. If it was cancelled before, only a `CancellationError` becomes
/// that.
///
/// What it decides on may be different when the action is reduced: others act meanwhile. What must hold then belongs
/// into the reducer, or into an ``Interceptor``, which an action comes to afterwards.
///
/// ## Which actions it sees
///
/// Those that somebody dispatches to the store, or to a scope of it, from outside, after
/// ``Store/use(_:)-(AsyncInterceptor<State,Action>)``, because a dispatch is the one who can wait. The order per sender
/// stays what it is: a task that dispatches goes on only when its action has been reduced, so what it does next comes
/// after. What it does not see:
/// - what is *sent*: ``Store/send(_:)-(Action)`` never waits, and were sent actions held back until they may pass,
///   either all would wait for the slowest, or they would overtake each other;
/// - what effects send, and what side effects send and dispatch by their context, which is the store's own; what they
///   dispatch to a store that they hold, it sees;
/// - what comes up from children, which is in the middle of a turn by then.
///
/// So what must not get past at all is for an ``Interceptor``, which sees everything.
///
/// What it dispatches to its own store passes through it again.
public struct AsyncInterceptor<State: Sendable, Action: Sendable>: Sendable {
    /// Names it in errors.
    public let name: String
    let body: @Sendable (Action, WeakStore<State, Action>) async throws -> Action?

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - name: Names it in errors and in ``StoreError/rejected(by:)``.
    ///   - body: What it does with an action. It is given a handle to the store, to read the state; it must not wait
    ///     for an action of its own task.
    public init(
        _ name: String,
        _ body: @escaping @Sendable (_ action: Action, _ store: WeakStore<State, Action>) async throws -> Action?
    ) {
        self.name = name
        self.body = body
    }
}

/// An asynchronous interceptor as one store uses it.
struct InstalledAsyncInterceptor<State: Sendable, Action: Sendable>: IdentifiedUse, Sendable {
    let identity: InterceptorIdentity
    let interceptor: AsyncInterceptor<State, Action>
}

/// The asynchronous interceptors of a root store, made when the first one comes.
///
/// They are looked at and changed out of the turn: a dispatch that waited for a turn to look at them could not be
/// cancelled meanwhile, and an observer that suspends the store can hold that up for any time.
@usableFromInline
final class AsyncInterceptorList: Sendable {
    /// How many there are, for a look without the lock.
    ///
    /// Pairs: the stores, under the lock, with the loads of dispatches that wait for the turn. A dispatch that begins
    /// after `add` has returned sees it, also in the turn; one that overlaps may go either way.
    @usableFromInline let count = AtomicValue<Int>(0)
    /// In the order in which they came; nil when the store has ended. Their type only the store knows.
    private let uses = LockedValue<[any IdentifiedUse & Sendable]?>([])

    /// In the order in which they came.
    var all: [any IdentifiedUse & Sendable] { uses.withLock { $0 ?? [] } }

    /// Adds one, unless the store has ended.
    func add(_ use: some IdentifiedUse & Sendable) { change { $0?.append(use) } }

    /// Takes one out.
    ///
    /// - Returns: it; nil if it has gone before.
    func remove(_ identity: InterceptorIdentity) -> (any IdentifiedUse & Sendable)? {
        change { uses in uses?.firstIndex { $0.identity === identity }.flatMap { uses?.remove(at: $0) } }
    }

    /// Takes all out, and adds none from now on, because the store has ended.
    func close() -> [any IdentifiedUse & Sendable] { change { $0.take() ?? [] } }

    private func change<Result>(_ body: (inout [any IdentifiedUse & Sendable]?) -> Result) -> Result {
        uses.withLock { uses in
            defer { count.storeReleasing(uses?.count ?? 0) }
            return body(&uses)
        }
    }
}

extension TreeRoot {
    /// Whether dispatches to the root ask asynchronous interceptors first.
    @inlinable final var hasAsyncInterceptors: Bool {
        guard let list = asyncInterceptors.load() else { return false }
        return list.count.loadAcquiring() > 0
    }
}

extension StoreCore {
    private typealias Installed = InstalledAsyncInterceptor<State, Action>

    /// Has dispatches that begin from now on pass through an asynchronous interceptor.
    func use(_ interceptor: AsyncInterceptor<State, Action>) -> Interception {
        let installed = Installed(identity: InterceptorIdentity(), interceptor: interceptor)
        let list = asyncInterceptors.load() ?? asyncInterceptors.storeIfNil(AsyncInterceptorList())
        list.add(installed)
        submit { core in
            // If it was the first one, the end has found no list.
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

    /// Takes all of them out, because the store has ended.
    func uninstallAsyncInterceptors() {
        guard let list = asyncInterceptors.load() else { return }
        deferred.abandon(list.close())
        asyncInterceptorsChanged()
    }

    /// Has dispatches that find the store idle look whether there are any. In the turn.
    private func asyncInterceptorsChanged() { extras.set(.asyncInterceptors, to: hasAsyncInterceptors) }

    /// Has an action pass through the asynchronous interceptors before it is accepted.
    ///
    /// - Parameter acceptance: The wait to be accepted, if the dispatch has a limit for it.
    /// - Returns: the action to go on with.
    /// - Throws: why it is not to be accepted.
    @usableFromInline
    func askFirst(
        _ action: Action,
        acceptance: AcceptanceWait? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(StoreError) -> Action {
        if isClosed { throw refusal }
        // A task that was cancelled before may dispatch nevertheless, to leave everything in order.
        let wasCancelled = acceptance?.wasCancelled ?? Task.isCancelled
        // Those that are there now, whatever comes and goes while this waits.
        let uses = asyncInterceptors.load()?.all ?? []
        // They may look at the state, and are not to be asked in vain if there will be none.
        if let loading, !hasState { try? await loading.waiters.finish(despiteCancellation: wasCancelled) }
        if Task.isCancelled && !wasCancelled {
            acceptance?.noteEnd()
            throw .cancelled
        }
        var action = action
        for installed in uses {
            guard let installed = installed as? Installed else { continue }
            // Again, because the wait for the first state, or for the answer of the one before, can have been long.
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
                // Whoever dispatches has been told to give up, whether the interceptor has noticed or not.
                if Task.isCancelled && !wasCancelled { throw StoreError.cancelled }
                return action
            }
        } catch let failure where Task.isCancelled && (!wasCancelled || failure is CancellationError) {
            // Whatever it has made of its cancellation, it is no decision about the action.
            acceptance?.noteEnd()
            throw .cancelled
        } catch let error as StoreError {
            throw reject(action, error)
        } catch {
            inTurn { [self] in report(error, ofInterceptor: interceptor.name) }
        }
        throw reject(action, .rejected(by: interceptor.name))
    }

    /// Counts an action that an asynchronous interceptor has stopped, and tells instruments.
    ///
    /// - Returns: The error.
    private func reject(_ action: Action, _ error: StoreError) -> StoreError {
        noteRejection()
        instrumentRegistry.load()?.drop(1, action, because: .rejected(error))
        return error
    }
}
