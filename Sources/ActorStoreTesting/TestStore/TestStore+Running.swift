import ActorStore

extension TestStore {
    /// Awaits an operation that waits for effects, such as a side effect or a shutdown of ``store``, and runs the
    /// effects meanwhile.
    ///
    /// ```swift
    /// let receipt = try await store.running { store in
    ///     try await store.dispatch(Checkout(clock: clock))
    /// } meanwhile: {
    ///     await clock.advance(by: .seconds(1))
    /// }
    /// #expect(receipt == 7)
    /// await store.receive(.paid(7)) { $0.total = 0 }
    /// await store.running { store in await store.shutdown(drain: .finishEffects) }
    /// ```
    ///
    /// Effects, and side effects, run only within the steps of a test store. A call that waits for them through
    /// ``store``, such as `dispatch` of a side effect, `perform`, `finish` of a `StoreTask`, or `shutdown`, waits for
    /// ever if the test awaits it directly. This step awaits it on ``executor``, and runs that.
    ///
    /// You must receive the actions that the operation sends and dispatches, like all that other senders send to
    /// ``store``. If the operation does not end in time, the test fails, and the operation is cancelled.
    ///
    /// - Parameters:
    ///   - timeout: The longest wait after the steps, in real time; nil for ``timeout``.
    ///   - fileID: The file of the caller, for failures.
    ///   - filePath: The path of the caller's file, for failures.
    ///   - line: The line of the caller, for failures.
    ///   - column: The column of the caller, for failures.
    ///   - isolation: The actor on which this runs; by default the caller's.
    ///   - operation: The operation. It receives ``store``. It runs on ``executor``, so it must not run that, nor
    ///     advance a ``TestClock``: do that in `steps`.
    ///   - steps: Steps of the test to take when the operation has begun and waits. If they throw, the operation is
    ///     cancelled.
    /// - Returns: The value of `operation`; nil if the test has failed because it did not end.
    /// - Throws: The error of `operation` or `steps`.
    @discardableResult
    public func running<Value: Sendable, Failure: Error>(
        timeout: Duration? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        isolation: isolated (any Actor)? = #isolation,
        _ operation: @escaping @Sendable (_ store: Store<State, Action>) async throws(Failure) -> Value,
        meanwhile steps: (nonisolated(nonsending) () async throws(Failure) -> Void)? = nil
    ) async throws(Failure) -> Value? {
        let location = TestLocation(fileID, filePath, line, column)
        let outcome = LockedValue<Result<Value, Failure>?>(nil)
        // It ends on the executor, which resumes this step.
        let task = Task(executorPreference: executor) { [store] in
            let result: Result<Value, Failure>
            do throws(Failure) {
                result = .success(try await operation(store))
            } catch {
                result = .failure(error)
            }
            outcome.withLock { $0 = result }
        }
        await executor.settle(location)
        do throws(Failure) {
            try await steps?()
        } catch {
            task.cancel()
            await executor.settle(location)
            throw error
        }
        let limit = timeout ?? self.timeout
        let ending = await session.wait(atMost: limit, location) { _ in outcome.withLock { $0 != nil } }
        let result = outcome.withLock { $0 }
        if result == nil {
            TestFailure.report(unfinished("The operation", ending, limit), at: location)
            task.cancel()
        }
        await executor.settle(location)
        reportProblems(at: location)
        return try result?.get()
    }

    /// Awaits an operation of the store in a task on ``executor``, which this runs meanwhile.
    ///
    /// - Parameter title: The name of the operation, for the message if it does not end in time.
    /// - Returns: The value of the operation; nil if the test has failed because it did not end, and it was cancelled.
    func onExecutor<Value: Sendable>(
        _ title: String,
        atMost limit: Duration,
        _ location: TestLocation,
        isolation: isolated (any Actor)? = #isolation,
        _ operation: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let outcome = LockedValue<Value?>(nil)
        let body: @Sendable () async -> Void = {
            let value = await operation()
            outcome.withLock { $0 = value }
        }
        let task = Task(executorPreference: executor, operation: body)
        let ending = await session.wait(atMost: limit, location) { _ in outcome.withLock { $0 != nil } }
        if let value = outcome.withLock({ $0 }) { return value }
        TestFailure.report(unfinished(title, ending, limit), at: location)
        task.cancel()
        return nil
    }
}
