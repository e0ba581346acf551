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
