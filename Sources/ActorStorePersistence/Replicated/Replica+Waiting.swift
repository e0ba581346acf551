import ActorStore

/// Waits of callers for entries and positions of the log.
extension Replica {
    /// Waits until an action is written and reduced here; without a number, until all accepted actions are.
    ///
    /// - Throws: The reason why the replica has ended, or a `CancellationError` if the task is cancelled.
    func wait(for number: UInt64? = nil, isolation: isolated (any Actor)? = #isolation) async throws {
        let (number, identity) = shared.withLock { shared in
            (number ?? shared.outbox.entries.accepted, shared.outbox.makeIdentity())
        }
        try await waitForEntry { waiter in
            shared.withLock { $0.outbox.wait(for: number, waiter, identity) }
        } wake: {
            wakeWriter($0)
        } remove: { [self] in
            shared.withLock { $0.outbox.removeWaiter(identity, for: number) }
        }
    }

    /// Waits until everything up to a position of the log has been reduced here.
    ///
    /// - Throws: The reason why the replica has ended, or a `CancellationError` if the task is cancelled.
    func wait(forPosition position: UInt64, isolation: isolated (any Actor)? = #isolation) async throws {
        let identity = shared.withLock { $0.barriers.makeIdentity() }
        try await waitCancellably { [self] waiter in
            let result: Result<Void, any Error>? = shared.withLock { shared in
                if shared.progress.point.position >= position { return .success(()) }
                if let end = shared.outbox.entries.end { return .failure(end) }
                shared.barriers.add(waiter, for: position, identity)
                return nil
            }
            if let result { waiter.resume(with: result) }
            return result == nil
        } remove: { [self] in
            shared.withLock { $0.barriers.remove(identity, for: position) }
        }
    }
}
