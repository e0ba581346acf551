extension TreeRoot {
    /// Cancels the effects that a shutdown waits for, also those that begin only afterwards. In the turn.
    final func cancelAllEffects(of waiter: EffectWaiter) {
        // `run()` returns with the end of the store, and those that go on afterwards have asked for that.
        if waiter.isOver || waiter.endsRun && waiter.node.hasEnded { return }
        let notAwaited = effectsNotAwaited(by: waiter)
        let spared = notAwaited + cancellers(ofCallerOf: waiter)
        // It may be the last one to hold on to an effect that is over.
        if !waiter.spared.isEmpty { deferred.abandon(waiter.spared) }
        waiter.spared = notAwaited.filter { $0 !== waiter.caller && runs($0, in: waiter.node) }
        waiter.cancelsEffects = true
        extras.insert(.effectCancellation)
        for node in waiter.node.subtree {
            node.lifecycle.cancelsEffects = true
            cancelEffects(node.effectRuntime, sparing: spared)
        }
    }

    /// Cancels the effects that a shutdown does not let finish, also those that begin only afterwards. In the turn.
    final func cancelEffectsOnShutdown(for waiter: EffectWaiter) {
        extras.insert(.effectCancellation)
        let spared = effectsNotAwaited(by: waiter)
        for node in waiter.node.subtree {
            guard let effects = node.effectRuntime else { continue }
            effects.machine.cancelOnShutdown(sparing: spared)
            deferResults(of: effects.machine.takeOutput())
        }
    }

    /// Cancels the effects that a shutdown has spared, and for which it has come to wait since: because they no longer
    /// wait for its caller, or their own shutdowns are over. In the turn.
    final func cancelEffectsAwaitedMeanwhile(by waiter: EffectWaiter) {
        // The store ends only when the caller has ended, which those wait for that were spared.
        if waiter.waitsForCaller, waiter.caller?.isOver == false { return }
        let goingOn = waiter.spared.filter { !$0.isOver && !$0.isTaskCancelled }
        if goingOn.isEmpty { return }
        let exceptions = exceptions(of: waiter)
        if !goingOn.allSatisfy(exceptions.contains) { cancelAllEffects(of: waiter) }
    }

    /// The effect that has asked for a shutdown, and those that have asked for others, and for which it does not wait.
    private func effectsNotAwaited(by waiter: EffectWaiter) -> [EffectJob] {
        guard let caller = waiter.caller, !caller.isOver else { return [] }
        let exceptions = exceptions(of: waiter)
        let callers = shutdownsByEffects.compactMap(\.exception)
        let ended = waiter.node.effectJobs.filter(\.isSpared)
        return ([caller] + (callers + ended).filter(exceptions.contains)).flatMap(\.andAwaiters)
    }

    /// Those that have cancelled the caller of a shutdown by having begun that of their own stores, and are waited for.
    private func cancellers(ofCallerOf waiter: EffectWaiter) -> [EffectJob] {
        guard let caller = waiter.caller, !caller.isOver else { return [] }
        return caller.andAwaiters.flatMap(cancellers)
    }

    /// Those that have begun shutdowns of their own stores by which an effect was cancelled, and that wait for them.
    private func cancellers(of effect: EffectJob) -> [EffectJob] {
        guard let host = host(of: effect) else { return [] }
        var shutdowns: [EffectWaiter] = []
        host.withPath { shutdowns += $0.effectWaiters }
        return shutdowns.filter(\.cancelsEffects).flatMap { shutdown in
            shutdown.caller.map { Array($0.andAwaiters.drop { !runs($0, in: shutdown.node) }) } ?? []
        }
    }
}
