extension Store {
    /// Waits until the state satisfies a condition, and returns that state; at once if it does already.
    ///
    /// ```swift
    /// let state = try await store.condition(timeout: .seconds(5)) { state in state.stock > 0 && !state.isClosed }
    /// ```
    ///
    /// The state is looked at where it lies, after every turn of the tree, and copied only when it satisfies the
    /// condition. A condition on one part is cheaper as ``condition(_:timeout:clock:fileID:line:isolation:where:)``.
    /// Like an observer it sees the states between turns, and so none between the actions of a batch; and it is
    /// satisfied for good by the first state that does, whatever becomes of the state before the waiting task goes on.
    ///
    /// - Parameters:
    ///   - timeout: How long to wait; nil for as long as it takes.
    ///   - clock: Measures the time; a test gives one of its own.
    ///   - isSatisfied: The condition. Called in the store's turn, so that it must not block; and not any more when it
    ///     has been true.
    ///   - fileID: Where the caller is written; leave the default.
    ///   - line: Where the caller is written; leave the default.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    /// - Returns: the first state that satisfies the condition, of those after everything that was sent before.
    /// - Throws: ``WaitError/timedOut`` when the time is over, ``WaitError/cancelled`` when the task was cancelled,
    ///   both at once; ``WaitError/storeEnded`` when the store has been shut down, and for a child that has ended,
    ///   unless its last state satisfies the condition; and ``WaitError/notReady`` when the store's first state could
    ///   not be loaded: at once if that has failed before, and otherwise when it fails.
    @inlinable
    @discardableResult
    public func condition(
        timeout: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        fileID: String = #fileID,
        line: UInt = #line,
        isolation: isolated (any Actor)? = #isolation,
        _ isSatisfied: @escaping @Sendable (_ state: State) -> Bool
    ) async throws(WaitError) -> State {
        let promise = Promise<WaitResult<State>>()
        let observed = Observed<State, State>.satisfying { !promise.isSettled && isSatisfied($0) }
        let source = CodeLocation(fileID: fileID, line: line)
        let observation = expectation(of: observed, promise, source) { _ in true }
        defer { observation.cancel() }
        return try await promise.outcome(within: timeout, clock, root.configuration.executor)
    }

    /// Waits until a part of the state satisfies a condition, and returns that part; at once if it does already.
    /// Otherwise like ``condition(timeout:clock:fileID:line:isolation:_:)``.
    ///
    /// ```swift
    /// let stock = try await store.condition(\.stock, timeout: .seconds(5)) { $0 > 0 }
    /// try await store.condition(\.isConnected) { $0 }
    /// ```
    ///
    /// The condition is asked only when the part has changed, so that it costs as much as any other observer of the
    /// part, and keeps its last value as such do.
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - timeout: How long to wait; nil for as long as it takes.
    ///   - clock: Measures the time; a test gives one of its own.
    ///   - isSatisfied: The condition. Called in the store's turn, so that it must not block.
    ///   - fileID: Where the caller is written; leave the default.
    ///   - line: Where the caller is written; leave the default.
    ///   - isolation: The caller's actor, on which this runs; leave the default.
    @inlinable
    @discardableResult
    public func condition<Value: Equatable & Sendable>(
        _ keyPath: KeyPath<State, Value> & Sendable,
        timeout: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        fileID: String = #fileID,
        line: UInt = #line,
        isolation: isolated (any Actor)? = #isolation,
        where isSatisfied: @escaping @Sendable (_ value: Value) -> Bool
    ) async throws(WaitError) -> Value {
        let promise = Promise<WaitResult<Value>>()
        let source = CodeLocation(fileID: fileID, line: line)
        let observation = expectation(of: .part(keyPath), promise, source, isSatisfied)
        defer { observation.cancel() }
        return try await promise.outcome(within: timeout, clock, root.configuration.executor)
    }

    /// Begins to look out for a value.
    @usableFromInline
    nonisolated func expectation<Value: Sendable>(
        of observed: Observed<State, Value>,
        _ promise: Promise<WaitResult<Value>>,
        _ source: CodeLocation,
        _ isSatisfied: @escaping @Sendable (Value) -> Bool
    ) -> StoreObservation {
        let (root, place) = (root, place(of: observed.byteRange))
        let deferred = root.deferred
        let end: @Sendable () -> Void = { promise.settle(.failure(.storeEnded), deferringTo: deferred) }
        let observation = root.observe(observed, in: place, through: host(of: place), at: source, finish: end) {
            value in
            if !promise.isSettled, isSatisfied(value) { promise.settle(.success(value), deferringTo: deferred) }
        }
        // One who comes to a store that has ended is shown the last state, but not told of the end.
        endIfInVain(promise)
        return observation
    }

    /// Ends a wait that has nothing to wait for, because the store has ended, or could not load its first state. Where
    /// it still loads that, this is done when the loading is over, however that went.
    nonisolated func endIfInVain<Value: Sendable>(_ promise: Promise<WaitResult<Value>>) {
        let (root, node) = (root, node)
        root.inTurn {
            let error: WaitError
            if node.hasEnded {
                error = .storeEnded
            } else if root.loading?.error != nil {
                error = .notReady
            } else {
                return
            }
            promise.settle(.failure(error), deferringTo: root.deferred)
        }
    }
}

extension Observed where Value == State {
    /// The whole state, copied only when it satisfies a condition.
    @inlinable
    static func satisfying(_ isSatisfied: @escaping @Sendable (State) -> Bool) -> Observed {
        Observed(part: nil, subject: .unshared, areEqual: nil) { group, state in
            if isSatisfied(state.pointee) { group.start(with: state.pointee) }
        } check: { group, state in
            if isSatisfied(state.pointee) { group.publish(state.pointee) }
        }
    }
}

/// What a wait comes to.
@usableFromInline typealias WaitResult<Value> = Result<Value, WaitError>

extension Promise {
    /// Waits for the value, until the time is over or the calling task is cancelled, whichever is first. In both cases
    /// it returns at once, whatever the store does meanwhile.
    @usableFromInline
    func outcome<Output: Sendable>(
        within timeout: Duration?,
        _ clock: some Clock<Duration>,
        _ executor: (any TaskExecutor)?,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(WaitError) -> Output where Value == WaitResult<Output> {
        // A task of its own, and not a child task: a clock that takes its time to be cancelled must not hold this up.
        // None if there is nothing to wait for: clocks keep a sleep until its time, also if it is cancelled.
        let alarm = (isSettled ? nil : timeout).map { timeout in
            let deadline = clock.now.advanced(by: timeout.boundedWait)
            return Task(executorPreference: executor) { [self] in
                try? await clock.sleep(until: deadline, tolerance: nil)
                if !Task.isCancelled { settle(.failure(.timedOut)) }
            }
        }
        defer { alarm?.cancelInBackground(on: executor) }
        let result = await withTaskCancellationHandler {
            await wait()
        } onCancel: {
            settle(.failure(.cancelled))
        }
        return try result.get()
    }
}
