extension Store {
    /// Waits until the first state has been loaded. Returns immediately for a store that loads none.
    ///
    /// - Parameter isolation: The actor on which this runs; by default the caller's.
    /// - Throws: The error of the loading; ``StoreError/shutDown`` if the store was shut down first; a
    ///   `CancellationError` if the calling task is cancelled while it waits, in which case loading continues.
    public func ready(isolation: isolated (any Actor)? = #isolation) async throws {
        try await root.loading?.wait()
    }

    /// The current phase of the store's life cycle.
    public nonisolated var phase: StorePhase {
        let root = root
        if case .view(let scopeNode) = backing, scopeNode.isRefusing {
            return scopeNode.hasLeft ? .ended : .shuttingDown
        }
        switch node.phaseInTree {
        case .ready: return .ready
        case .loading: return .loading
        case .failed: return .failed(root.loading?.error ?? StoreError.notReady)
        case .shuttingDown: return .shuttingDown
        case .ended: return .ended
        }
    }
}

extension Store {
    /// Shuts the store down gracefully.
    ///
    /// From the moment of the call, actions from outside are refused: `dispatch` throws ``StoreError/shutDown``, and
    /// `send` returns it. Actions accepted before are reduced. Running effects are awaited or cancelled, depending on
    /// `drain`. In both cases the call returns only when all of them have ended: an effect that ignores cancellation
    /// delays it, unless there is a limit. Then the observers' sequences finish, after the newest value. The state
    /// stays readable; if a store has not loaded its first state, it is still the initial one.
    ///
    /// If the first state is still being loaded and actions wait for it, ``ShutdownDrain/finishEffects`` lets loading
    /// finish, and the actions are reduced. Otherwise loading is cancelled.
    ///
    /// In a tree, a root ends with all stores below it. A child ends with the stores below *it*: its own effects and
    /// observers end, while its parent and all other stores continue. Shutting down a scope shuts down the store that
    /// it is a scope of.
    ///
    /// Cancelling the calling task cancels the effects that are still awaited, and the loading. Further calls wait for
    /// the same end.
    ///
    /// ## Calls from effects
    ///
    /// When an effect of the store makes this call, or a task that such an effect has started, the call does not wait
    /// for that effect, nor for effects that wait for it: through a ``StoreTask``, in a queue, or by a shutdown of
    /// their own. Work is part of an effect when it runs in the effect's task, in a child task of it, or in a
    /// `Task { }` that the effect creates. A `Task.detached` is not part of it: a shutdown from there waits for the
    /// effect.
    ///
    /// The effect that calls this is not cancelled by it, so it can continue after the end: save the last state, or
    /// shut down the next store. Actions that it sends once the store has ended, or after its call with
    /// ``ShutdownDrain/cancelEffects``, are dropped. So is the action that its `catch` returns for an error; an error
    /// without such an action is reported. Only another caller can cancel the effect: through its ``StoreTask``, or by
    /// another shutdown that waits for it. Releasing the store does not cancel it, because the store has already ended.
    /// Let such an effect return when it is done.
    ///
    /// Two kinds of effects never end on their own, because what they wait for ends with this store: an effect that
    /// waits for a store below this one through ``run(endingWithin:clock:isolation:)``, and one that iterates a
    /// sequence of this store or of one below it to its end, such as `values(of:)` or ``actions``. Cancel such effects
    /// with ``ShutdownDrain/cancelEffects``, or set a limit.
    ///
    /// Effects of different trees that wait for each other can deadlock when one of them waits through a queue of
    /// another tree or through the shutdown of one, such as two effects that shut down each other's store. Across
    /// trees, only two kinds of waiting are detected: through ``StoreTask``s, and by effects of a group's stores that
    /// shut the group down; not every combination of both. Give one of the waits a deadline.
    ///
    /// ## Time limit
    ///
    /// ```swift
    /// let report = await store.shutdown(drain: .finishEffects, within: .seconds(25))
    /// for effect in report.unfinishedEffects { logger.error("\(effect)") }
    /// ```
    ///
    /// When the limit is over, the store ends even if effects are still running, so the call always returns. With
    /// ``ShutdownDrain/finishEffects``, effects that still run shortly before the limit are cancelled, so that those
    /// that respond have the remaining time to end; so is the loading of the first state. The others are listed in the
    /// report, and ``errors`` publishes each once, as an ``EffectStillRunning``, before the observers' sequences
    /// finish. (If such an effect has ended the store itself, the sequences have finished already, and only an observer
    /// that starts later receives the error.) These effects continue until they return, and what they send is dropped.
    /// An effect of the store that makes this call is neither cancelled nor reported.
    ///
    /// While an observer suspends a tree, a child of it ends at the deadline without reducing what it had accepted: its
    /// dispatchers receive ``StoreError/shutDown``, and what was sent is counted in ``StoreStatistics/lateActions``. A
    /// shutdown of the whole tree waits for no observer.
    ///
    /// Code that blocks can delay the call beyond the limit: a reducer, an interceptor or an observer that blocks the
    /// store's turn and does not return, which none of them may do; or effects that block all threads of
    /// ``StoreConfiguration/executor`` or of the global executor (see ``Effect/on(_:)``). Accepted actions are reduced
    /// first, however many they are, and effects are cancelled only after those that were accepted before: bound the
    /// mailbox if their number times the time of a reduction can exceed the limit.
    ///
    /// - Parameters:
    ///   - drain: Whether running effects are awaited or cancelled; with a limit, what happens to them first.
    ///   - limit: The time limit of the whole shutdown; nil for none.
    ///   - reserve: The part of the limit that is left to effects that have to be cancelled; by default a tenth.
    ///   - clock: The clock that measures the time; a test can pass its own.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Returns: A report of what is still running, apart from a calling effect and those that wait for it, and of the
    ///   duration. Without a limit, nothing is still running, unless another shutdown has stopped waiting for the
    ///   loading.
    @discardableResult
    public func shutdown(
        drain: ShutdownDrain,
        within limit: Duration? = nil,
        reserving reserve: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        isolation: isolated (any Actor)? = #isolation
    ) async -> ShutdownReport {
        guard let limit else {
            let stopwatch = Stopwatch(clock)
            await root.shutdown(of: node, drain: drain)
            // The store ends without its loading if another shutdown, with a limit, has abandoned that.
            let isLoading = root.loading?.isAbandoned == true
            return ShutdownReport(unfinishedEffects: [], isLoading: isLoading, duration: stopwatch.elapsed())
        }
        return await root.shutdown(of: node, drain: drain, within: limit, reserving: reserve, clock: clock)
    }

