import Synchronization

// What a caller does if it finds the store idle: it takes the turn, and reduces its action on the spot. What it leaves
// to others is in `StoreCore+Mailbox.swift`, and the turn of trees in `TreeRoot+Turn.swift`.

extension StoreCore {
    /// Accepts an action from outside, and reduces it at once if the store is idle.
    @inlinable
    func send(_ action: Action) -> SendOutcome {
        guard gate.beginIfIdle() else { return outcome(of: post(.action(action))) }
        guard !extras.containsAny(of: .slowPath) else { return sendFully(action) }
        let effect = reducePlainly(action)
        guard effect.isNone else { return finishSend(effect, of: action) }
        if !gate.endIfUndisturbed() { leaveWriting() }
        return .accepted
    }

    /// Finishes an uncontended turn in which something came up. Never inlined, so that callers are small enough for the
    /// fast path to be inlined.
    @usableFromInline
    @inline(never)
    func leaveWriting() {
        progress.insert(.writing)
        leave()
    }

    /// Finishes ``send(_:)`` for an action that returned an effect.
    @inlinable
    @inline(never)
    func finishSend(_ effect: Effect<Action>, of action: Action) -> SendOutcome {
        gate.endWriting()
        // The tasks are started after the turn has been passed on, so that effects that end at once find the store
        // idle.
        deferStart(takeOn(effect, of: action))
        leave()
        return .accepted
    }

    /// Finishes ``send(_:)`` for a store that has observers or interceptors, or is being shut down.
    @inlinable
    func sendFully(_ action: Action) -> SendOutcome {
        inTakenTurn {
            guard lifecycle.isOpen else { return .refused(refusal) }
            // Checked here, because looking up the store's conformance costs more than the rest of the turn.
            if case .success(let pending) = reduceFully(action), pending.isNeeded { deferStart(pending) }
            return .accepted
        }
    }

    /// Accepts actions from outside that are reduced as one turn.
    @inlinable
    func send(contentsOf actions: some Sequence<Action>) -> SendOutcome {
        // Outside the turn, because the sequence may run code of the caller.
        let actions = Array(actions)
        guard gate.beginIfIdle() else { return outcome(of: post(.batch(actions))) }
        return inTakenTurn {
            guard lifecycle.isOpen else { return .refused(refusal) }
            deferStart(reduceFully(batch: actions))
            return .accepted
        }
    }

    /// Dispatches an action and returns once it has been reduced; see ``Store/dispatch(_:)-(Action)``.
    ///
    /// - Parameter acceptance: The wait for acceptance, if it is limited.
    @inlinable
    func dispatch(
        _ action: Action,
        acceptance: AcceptanceWait? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(StoreError) -> StoreTask {
        switch dispatchAtOnce(action) {
        case .reduced: return .empty
        case .asked: return finishDispatch(of: action)
        case .begun: if let result = dispatchInTakenTurn(action) { return try result.get() }
        case .busy: break
        }
        return try await dispatchContended(action, acceptance: acceptance)
    }

    /// Reduces an action if the store is idle, or becomes idle within about a microsecond, and if the turn consists of
    /// the reducer alone.
    @inlinable
    func dispatchAtOnce(_ action: Action) -> DispatchAttempt {
        guard gate.beginIfIdle() || gate.beginSoon() else { return .busy }
        guard !extras.containsAny(of: .slowPath) else { return .begun }
        let effect = reducePlainly(action)
        guard effect.isNone else {
            keepForDispatcher(effect)
            return .asked
        }
        if !gate.endIfUndisturbed() { leaveWriting() }
        return .reduced
    }

    /// Dispatches an action, as ``dispatch(_:acceptance:isolation:)`` does, if this is possible without waiting.
    ///
    /// - Returns: `nil` if the store is busy or has asynchronous interceptors. Nothing has happened then.
    @inlinable
    func dispatchWithoutWaiting(_ action: Action) -> Result<StoreTask, StoreError>? {
        switch dispatchAtOnce(action) {
        case .reduced: .success(.empty)
        case .asked: .success(finishDispatch(of: action))
        case .begun: dispatchInTakenTurn(action)
        case .busy: nil
        }
    }

    // Separate, so that it is not inlined into callers.
    @inlinable
    @inline(never)
    func keepForDispatcher(_ effect: Effect<Action>) { newEffects.append((effect, 0)) }

    /// Continues the turn of ``dispatchAtOnce(_:)`` in which an action returned an effect.
    @inlinable
    @inline(never)
    func finishDispatch(of action: Action) -> StoreTask {
        gate.endWriting()
        // Here, where the types are known.
        let pending = takeOn(newEffects.removeLast().effect, of: action)
        // The turn is left first, so that effects that end at once find the store idle.
        leave()
        return begin(pending)
    }

    /// Continues the turn that ``dispatchAtOnce(_:)`` has begun, of a store that has observers or interceptors of
    /// either kind, or is being shut down.
    ///
    /// - Returns: `nil` if the store has asynchronous interceptors. Nothing has happened then.
    @inlinable
    @inline(never)
    func dispatchInTakenTurn(_ action: Action) -> Result<StoreTask, StoreError>? {
        let result: DispatchResult? = inTakenTurn {
            if hasAsyncInterceptors { return nil }
            return lifecycle.isOpen ? reduceFully(action) : .failure(refusal)
        }
        return result?.map { pending in pending.isNeeded || pending.tracker != nil ? begin(pending) : .empty }
    }

    /// Reduces a request if the store is idle, or becomes idle within about a microsecond, and if the turn consists of
    /// the reducer alone.
    @inlinable
    func askAtOnce(_ request: Action) -> RequestAttempt {
        guard gate.beginIfIdle() || gate.beginSoon() else { return .busy }
        guard !extras.containsAny(of: .slowPath) else {
            leaveWriting()
            return .busy
        }
        let effect = reducePlainly(request)
        guard case .answer(let answer)? = effect.operation else {
            keepForDispatcher(effect)
            return .asked
        }
        if !gate.endIfUndisturbed() { leaveWriting() }
        return .answered(answer)
    }

    /// Continues the turn of ``askAtOnce(_:)`` in which a request returned more than its answer, or no answer.
    ///
    /// - Parameter tracker: The tracker that receives the answer.
    @inlinable
    @inline(never)
    func finishRequest(_ request: Action, _ tracker: EffectTracker) {
        gate.endWriting()
        tracker.note(request)
        let pending = takeOn(newEffects.removeLast().effect, joining: tracker)
        leave()
        pending.start(.inheriting)
    }

    /// Starts effects in the context of the dispatching task.
    @inlinable
    func begin(_ pending: PendingTasks) -> StoreTask {
        pending.start(.inheriting)
        return StoreTask(tracker: pending.tracker)
    }
}

// MARK: Reducing

extension StoreCore {
    /// Reduces one action. The caller owns the turn and writes.
    @inlinable
    @inline(__always)
    func reducePlainly(_ action: Action) -> Effect<Action> {
        let effect = reducer(&state, action)
        // Releasing: a thread that reads a revision, and then the snapshot, finds at least the state of that revision.
        revision.storeReleasing(revision.loadRelaxed() &+ 1)
        return effect
    }

