extension Store {
    /// Waits until the state satisfies a condition, and returns that state. Returns immediately if the current state
    /// satisfies it.
    ///
    /// ```swift
    /// let state = try await store.condition(timeout: .seconds(5)) { state in state.stock > 0 && !state.isClosed }
    /// ```
    ///
    /// The condition is evaluated on the state in place, after every turn of the tree; the state is copied only when it
    /// satisfies the condition. For a condition on one part,
    /// ``condition(_:timeout:clock:fileID:line:isolation:where:)`` is cheaper. Like an observer, the condition sees the
    /// states between turns, so none between the actions of a batch. The first state that satisfies it ends the wait,
    /// even if the state changes again before the waiting task resumes.
    ///
    /// - Parameters:
    ///   - timeout: The time to wait; nil for no limit.
    ///   - clock: The clock that measures the timeout; a test can pass its own.
    ///   - fileID: The file of the caller, for diagnostics.
    ///   - line: The line of the caller, for diagnostics.
    ///   - isolation: The actor on which this runs; by default the caller's.
    ///   - isSatisfied: The condition. It runs within the store's turn and must not block. It is not called again after
    ///     it has returned true.
    /// - Returns: The first state that satisfies the condition, starting with the state after everything that was sent
    ///   before this call.
    /// - Throws: ``WaitError/timedOut`` after the timeout and ``WaitError/cancelled`` when the task is cancelled, both
    ///   immediately; ``WaitError/storeEnded`` when the store has been shut down or the child has ended, unless its
    ///   last state satisfies the condition; ``WaitError/notReady`` if the store's first state could not be loaded:
    ///   immediately if loading has already failed, otherwise when it fails.
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

    /// Waits until a part of the state satisfies a condition, and returns that part. Returns immediately if the current
    /// value satisfies it.
    ///
    /// ```swift
    /// let stock = try await store.condition(\.stock, timeout: .seconds(5)) { $0 > 0 }
    /// try await store.condition(\.isConnected) { $0 }
    /// ```
    ///
    /// The condition is evaluated only when the part has changed: the wait costs as much as any other observer of the
    /// part, and keeps its last value as observers do. The first value that satisfies the condition ends the wait, even
    /// if the part changes again before the waiting task resumes.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the part.
    ///   - timeout: The time to wait; nil for no limit.
    ///   - clock: The clock that measures the timeout; a test can pass its own.
    ///   - fileID: The file of the caller, for diagnostics.
    ///   - line: The line of the caller, for diagnostics.
    ///   - isolation: The actor on which this runs; by default the caller's.
    ///   - isSatisfied: The condition. It runs within the store's turn and must not block.
    /// - Returns: The first value that satisfies the condition, starting with the value after everything that was sent
    ///   before this call.
    /// - Throws: ``WaitError/timedOut`` after the timeout and ``WaitError/cancelled`` when the task is cancelled, both
    ///   immediately; ``WaitError/storeEnded`` when the store has been shut down or the child has ended, unless the
    ///   last value satisfies the condition; ``WaitError/notReady`` if the store's first state could not be loaded:
    ///   immediately if loading has already failed, otherwise when it fails.
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

    /// Starts an observation that settles the promise with the first matching value.
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
        // An observer that starts after the store has ended receives the last state, but no notification of the end.
        endIfInVain(promise)
        return observation
    }

    /// Ends a wait that cannot succeed, because the store has ended or could not load its first state. While the store
    /// is still loading, this is done after loading has ended, successful or not.
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
    /// Observes the whole state, which is copied only when it satisfies a condition.
    @inlinable
    static func satisfying(_ isSatisfied: @escaping @Sendable (State) -> Bool) -> Observed {
        Observed(part: nil, subject: .unshared, areEqual: nil) { group, state in
            if isSatisfied(state.pointee) { group.start(with: state.pointee) }
        } check: { group, state in
            if isSatisfied(state.pointee) { group.publish(state.pointee) }
        }
    }
}

/// The result of a wait.
@usableFromInline typealias WaitResult<Value> = Result<Value, WaitError>

extension Promise {
    /// Waits for the value until the timeout is over or the calling task is cancelled. In both cases it returns
    /// immediately, even if the store is busy.
    @usableFromInline
    func outcome<Output: Sendable>(
        within timeout: Duration?,
        _ clock: some Clock<Duration>,
        _ executor: (any TaskExecutor)?,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(WaitError) -> Output where Value == WaitResult<Output> {
        // Uses an unstructured task instead of a child task: a clock that is slow to handle cancellation must not delay
        // the return. There is no task if the promise is already settled: clocks keep a sleep until its deadline, even
        // if it is cancelled.
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