    /// Starts a shutdown as ``shutdown(drain:within:reserving:clock:isolation:)`` does, without waiting: the store ends
    /// when the effects have ended. For callers in the package that cannot wait, such as a test store that is released.
    ///
    /// The call does not retain the store. If the last reference is released before the effects have ended, they are
    /// cancelled, as with every release: hold the store until ``run(endingWithin:clock:isolation:)`` returns, or use
    /// ``shutdown(drain:within:reserving:clock:isolation:)``. An effect of the store that makes this call is not
    /// cancelled by it, nor by effects that the call cancels and that wait for the caller; the store ends when that
    /// effect has ended, too. If a side effect makes this call, an effect that waits for its value is cancelled when
    /// the side effect is over.
    ///
    /// - Parameter drain: Whether running effects are awaited or cancelled. A later call, or a shutdown, can still
    ///   cancel what this one has left running.
    package nonisolated func beginShutdown(drain: ShutdownDrain) {
        // A reducer is not part of the effect on whose thread it may run.
        let caller = CurrentThread.isWriting ? nil : EffectJob.current
        root.beginShutdown(for: EffectWaiter(node: node, caller: caller, request: .begun), drain)
    }

    /// Waits until the store has ended.
    ///
    /// Returns when the store has been shut down by any caller. If the calling task is cancelled, this shuts the store
    /// down with ``ShutdownDrain/cancelEffects``, and returns when that is done. The store works whether or not this
    /// method has been called.
    ///
    /// An effect of a store above a child can call this for the child. It then delays a shutdown of that store with
    /// ``ShutdownDrain/finishEffects``, which would end the child: give the shutdown a limit.
    ///
    /// This is not a service of swift-service-lifecycle: a graceful shutdown does not cancel the task, and would wait
    /// for this method for ever. <doc:RunningAService> has the adapter.
    ///
    /// Two deadlocks are not detected:
    /// - An effect of another store calls this, and an effect of this store awaits that effect's ``StoreTask``. Cancel
    ///   one of the two.
    /// - Two effects of stores of different trees call this for each other's store. Shut one of the stores down with a
    ///   limit. The limit of this call does not help, because it begins with a cancellation.
    ///
    /// - Parameters:
    ///   - limit: The time that effects have to end after the task was cancelled; nil for no limit. Effects that exceed
    ///     it are published by ``errors`` as ``EffectStillRunning``, and the method returns.
    ///   - clock: The clock that measures the limit; a test can pass its own.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Throws: The error of the loading, if the store loads its first state and that has failed; then the store has
    ///   been shut down. ``StoreError/awaitsItself`` if the caller is an effect of the store, or of one below it, and
    ///   the store cannot end before the effect; a `Task.detached` is not part of the effect that starts it, so it
    ///   waits.
    public func run(
        endingWithin limit: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        // An effect of the store may be waiting for the end of the calling effect, because it shuts down a store above.
        try await root.run(node) { root, shutdown, end in
            guard let limit else { return root.beginShutdown(for: shutdown, .cancelEffects) }
            // Uses a separate task, because the cancelled one cannot wait for the deadline.
            Task.detached(executorPreference: root.configuration.executor) {
                await root.end(shutdown, within: limit, clock)
                end.settle(())
            }
        }
    }
}

