extension Store {
    /// Waits until the first state has been loaded; returns at once for a store that loads none.
    ///
    /// - Throws: what the loading threw, ``StoreError/shutDown`` if the store was shut down before, or a
    ///   `CancellationError` if the calling task is cancelled while it waits; the loading goes on then.
    public func ready(isolation: isolated (any Actor)? = #isolation) async throws {
        try await root.loading?.wait()
    }

    /// How far the store has come in its life, at this moment.
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
    /// Ends the store's life in order.
    ///
    /// From the moment of the call, actions from outside are refused: `dispatch` throws ``StoreError/shutDown``, `send`
    /// returns it. What was accepted before is reduced. Running effects are awaited or cancelled, as `drain` says; in
    /// both cases this returns only when all of them have ended, so that an effect that ignores its cancellation delays
    /// it, unless there is a limit. Then the observers' sequences
    /// end, after the newest value. The state stays readable.
    ///
    /// If the first state is still being loaded, and actions wait for it, ``ShutdownDrain/finishEffects`` lets the
    /// loading end, and they are reduced; otherwise the loading is cancelled.
    ///
    /// In a tree, a root ends with all stores below it. A child ends alone, with those below *it*: its own effects and
    /// observers end, and its parent and all others go on. A scope is shut down with the store that it is a scope of.
    ///
    /// Cancelling the calling task cancels the effects that are still awaited, and the loading. When an effect of the
    /// store calls this, or a task that such an effect has started, it does not wait for that effect, nor for others
    /// that wait for it: by a ``StoreTask``, in a queue, or by a shutdown of their own. Work is part of an effect when
    /// it runs in the task of the effect, in a child task of that, or in a `Task { }` that the effect makes, and not
    /// when it runs in a `Task.detached`: a shutdown by that waits for the effect. Further calls wait for the same end.
    /// Effects of different trees that wait for each other can wait for ever, as soon as one of them waits by way of a
    /// queue of another tree, or of the shutdown of one, as two that shut down each other's store do: across trees this
    /// follows ``StoreTask``s, and that effects of the stores of a group shut the group down, but not all that comes of
    /// both together. Give one of them a deadline.
    ///
    /// An effect that waits for the end of a store below this one, by ``run(endingWithin:clock:isolation:)``, or that
    /// follows a sequence of this store or of one below to its end, such as `values(of:)` or ``actions``, never ends by
    /// itself, because all of that ends with this store: cancel such effects with ``ShutdownDrain/cancelEffects``, or
    /// set a limit.
    ///
    /// An effect of the store that calls this is not cancelled by it, so that it can go on with what comes after the
    /// end: save the last state, or shut down the next store. What it sends once the store has ended, or after its call
    /// with ``ShutdownDrain/cancelEffects``, is dropped, also the action that its `catch` makes of an error; an error
    /// without that is reported. Only another caller can cancel it: by its ``StoreTask``, or by another shutdown that
    /// waits for it. The release of the store does not, because that has ended already: let such an effect return when
    /// it is done.
    ///
    /// ## Within a time
    ///
    /// ```swift
    /// let report = await store.shutdown(drain: .finishEffects, within: .seconds(25))
    /// for effect in report.unfinishedEffects { logger.error("\(effect)") }
    /// ```
    ///
    /// When the time is over the store ends, whatever its effects do, so that this always returns. With
    /// ``ShutdownDrain/finishEffects`` the effects that still run shortly before are cancelled, so that those that obey
    /// have the rest of the time to end; so is the loading of the first state. Those that do not are in the report, and
    /// each is reported to ``errors`` once, as ``EffectStillRunning``, before the observers' sequences end. (If such an
    /// effect has ended the store itself, they have ended already, and only an observer that begins later gets it.)
    /// They go on until they please to end, and what they send is dropped. An effect of the store that calls this
    /// itself is neither cancelled nor reported.
    ///
    /// While an observer suspends a tree, a child of it ends at the deadline without what it had accepted: its
    /// dispatchers get ``StoreError/shutDown``, and what was sent is counted in ``StoreStatistics/lateActions``. A
    /// shutdown of the whole tree waits for no observer.
    ///
    /// What can hold this up longer is code that blocks the store's turn, which nothing may: a reducer, an interceptor,
    /// or an observer that does not return. So do effects that block all threads of ``StoreConfiguration/executor``, or
    /// of the global executor: see ``Effect/on(_:)``.
    ///
    /// - Parameters:
    ///   - drain: What happens to running effects; with a limit, what happens to them first.
    ///   - limit: How much time there is in all; nil for as long as it takes.
    ///   - reserve: How much of it is left to effects that have to be cancelled; a tenth unless something else is said.
    ///   - clock: Measures the time; a test gives one of its own.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    /// - Returns: what is left running, which is nothing without a limit, and how long it took.
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
            // It ends without its loading if another shutdown, with a limit, has given that up.
            let isLoading = root.loading?.isAbandoned == true
            return ShutdownReport(unfinishedEffects: [], isLoading: isLoading, duration: stopwatch.elapsed())
        }
        return await root.shutdown(of: node, drain: drain, within: limit, reserving: reserve, clock: clock)
    }

    /// Begins to end the store's life, as ``shutdown(drain:within:reserving:clock:isolation:)`` does, without waiting:
    /// the store ends when the effects have ended. For those of the package who cannot wait, such as a test store
    /// that is released.
    ///
    /// This does not keep the store alive. If its last reference is released before the effects have ended, they are
    /// cancelled, as with every release: hold the store until ``run(endingWithin:clock:isolation:)`` returns, or use
    /// ``shutdown(drain:within:reserving:clock:isolation:)``. An effect of the store that calls this is not cancelled
    /// by it, nor by those that this cancels and that wait for it; the store ends when the effect has ended, too. If a
    /// side effect calls this, an effect that waits for its value is cancelled when the side effect is over.
    ///
    /// - Parameter drain: What happens to running effects. A later call, or a shutdown, can still cancel what this one
    ///   has left running.
    package nonisolated func beginShutdown(drain: ShutdownDrain) {
        // A reducer is no part of the effect on whose thread it may run.
        let caller = CurrentThread.isWriting ? nil : EffectJob.current
        root.beginShutdown(for: EffectWaiter(node: node, caller: caller, request: .begun), drain)
    }

    /// Waits until the store has ended.
    ///
    /// Returns when the store has been shut down, by any caller. If the task that calls it is cancelled, it shuts the
    /// store down with ``ShutdownDrain/cancelEffects`` and returns when that is done. The store works whether or not
    /// this method has been called.
    ///
    /// An effect of a store above a child can call this for the child. It then holds up the shutdown of that store with
    /// ``ShutdownDrain/finishEffects``, with which the child would end: give that a limit.
    ///
    /// This is not yet a service of swift-service-lifecycle: a graceful shutdown does not cancel the task, so that it
    /// would wait for this method without end. <doc:RunningAService> has the adapter.
    ///
    /// An effect of another store that calls this waits for itself if an effect of this store awaits the ``StoreTask``
    /// of that one: until one of the two is cancelled. Two effects of stores of different trees that call this for each
    /// other's store wait for each other for good, because each store waits for the effect that waits for the other
    /// one: use ``run(endingWithin:clock:isolation:)`` in one of them. Neither is noticed.
    ///
    /// - Parameters:
    ///   - limit: The time that effects have to end after the task was cancelled; `nil` to wait as long as they run.
    ///     Effects that exceed it are reported to ``errors``, as ``EffectStillRunning``, and the method returns.
    ///   - clock: The clock that measures the limit.
    ///   - isolation: The caller's actor.
    /// - Throws: what the loading of the first state threw, if the store loads one and that has failed; then the store
    ///   has been shut down. ``StoreError/awaitsItself`` if the caller is an effect of the store, or of one below it,
    ///   without whose end the store does not end; a `Task.detached` is not part of the effect that starts it, so that
    ///   it waits.
    public func run(
        endingWithin limit: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        // An effect of the store may be waiting for the end of the one that calls this, because it shuts down a store
        // above.
        try await root.run(node) { root, shutdown, end in
            guard let limit else { return root.beginShutdown(for: shutdown, .cancelEffects) }
            // A task of its own, because the cancelled one cannot wait for the deadline.
            Task.detached(executorPreference: root.configuration.executor) {
                await root.end(shutdown, within: limit, clock)
                end.settle(())
            }
        }
    }
}

extension TreeRoot {
    /// Cancels effects, and waits for the end no longer than a time limit says.
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
