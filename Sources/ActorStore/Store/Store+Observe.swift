import Synchronization

extension Store {
    /// Calls `body` with the current value of a part of the state, and with every other one after it, in order.
    ///
    /// The cheapest way to observe. The calls happen within the store's turn, on the thread that reduces: `body` must
    /// not block, and must not take a lock that a sender may hold while it sends. It can send actions, which are
    /// queued, and read ``snapshot``; name the store weakly in it, or it keeps the store alive until the token is
    /// cancelled.
    ///
    /// - Returns: a token; the observation ends when it is released or cancelled.
    @inlinable
    public nonisolated func observe<Value: Equatable & Sendable>(
        _ keyPath: KeyPath<State, Value> & Sendable,
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (_ value: Value) -> Void
    ) -> Observation {
        observation(of: .part(keyPath), SourceLocation(fileID: fileID, line: line), body)
    }

    /// Calls `body` with each value of a part of the state and the one before it; otherwise like
    /// ``observe(_:fileID:line:_:)``.
    ///
    /// ```swift
    /// let token = store.observe(changesOf: \.level) { change in print(change.old, "->", change.new, "at", change.revision) }
    /// ```
    ///
    /// - Returns: a token; the observation ends when it is released or cancelled.
    public nonisolated func observe<Value: Equatable & Sendable>(
        changesOf keyPath: KeyPath<State, Value> & Sendable,
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (_ change: Change<Value>) -> Void
    ) -> Observation {
        let root = root
        let last = LastValue<Value>(retiringTo: root.deferred)
        return observation(of: .part(keyPath), SourceLocation(fileID: fileID, line: line)) { [weak root] value in
            let revision = root?.revision.loadRelaxed() ?? 0
            body(Change(old: last.replace(by: value), new: value, revision: revision))
        }
    }

    /// Calls `body` with values of a part of the state as long as an object lives, which it does not keep alive;
    /// otherwise like ``observe(_:fileID:line:_:)``.
    ///
    /// ```swift
    /// store.observe(\.level, owner: gauge) { gauge, level in gauge.show(level) }
    /// ```
    ///
    /// - Returns: a token that can be ignored; the observation ends with the owner, or when it is cancelled. The end of
    ///   the owner is noticed with the next change of the part, or when a `StoreGroup` looks whether the store is
    ///   idle; until then the closure is kept.
    @inlinable
    @discardableResult
    public nonisolated func observe<Value: Equatable & Sendable, Owner: AnyObject & Sendable>(
        _ keyPath: KeyPath<State, Value> & Sendable,
        owner: Owner,
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (_ owner: Owner, _ value: Value) -> Void
    ) -> Observation {
        let observed = Observed<State, Value>.part(keyPath)
        let place = place(of: observed.byteRange)
        return root.observe(
            observed,
            in: place,
            through: host(of: place),
            owner: owner,
            at: SourceLocation(fileID: fileID, line: line),
            body
        )
    }

    /// Calls `body` with values of a part of the state, on the executor given.
    ///
    /// Observers of one tree on the same executor are called one after the other and share tasks, which is what makes a
    /// thousand of them affordable: a task costs microseconds, a call nanoseconds. Those of several trees, such as the
    /// stores of a group, can be called at the same time if the executor has several threads. No call begins after 64
    /// calls of one task, or after a millisecond: the executor then runs its other jobs before the next task.
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - executor: Where the calls happen.
    ///   - buffering: What is kept while `body` is busy.
    ///   - fileID: Where the observer is written; leave the default.
    ///   - line: Where the observer is written; leave the default.
    ///   - body: What to do with a value; the next call begins when it has returned.
    /// - Returns: a token; the observation ends when it is released or cancelled.
    public nonisolated func observe<Value: Equatable & Sendable>(
        _ keyPath: KeyPath<State, Value> & Sendable,
        on executor: any TaskExecutor,
        buffering: BufferingPolicy = .latest,
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (_ value: Value) -> Void
    ) -> Observation {
        observe(keyPath, replay: .current, on: executor, buffering: buffering, fileID: fileID, line: line, body)
    }

    /// Calls `body`, which can suspend, with values of a part of the state, in a task of its own on the executor given.
    ///
    /// A body that is isolated to an actor has begun when it waits for that: it may go on there after a cancellation. A
    /// call that is under way when the observation is cancelled goes on to its end; the observation is over at once all
    /// the same, and suspends the store no longer. The task of the call is cancelled by a background task of the store,
    /// because its cancellation handlers may take long, so that `Task.isCancelled` is true a moment later.
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - executor: Where the calls happen.
    ///   - buffering: What is kept while `body` is busy.
    ///   - fileID: Where the observer is written; leave the default.
    ///   - line: Where the observer is written; leave the default.
    ///   - body: What to do with a value; the next call begins when it has returned.
    /// - Returns: a token; the observation ends when it is released or cancelled.
    public nonisolated func observe<Value: Equatable & Sendable>(
        _ keyPath: KeyPath<State, Value> & Sendable,
        on executor: any TaskExecutor,
        buffering: BufferingPolicy = .latest,
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (_ value: Value) async -> Void
    ) -> Observation {
        let subscription = subscription(to: .part(keyPath), buffering, SourceLocation(fileID: fileID, line: line))
        let task = ObservingTask(of: subscription, in: root, on: executor, priority: Task.currentPriority) {
            cancellation in
            while let value = await subscription.next() {
                if cancellation.isNoted { return }
                await body(value)
            }
        }
        return Observation(of: task)
    }

    /// Calls `body` with values of a part of the state, isolated to the actor given, which it does not keep alive.
    ///
    /// Observers that are isolated to the same actor share visits to it, which is what makes a thousand of them
    /// affordable: a visit costs microseconds, a call nanoseconds. No call begins after 64 calls of one visit, or after
    /// a millisecond: the actor then runs its other jobs before the next visit.
    ///
    /// A visit is a task on the executor of the store, see ``StoreConfiguration/executor``, also if the actor has one
    /// of its own: while all threads of the former are blocked none begins. Visits to the main actor do not wait for
    /// that executor.
    ///
    /// ```swift
    /// let token = store.observe(\.count, isolatedTo: dashboard) { dashboard, count in dashboard.show(count) }
    /// ```
    ///
    /// On the main actor, the compiler takes `body` for isolated to that only inside of `MainActor.assumeIsolated`:
    ///
    /// ```swift
    /// let token = store.observe(\.count, isolatedTo: MainActor.shared) { _, count in
    ///     MainActor.assumeIsolated { label.show(count) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - actor: Where the calls happen. The observation ends with the next change after it is released.
    ///   - buffering: What is kept while `body` is busy.
    ///   - fileID: Where the observer is written; leave the default.
    ///   - line: Where the observer is written; leave the default.
    ///   - body: What to do with a value; the next call begins when it has returned.
    /// - Returns: a token; the observation ends when it is released or cancelled.
    public nonisolated func observe<Value: Equatable & Sendable, Isolation: Actor>(
        _ keyPath: KeyPath<State, Value> & Sendable,
        isolatedTo actor: Isolation,
        buffering: BufferingPolicy = .latest,
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (_ actor: isolated Isolation, _ value: Value) -> Void
    ) -> Observation {
        observe(keyPath, replay: .current, isolatedTo: actor, buffering: buffering, fileID: fileID, line: line, body)
    }
}