extension TreeRoot {
    /// Cancels effects, and waits for them to end, up to a time limit.
    fileprivate final func end(
        _ shutdown: EffectWaiter,
        within limit: Duration,
        _ clock: some Clock<Duration>,
        isolation: isolated (any Actor)? = #isolation
    ) async {
        let start = clock.now
        beginShutdown(for: shutdown, .cancelEffects)
        _ = await wait(for: shutdown, .cancelEffects, since: start, within: limit, reserving: nil, clock: clock)
    }
}

/// Creates a store for the duration of `body`, and shuts it down when `body` returns or throws.
///
/// ```swift
/// let total = try await withStore(initialState: Orders.State(), reducer: Orders()) { store in
///     try await process(requests, with: store)
///     return store.snapshot.total
/// }
/// // No effect of the store runs any more.
/// ```
///
/// When `body` returns, the store is shut down as `drain` says; when it throws, effects are cancelled. Effects are also
/// cancelled if the calling task is cancelled, but only after `body` has returned or thrown: they run as long as it
/// does. In each case this function returns or throws when the effects have ended, so an effect that ignores
/// cancellation delays it.
///
/// - Parameters:
///   - initialState: The state before the first action.
///   - reducer: The reducer that changes the state and returns effects.
///   - interceptors: The interceptors between senders and the reducer, the outermost first.
///   - configuration: The name, mailbox capacity, priority and executor.
///   - drain: Whether running effects are awaited or cancelled when `body` returns.
///   - body: A closure that uses the store. Afterwards the store accepts no more actions, even if it is still retained.
///   - isolation: The actor on which this runs; by default the caller's.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`.
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

/// Creates a store whose reducer is a closure without effects for the duration of `body`, and shuts it down when `body`
/// returns or throws.
///
/// - Parameters:
///   - initialState: The state before the first action.
///   - interceptors: The interceptors between senders and the reducer, the outermost first.
///   - configuration: The name, mailbox capacity, priority and executor.
///   - reduce: A closure that changes the state.
///   - body: A closure that uses the store. Afterwards the store accepts no more actions, even if it is still retained.
///   - isolation: The actor on which this runs; by default the caller's.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`.
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
