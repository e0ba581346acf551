extension Store {
    /// Cancels all effects of this store that have an identity, pending or running. After the call returns, none of
    /// their actions is reduced.
    ///
    /// This affects the effects of the store's own reducer, not those of child reducers, which have identities of their
    /// own; those are cancelled by the child's reducer, or with the child. The tasks of the effects are cancelled, and
    /// may still run for a while. Their actions that wait in the mailbox are dropped, too, as ``Effect/cancel(id:)``
    /// describes. An ``Effect/send(_:)`` that is not part of work with the identity is not cancelled.
    ///
    /// This waits for its turn, behind all accepted actions, and as long as the first state is loaded or an observer
    /// suspends the store. It does not end with its task.
    ///
    /// - Parameters:
    ///   - id: The identity of the effects.
    ///   - isolation: The actor on which this runs; by default the caller's.
    public func cancelEffects(id: any Hashable & Sendable, isolation: isolated (any Actor)? = #isolation) async {
        await withNode { node in node.cancelOwnEffects(EffectID(id)) }
    }

    /// Cancels all effects of this store, pending or running. After the call returns, none of their actions is reduced.
    ///
    /// This includes the effects of child reducers, and excludes those of other stores of the tree. The store stays
    /// open, and can start new effects immediately. Actions of effects that wait in the mailbox are dropped. So is the
    /// action of an ``Effect/send(_:)`` that is part of work with an identity, or that had to wait for other work. Any
    /// other ``Effect/send(_:)`` is not cancelled: its action counts as sent when the reducer returns, unless the store
    /// ends first.
    ///
    /// This waits for its turn, behind all accepted actions, and as long as the first state is loaded or an observer
    /// suspends the store. It does not end with its task.
    ///
    /// - Parameter isolation: The actor on which this runs; by default the caller's.
    public func cancelAllEffects(isolation: isolated (any Actor)? = #isolation) async {
        await withNode { node in node.cancelOwnEffects(nil) }
    }

    /// Stops observers from suspending the tree, permanently.
    package nonisolated func endSuspensions() { root.makeSuspension().lift() }

    /// Cancels all effects of the tree, except a calling effect.
    package func cancelOtherEffects(isolation: isolated (any Actor)? = #isolation) async {
        let callers = EffectJob.current.map { Array($0.andAwaiters) } ?? []
        await root.perform { [root] in
            for node in root.subtree { root.cancelEffects(node.effectRuntime, sparing: callers) }
        }
    }

    /// Cancels the effects of the tree that a shutdown does not await, except a calling effect.
    package func cancelEffectsOnShutdown(isolation: isolated (any Actor)? = #isolation) async {
        let callers = EffectJob.current.map { Array($0.andAwaiters) } ?? []
        await root.perform { [root] in root.cancelEffectsOnShutdown(sparing: callers) }
    }

    /// Returns whether effects of the tree are running, apart from a calling effect and those that wait for it: whether
    /// a shutdown would wait.
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
    /// Cancels the effects with an identity, or all effects. Call it within a turn.
    fileprivate func cancelOwnEffects(_ id: EffectID?) {
        if let id {
            if effectRuntime != nil { _ = takeOn(Effect(operation: .cancel(id))) }
        } else {
            root.cancelEffects(effectRuntime)
        }
    }
}
