import Synchronization

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
    /// - Parameter patience: That of the dispatch, if it has limits.
    /// - Returns: the action to go on with.
    /// - Throws: why it is not to be accepted.
    @usableFromInline
    func askFirst(
        _ action: Action,
        patience: DispatchPatience? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(StoreError) -> Action {
        if isClosed { throw refusal }
        // A task that was cancelled before may dispatch nevertheless, to leave everything in order.
        let wasCancelled = patience?.wasCancelled ?? Task.isCancelled
        // Those that are there now, whatever comes and goes while this waits.
        let uses = asyncInterceptors.load()?.all ?? []
        // They may look at the state, and are not to be asked in vain if there will be none.
        if let loading, !hasState { try? await loading.waiters.finish(despiteCancellation: wasCancelled) }
        if Task.isCancelled && !wasCancelled {
            patience?.noteEnd()
            throw .cancelled
        }
        var action = action
        for installed in uses {
            guard let installed = installed as? Installed else { continue }
            // Again, because the wait for the first state, or for the answer of the one before, can have been long.
            if isClosed { throw refusal }
            action = try await pass(action, through: installed.interceptor, wasCancelled: wasCancelled, patience)
        }
        return action
    }

    private func pass(
        _ action: Action,
        through interceptor: AsyncInterceptor<State, Action>,
        wasCancelled: Bool,
        _ patience: DispatchPatience?,
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
            patience?.noteEnd()
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
        instrumentPanel.load()?.drop(1, action, because: .rejected(error))
        return error
    }
}
