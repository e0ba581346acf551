extension TreeRoot {
    /// Cancels the effects that a shutdown waits for, also those that begin only afterwards. In the turn.
    final func cancelAllEffects(of waiter: EffectWaiter) {
        // `run()` returns with the end of the store, and those that go on afterwards have asked for that.
        if waiter.isOver || waiter.endsRun && hasEnded(waiter.branch) { return }
        let spared = effectsSpared(by: waiter)
        waiter.cancelsEffects = true
        cancelsEffects = true
        if waiter.branch == nil {
            lifecycle.cancelsEffects = true
            cancelEffects(sparing: spared)
        }
        for node in stores(of: waiter.branch) {
            node.cancelsEffects = true
            node.cancelEffects(sparing: spared)
        }
    }

    /// Whether an effect that is about to begin is to be cancelled, because its store is being shut down. In the turn.
    final func mustCancelEffects(of host: some EffectOwner) -> Bool {
        cancelsEffects && (lifecycle.cancelsEffects || (host as? TreeNode)?.cancelsEffects == true)
    }

    /// The effects whose tasks go on when a shutdown cancels the others: the one that has asked for it, and those that have
    /// asked for others, and for which it does not wait, or that have cancelled it themselves.
    private func effectsSpared(by waiter: EffectWaiter) -> [EffectHandle] {
        guard let caller = waiter.caller, !caller.isOver else { return [] }
        let exceptions = exceptions(of: waiter)
        let callers = shutdownsByEffects.compactMap(\.exception)
        let ended = effectHandles(of: waiter.branch).filter(\.isSpared)
        let spared = (callers + ended).filter(exceptions.contains) + caller.andAwaiters.flatMap(cancellers)
        return ([caller] + spared).flatMap(\.andAwaiters)
    }

    /// Those that have begun shutdowns of their own stores by which an effect was cancelled, and that wait for them.
    private func cancellers(of effect: EffectHandle) -> [EffectHandle] {
        guard runs(effect, in: nil), let owner = (effect as? EffectJob)?.owner else { return [] }
        var shutdowns = effectWaiters
        var node = owner as? TreeNode
        while let store = node {
            shutdowns += store.effectWaiters
            node = store.parent
        }
        return shutdowns.filter(\.cancelsEffects).flatMap { shutdown in
            (shutdown.caller?.andAwaiters).map { $0.filter { runs($0, in: shutdown.branch) } } ?? []
        }
    }
}
