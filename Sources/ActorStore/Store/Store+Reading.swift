import Synchronization

extension Store {
    /// The state at this moment, between two actions. Never torn, and never older than a ``dispatch(_:)-(Action)`` that
    /// has returned.
    ///
    /// If an action or a batch is being reduced at this moment it waits for the end of that. Keeping a snapshot
    /// makes later actions copy the collections that they change and that it shares.
    ///
    /// Traps when called by a reducer of this store, which would wait for itself.
    ///
    /// - Complexity: that of copying a `State`.
    @inlinable public nonisolated var snapshot: State {
        if let core { return core._withUnsafeGuaranteedRef { $0.snapshot() } }
        switch backing {
        case .root(let core): return core.snapshot()
        case .view(let scopeNode): return scopeNode.snapshot()
        }
    }

    /// The state after everything that was sent before.
    ///
    /// Cannot be cancelled; it waits at most for what the store had accepted when it was called, and as long as an
    /// observer suspends the store, see ``BufferingPolicy/Overflow/suspendStore``.
    ///
    /// - Complexity: that of copying a `State`.
    @inlinable @inline(__always) public nonisolated(nonsending) var state: State {
        get async { await backing.settledState() }
    }

    /// A part of the state after everything that was sent before; unlike ``state`` it copies no more than that part.
    ///
    /// Cannot be cancelled; it waits at most for what the store had accepted when it was called, and as long as an
    /// observer suspends the store, see ``BufferingPolicy/Overflow/suspendStore``.
    @inlinable
    public func read<Value: Sendable>(
        _ keyPath: KeyPath<State, Value> & Sendable,
        isolation: isolated (any Actor)? = #isolation
    ) async -> Value {
        switch backing {
        case .root(let core): await core.settledValue(of: keyPath)
        case .view(let scopeNode): await scopeNode.settledValue(of: keyPath)
        }
    }

    /// Waits for everything that was accepted before, and copies nothing.
    package func settle(isolation: isolated (any Actor)? = #isolation) async { await root.perform {} }

    /// How many actions have been reduced in the tree that the store is part of.
    @inlinable public nonisolated var revision: UInt64 { root.revision.loadAcquiring() }
}
