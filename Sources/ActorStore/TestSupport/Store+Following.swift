extension Store {
    /// Has `body` called with each error of the tree that nobody makes an action of, from now on, in the turn and before
    /// instruments are told that its effect is over: so who waits for the end of an effect finds its error. It counts as an
    /// observer of ``errors``. There can be one for a tree.
    ///
    /// - Parameter body: Called in the turn, until the tree is released.
    package nonisolated func followErrors(_ body: @escaping @Sendable (StoreFailure) -> Void) {
        root.inTurn { [root] in root.failures.follow(body) }
    }

    /// Has `body` called when the turn that there may be is over, and what was in the mailbox at its end has been reduced.
    ///
    /// - Parameter body: Called in the turn.
    package nonisolated func afterQueuedWork(_ body: @escaping @Sendable () -> Void) {
        // What is queued in the turn that there is, is queued before the second one.
        root.inTurn { [root] in root.inTurn(body) }
    }
}
