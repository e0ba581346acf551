/// Someone who waits until all effects have ended.
struct EffectWaiter {
    /// An effect that asked for the shutdown itself, and for whose end it cannot wait.
    let exception: EffectHandle?
    let continuation: UnsafeContinuation<Void, Never>
}

extension TreeRoot {
    /// Ends the tree's life in order; see ``Store/shutdown(drain:)``.
    nonisolated(nonsending) final func shutdown(drain: ShutdownDrain) async {
        refuseFurtherActions()
        loading?.cancel()
        await perform { [self] in
            lifecycle.beginShutdown()
            updateFlags()
            if drain == .cancelEffects { cancelAllEffects() }
        }
        await withTaskCancellationHandler {
            await waitForEffects(except: EffectHandle.current)
        } onCancel: {
            inTurn { [self] in cancelAllEffects() }
        }
        await perform { [self] in end() }
    }

    /// Ends the tree's life because the last reference to its root is gone; what it had accepted is reduced before.
    final func close() {
        refuseFurtherActions()
        if let loading, statistics.waitingActions == 0 { loading.cancel() }
        guard gate.beginIfIdle() else { return inTurn { [self] in end() } }
        gate.endWriting()
        end()
        leaveTurn()
    }

    /// Goes on to a later phase, unless somebody has gone further.
    ///
    /// - Returns: whether it did.
    @discardableResult
    final func advance(to new: PhaseCode) -> Bool {
        var seen = phase.load(ordering: .acquiring)
        while seen.rawValue < new.rawValue {
            let (exchanged, original) = phase.compareExchange(
                expected: seen,
                desired: new,
                ordering: .acquiringAndReleasing
            )
            if exchanged { return true }
            seen = original
        }
        return false
    }

    /// Why nothing is accepted any more.
    @usableFromInline final var refusal: StoreError {
        phase.load(ordering: .acquiring) == .failed ? .notReady : .shutDown
    }

    /// Closes the mailbox to the outside, tells those that wait for room in it, and waits for no observer any more.
    private func refuseFurtherActions() {
        // Before the mailbox is closed: who finds it closed asks why.
        advance(to: .shuttingDown)
        closeMailbox()
        sharedSuspension.load()?.lift()
    }

    private nonisolated(nonsending) func waitForEffects(except exception: EffectHandle?) async {
        await withUnsafeContinuation { continuation in
            inTurn { [self] in
                awaitEffects()
                for node in nodes.values { node.awaitEffects() }
                effectWaiters.append(EffectWaiter(exception: exception, continuation: continuation))
                resumeEffectWaiters()
            }
        }
    }

    /// Resumes those that wait for the effects, if there are none left. In the turn.
    final func resumeEffectWaiters() {
        effectWaiters.removeAll { waiter in
            guard !hasEffects(except: waiter.exception) else { return false }
            for node in nodes.values where node.hasEffects(except: waiter.exception) { return false }
            waiter.continuation.resume()
            return true
        }
    }

    private func cancelAllEffects() {
        cancelEffects()
        for node in nodes.values { node.cancelEffects() }
    }

    /// Cancels what still runs, and ends all observations. In the turn, after all that was accepted.
    private func end() {
        guard lifecycle.end() else { return }
        advance(to: .ended)
        finish()
        for node in nodes.values { node.end() }
        nodes = [:]
        for state in derived { state.finishWatchers() }
        derived = []
        for element in elements.values { element.finishWatchers() }
        elements = [:]
        failures.broadcast?.finish()
        updateFlags()
    }

    /// Has `task` done in a turn, after all that was accepted before, and waits for its result.
    @usableFromInline
    nonisolated(nonsending) final func perform<Result: Sendable>(
        _ task: @escaping () -> Result
    ) async -> Result {
        await withUnsafeContinuation { waiter in
            inTurn { waiter.resume(returning: task()) }
        }
    }

    /// Who observes, in the turn.
    final func observerInformation() -> [ObserverInformation] {
        let sources = existingObservers?.allSources ?? []
        let states: [StateSource] = [self] + Array(nodes.values) + Array(elements.values) + derived
        let groups = states.flatMap(\.observedGroups) + (failures.broadcast.map { [$0] } ?? [])
        return groups.flatMap { $0.observers(sources) }
    }
}
