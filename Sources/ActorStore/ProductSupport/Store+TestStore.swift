// What a `TestStore` asks of the store that it tests, beside the public API.

extension Store {
    /// Registers a closure for the unhandled errors of the tree from now on.
    ///
    /// The closure is called before instruments record the end of the effect that failed, so that a test that waits for
    /// the end of an effect finds its error. It counts as an observer of ``errors``. A tree has at most one such
    /// closure; another call replaces it.
    ///
    /// - Parameter body: Called in the turn, until the tree is released.
    package nonisolated func followErrors(_ body: @escaping @Sendable (StoreFailure) -> Void) {
        root.inTurn { [root] in root.failures.follow(body) }
    }

    /// Calls a closure after the current turn, if there is one, and after the messages that were in the mailbox at its
    /// end.
    ///
    /// - Parameter body: Called in a turn.
    package nonisolated func afterQueuedWork(_ body: @escaping @Sendable () -> Void) {
        // Messages of the current turn are queued before the outer closure runs, hence before the inner one is queued.
        root.inTurn { [root] in root.inTurn(body) }
    }
}
