/// Someone who waits until all effects have ended.
struct EffectWaiter {
    /// An effect that asked for the shutdown itself, and for whose end it cannot wait.
    let exception: EffectHandle?
    let continuation: UnsafeContinuation<Void, Never>
}

extension StoreCore {
    /// Ends the store's life in order; see ``Store/shutdown(drain:)``.
    nonisolated(nonsending) func shutdown(drain: ShutdownDrain) async {
        refuseFurtherActions()
        await perform { core in
            core.lifecycle.beginShutdown()
            core.updateFlags()
            if drain == .cancelEffects { core.effects.cancelAll() }
        }
        await withTaskCancellationHandler {
            await waitForEffects(except: EffectHandle.current)
        } onCancel: {
            submit { core in core.effects.cancelAll() }
        }
        await perform { core in core.end() }
    }

    /// Ends the store's life because its last reference is gone; what it had accepted is reduced before.
    func close() {
        refuseFurtherActions()
        guard gate.beginIfIdle() else { return submit { core in core.end() } }
        gate.endWriting()
        end()
        leave()
    }

    /// Closes the mailbox to the outside, tells those that wait for room in it, and waits for no observer any more.
    private func refuseFurtherActions() {
        let suspended = mailboxLock.withLock { mailbox.close() }
        sharedSuspension.load()?.lift()
        for case .dispatch(_, let dispatcher) in suspended { dispatcher.resume(returning: .failure(.shutDown)) }
    }

    private nonisolated(nonsending) func waitForEffects(except exception: EffectHandle?) async {
        await withUnsafeContinuation { continuation in
            submit { core in
                core.effectWaiters.append(EffectWaiter(exception: exception, continuation: continuation))
                core.resumeEffectWaiters()
            }
        }
    }

    /// Resumes those that wait for the effects, if there are none left. In the turn.
    func resumeEffectWaiters() {
        effectWaiters.removeAll { waiter in
            guard effects.registry.isEmpty(except: waiter.exception) else { return false }
            waiter.continuation.resume()
            return true
        }
    }

    /// Cancels what still runs, and ends all observations. In the turn, after all that was accepted.
    private func end() {
        guard lifecycle.end() else { return }
        effects.close()
        for watcher in watchers { watcher.finish() }
        watchers = []
        filters = []
        tables = [:]
        actionGroup?.finish()
        failures.broadcast?.finish()
        updateFlags()
    }

    /// Figures for diagnostics.
    var statistics: StoreStatistics {
        let (waiting, suspended, dropped) = mailboxLock.withLock {
            (mailbox.waitingActions, mailbox.suspended.count, mailbox.droppedActions)
        }
        return StoreStatistics(
            reducedActions: revision.load(ordering: .acquiring),
            waitingActions: waiting,
            suspendedDispatches: suspended,
            droppedActions: dropped,
            rejectedActions: rejectedActions.load(ordering: .relaxed),
            lateActions: lateActions.load(ordering: .relaxed),
            runningEffects: runningEffects.load(ordering: .relaxed),
            observers: groups.load()?.memberCount ?? 0
        )
    }
}
