extension Store {
    /// Cancels all effects of this store with an identity, begun or not: when this returns, no action of them will be
    /// reduced.
    ///
    /// It reaches the effects of the store's own reducer, not those of reducers that are its children, whose identities
    /// are their own; those are cancelled by the child's reducer, or with the child. The tasks are told, and may still
    /// run for a while. Their actions that wait in the mailbox are dropped as well, as ``Effect/cancel(id:)`` says. An
    /// ``Effect/send(_:)`` that is no part of work with the identity is not taken back.
    public func cancelEffects(id: any Hashable & Sendable, isolation: isolated (any Actor)? = #isolation) async {
        await withNode { node in node.cancelOwnEffects(EffectID(id)) }
    }

    /// Cancels all effects of this store, begun or not: when this returns, no action of them will be reduced.
    ///
    /// It reaches those of its reducer's children as well, and leaves those of other stores of the tree alone. The
    /// store goes on, and can have new ones at once. Actions that effects have sent, and that wait in the mailbox, are
    /// dropped. So is one of ``Effect/send(_:)`` that is a part of work with an identity, or that had to wait for other
    /// work. Any other ``Effect/send(_:)`` is not taken back: its action counts as sent when the reducer returns,
    /// unless the store ends first.
    public func cancelAllEffects(isolation: isolated (any Actor)? = #isolation) async {
        await withNode { node in node.cancelOwnEffects(nil) }
    }

    /// Has no observer suspend the tree any more.
    package nonisolated func endSuspensions() { root.makeSuspension().lift() }

    /// Cancels all effects of the tree's root but the one that calls this, if one does.
    package func cancelOtherEffects(isolation: isolated (any Actor)? = #isolation) async {
        let callers = EffectJob.current.map { Array($0.andAwaiters) } ?? []
        await root.perform { [root] in root.cancelEffects(root.effectRuntime, sparing: callers) }
    }

    /// Cancels the effects of the tree that a shutdown does not let finish, but the one that calls this, if one does.
    package func cancelEffectsOnShutdown(isolation: isolated (any Actor)? = #isolation) async {
        let callers = EffectJob.current.map { Array($0.andAwaiters) } ?? []
        await root.perform { [root] in root.cancelEffectsOnShutdown(sparing: callers) }
    }

    /// Whether effects of the tree run besides the one that calls this, if one does, and those that wait for that one:
    /// whether a shutdown would wait.
    package func hasOtherEffects(isolation: isolated (any Actor)? = #isolation) async -> Bool {
        let caller = EffectJob.current
        return await root.perform { [root] in root.hasEffects(besides: caller) }
    }
}

extension Store {
    private func withNode(isolation: isolated (any Actor)? = #isolation, _ body: @escaping (any StoreNode) -> Void)
        async
    {
        let node = node
        await node.root.perform { body(node) }
    }
}

extension StoreNode {
    /// Cancels effects with an identity, or all. In the turn.
    fileprivate func cancelOwnEffects(_ id: EffectID?) {
        if let id {
            if effectRuntime != nil { _ = takeOn(Effect(operation: .cancel(id))) }
        } else {
            root.cancelEffects(effectRuntime)
        }
    }
}
