import ActorStore

/// The effects of an action that a ``TestStore`` has dispatched, including those of the actions that they send.
///
/// ```swift
/// let timer = await store.dispatch(.start)
/// await clock.advance(by: .seconds(1))
/// await store.receive(.tick) { $0.seconds = 1 }
/// await timer.cancel()
/// ```
public struct TestStoreTask: Sendable {
    private let task: StoreTask?
    private let executor: ManualExecutor
    private let timeout: Duration

    init(task: StoreTask?, executor: ManualExecutor, timeout: Duration) {
        self.task = task
        self.executor = executor
        self.timeout = timeout
    }

    /// Whether all effects have ended. True if the action has no effect.
    public var isFinished: Bool { task?.isFinished ?? true }

    /// Waits until all effects have ended, including those of the actions that they send. Fails the test if they do not
    /// end.
    ///
    /// - Parameters:
    ///   - timeout: The longest wait, in real time; nil for the timeout of the test store at the dispatch.
    ///   - fileID: The file of the caller, for failures.
    ///   - filePath: The path of the caller's file, for failures.
    ///   - line: The line of the caller, for failures.
    ///   - column: The column of the caller, for failures.
    ///   - isolation: The actor on which this runs; by default the caller's.
    public func finish(
        timeout: Duration? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        isolation: isolated (any Actor)? = #isolation
    ) async {
        await wait(timeout, TestLocation(fileID, filePath, line, column))
    }

    /// Cancels the effects, and waits for their end. Fails the test if they continue nevertheless.
    ///
    /// - Parameters:
    ///   - timeout: The longest wait, in real time; nil for the timeout of the test store at the dispatch.
    ///   - fileID: The file of the caller, for failures.
    ///   - filePath: The path of the caller's file, for failures.
    ///   - line: The line of the caller, for failures.
    ///   - column: The column of the caller, for failures.
    ///   - isolation: The actor on which this runs; by default the caller's.
    public func cancel(
        timeout: Duration? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        isolation: isolated (any Actor)? = #isolation
    ) async {
        task?.cancel()
        await wait(timeout, TestLocation(fileID, filePath, line, column))
    }

    private func wait(_ timeout: Duration?, _ location: TestLocation, isolation: isolated (any Actor)? = #isolation)
        async
    {
        executor.run(location)
        guard let task, !task.isFinished else { return }
        // Advances the counter when the effects have ended, which another store's busy executor does not.
        let end = Task.detached { [executor] in
            try? await task.finish()
            executor.changes.advance()
        }
        defer { end.cancel() }
        let ending = await executor.changes.wait(atMost: timeout ?? self.timeout) {
            executor.run(location)
            return task.isFinished
        }
        guard ending != .done else { return }
        TestFailure.report("The effects of the action still run. Cancel them, or make them end.", at: location)
    }
}
