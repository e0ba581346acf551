extension Store {
    /// Reduces an action if the store accepts it in time, and can also follow all that comes of it; otherwise like
    /// ``dispatch(_:)-(Action)``.
    ///
    /// ```swift
    /// try await store.dispatch(.refresh, tracksFeedback: true).finish()   // All pages are there.
    ///
    /// do {
    ///     try await store.dispatch(.bid(amount), patience: .milliseconds(20))
    /// } catch .overloaded {
    ///     return .serviceUnavailable  // And the bid does not count.
    /// }
    /// ```
    ///
    /// ## Patience
    ///
    /// The time counts until the action is in the mailbox: at its end this no longer waits for room
    /// (``MailboxCapacity/OverflowPolicy/suspend``), and cancels an ``AsyncInterceptor`` that is being asked. What has
    /// been accepted is reduced, and this returns when it is, also after the time; that takes as long as the actions
    /// before it, of which there are no more than twice as many as the mailbox has room for. So an error means, as with
    /// every dispatch, that the action does not count, where ``withTimeout(_:tolerance:clock:isolation:operation:)``
    /// around a dispatch throws ``TimedOut`` either way.
    ///
    /// An idle store reduces the action at once, as by ``dispatch(_:)-(Action)``. Otherwise, and with `tracksFeedback`
    /// always, each call begins a sleep of the clock. The clocks of the system keep a sleep in memory until its time has come, also if it is no longer
    /// needed: with much patience, busy stores keep many.
    ///
    /// In a task that was cancelled before the call the time does not count, because nothing sleeps there. A full
    /// mailbox that suspends refuses the action at once, with ``StoreError/cancelled``. An ``AsyncInterceptor``, and
    /// the loading of the first state before it is asked, are waited for as by ``dispatch(_:)-(Action)``.
    ///
    /// - Parameters:
    ///   - action: What happens.
    ///   - patience: How long to wait for the store to accept it: zero or less for nothing, nil for as long as it takes.
    ///   - tracksFeedback: Whether the ``StoreTask`` awaits and cancels all that comes of the action: not only the effects
    ///     that it started, but also those of the actions which these send, and so on. An effect among them that waits
    ///     for this task would wait for itself, and gets ``StoreError/awaitsItself`` instead.
    ///   - clock: Measures the patience; a test gives one of its own.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    /// - Returns: the effects that the action started, to be awaited or cancelled.
    /// - Throws: ``StoreError/overloaded`` if it was not accepted in time, and otherwise as ``dispatch(_:)-(Action)``.
    ///   In all cases the action has not been reduced and never will be.
    @discardableResult
    public func dispatch(
        _ action: Action,
        patience: Duration? = nil,
        tracksFeedback: Bool = false,
        clock: any Clock<Duration> = ContinuousClock(),
        isolation: isolated (any Actor)? = #isolation
    ) async throws(StoreError) -> StoreTask {
        let tracker = tracksFeedback ? EffectTracker(tracksFeedback: true) : nil
        // All that the action itself has begun is counted by then.
        defer { if let tracker, tracker.end() { tracker.tellEnd() } }
        let options = DispatchOptions(joining: tracker)
        guard let patience else { return try await backing.actions.dispatch(action, options) }
        return try await dispatch(action, options, within: patience, on: clock)
    }

    /// Reduces an action if the store accepts it within a time.
    private func dispatch(
        _ action: Action,
        _ options: DispatchOptions,
        within patience: Duration,
        on clock: any Clock<Duration>,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(StoreError) -> StoreTask {
        // Without a task and a sleep: a clock of the system keeps a sleep until its time, also if that is cancelled.
        if options.tracker == nil, let result = dispatchWithoutWaiting(action) { return try result.get() }
        // The end of the time is none of this: it is no cancellation from before the dispatch, whenever it comes.
        let wait = DispatchPatience(wasCancelled: Task.isCancelled)
        let options = DispatchOptions(joining: options.tracker, patience: wait)
        let result = await withTaskGroup(of: PatientEvent.self) { group in
            group.addTask {
                do throws(StoreError) {
                    return .ended(.success(try await self.backing.actions.dispatch(action, options)))
                } catch {
                    return wait.isOver ? .cancelled : .ended(.failure(error))
                }
            }
            group.addTask {
                try? await clock.sleep(for: patience.boundedWait, tolerance: nil)
                return .overdue
            }
            var isOverdue = false
            while let event = await group.next() {
                group.cancelAll()
                switch event {
                case .ended(let result): return result
                case .overdue: isOverdue = !Task.isCancelled
                case .cancelled:
                    guard isOverdue else { return .failure(.cancelled) }
                    noteOverdue(action)
                    return .failure(.overloaded)
                }
            }
            return Result<StoreTask, StoreError>.failure(.cancelled)
        }
        return try result.get()
    }

    /// Tells instruments of an action that was not accepted in time.
    private nonisolated func noteOverdue(_ action: Action) {
        // Without the actions of others than the root, as with everything that a busy tree has no room for.
        let ownAction: Action? = if case .root = backing { action } else { nil }
        root.instrumentPanel.load()?.drop(1, of: node.name, ownAction, because: .overload)
    }

    /// Reduces an action if that need not wait.
    ///
    /// - Returns: nil if the store is busy, or asks an ``AsyncInterceptor``; then nothing has happened.
    private nonisolated func dispatchWithoutWaiting(_ action: Action) -> Result<StoreTask, StoreError>? {
        switch backing {
        case .root(let core): core.dispatchWithoutWaiting(action)
        case .view(let scopeNode): scopeNode.actions.dispatchWithoutWaiting(action)
        }
    }
}

/// What can happen to a dispatch with patience.
private enum PatientEvent: Sendable {
    case ended(Result<StoreTask, StoreError>)
    /// It was cancelled while it waited.
    case cancelled
    /// Its time is up.
    case overdue
}