    /// Reduces one action in a complete turn; see ``TreeRoot/reduceInTurn(_:of:_:)``.
    @inlinable
    @inline(__always)
    func reduceFully(_ action: Action) -> DispatchResult {
        reduceInTurn(action, of: self) { propagate(action) {} }
    }

    /// Reduces one action in a complete turn, unless the store has ended.
    @usableFromInline
    func reduceUnlessEnded(_ action: Action) -> DispatchResult {
        lifecycle.isEnded ? .failure(.shutDown) : reduceFully(action)
    }

    /// Reduces actions as one turn; see ``TreeRoot/reduceInTurn(batch:of:_:)``.
    @inlinable
    func reduceFully(batch actions: [Action]) -> PendingTasks {
        reduceInTurn(batch: actions, of: self) { propagate($0) {} }
    }

    /// Reduces an action of the root or of a store below it: first the interceptors run, then `below`, then the
    /// reducer. Called within the turn. The effect, or each of several if interceptors turn the action into several, is
    /// kept until all observers have been notified.
    @inlinable
    @inline(__always)
    func propagate(_ action: Action, _ below: () -> Void) -> Result<Void, StoreError> {
        if interceptors.isEmpty {
            below()
            keep(reduceAndRecord(action))
            return .success(())
        }
        return intercept(action, below: below)
    }

    @inlinable
    @inline(__always)
    func keep(_ effect: Effect<Action>) {
        if effect.isNone { return }
        newEffects.append((effect, placeInBatch))
        progress.insert(.newEffects)
    }

    @inlinable
    func intercept(_ action: Action, below: () -> Void) -> Result<Void, StoreError> {
        pauseWriting()
        defer { progress.remove(.atRest) }
        return withoutActuallyEscaping(below) { below in
            var chain = InterceptorChain(to: InterceptedRoot(core: self, below: below))
            return chain.pass(action).map { .failure($0) } ?? .success(())
        }
    }

    /// Reduces one action, and records it with the state after it if actions are observed.
    @inlinable
    func reduceAndRecord(_ action: Action) -> Effect<Action> {
        progress.remove(.atRest)
        beginWriting()
        var effect = reducePlainly(action)
        if !attached.isEmpty { effect = effect.merged(with: attached.reduce(into: &state, action: action)) }
        if extras.contains(.actionObservers) { unpublishedActions.append((action, state, revision.loadRelaxed())) }
        return effect
    }

    @usableFromInline
    func notifyActionObservers() {
        guard !unpublishedActions.isEmpty else { return }
        for (action, state, revision) in unpublishedActions {
            published = (revision, revision)
            actionGroup?.publish((action, state))
        }
        deferred.retire(unpublishedActions)
        unpublishedActions = []
    }
}

/// The result of an attempt to reduce a dispatched action at once. Without payloads, so that nothing is retained for
/// it.
@usableFromInline
enum DispatchAttempt {
    /// The action was reduced.
    case reduced
    /// The action was reduced and returned an effect, which is to be registered. The caller owns the turn.
    case asked
    /// The caller owns the turn, which consists of more than the reducer.
    case begun
    /// The turn is not available, and nothing has happened.
    case busy
}

/// The result of an attempt to reduce a request at once.
@usableFromInline
enum RequestAttempt {
    /// The request was reduced and returned its answer only.
    case answered(any Sendable)
    /// The request was reduced, and what it returned is to be registered. The caller owns the turn.
    case asked
    /// The turn is not available, or consists of more than the reducer, and nothing has happened.
    case busy
}
