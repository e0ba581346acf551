import ActorStore

extension Store {
    /// Runs a side effect, and returns its value when it has ended.
    ///
    /// It begins in the order of everything that is asked of the store, and then runs in a task of its own, with the
    /// priority and the task-locals of the calling task. It is one of the store's effects: ``StoreStatistics`` counts
    /// it, ``shutdown(drain:within:reserving:clock:isolation:)`` awaits or cancels it, and on a child it is cancelled
    /// when the child ends. Cancelling the calling task cancels it, too; this returns when it has ended nevertheless.
    ///
    /// ```swift
    /// async let user = store.dispatch(RefreshUser(id: 7))
    /// async let orders = store.dispatch(RefreshOrders(user: 7))    // At the same time.
    /// show(try await user, try await orders)
    /// ```
    ///
    /// - Parameters:
    ///   - sideEffect: What to run.
    ///   - fileID: Where this is written; leave the default.
    ///   - line: Where this is written; leave the default.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    /// - Returns: what the side effect returns.
    /// - Throws: what the side effect throws, which goes nowhere else; a `CancellationError` if it was cancelled before
    ///   it began; ``StoreError/shutDown`` after a shutdown, and for a child that has ended.
    @discardableResult
    public func dispatch<Body: SideEffect>(
        _ sideEffect: Body,
        fileID: String = #fileID,
        line: UInt = #line,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Body.Value where Body.State == State, Body.Action == Action {
        try await reference.run(sideEffect, at: CodeLocation(fileID: fileID, line: line))
    }
}
