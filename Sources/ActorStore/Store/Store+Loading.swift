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
