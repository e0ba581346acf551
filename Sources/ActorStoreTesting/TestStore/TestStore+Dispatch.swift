import ActorStore

extension TestStore {
    /// Dispatches an action, and asserts what it changes.
    ///
    /// ```swift
    /// await store.dispatch(.increment) { $0.count = 1 }
    /// await store.dispatch(.refresh)                       // Changes nothing by itself.
    /// ```
    ///
    /// The state is the one right after the action, before anything that its effects send. These run until they have ended or
    /// wait; what they send has to be received. In an exhaustive test store all that came before must have been received.
    ///
    /// - Parameters:
    ///   - action: What happens.
    ///   - fileID: Where this is written; leave the default.
    ///   - filePath: Where this is written; leave the default.
    ///   - line: Where this is written; leave the default.
    ///   - column: Where this is written; leave the default.
    ///   - change: Makes the expected state of the one before. Without it, the state must not change if the test store is
    ///     exhaustive, and can change otherwise.
    /// - Returns: the effects of the action, with all that comes of them; it can be ignored.
    @discardableResult
    public func dispatch(
        _ action: Action,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        isolation: isolated (any Actor)? = #isolation,
        changing change: ((_ state: inout State) throws -> Void)? = nil
    ) async -> TestStoreTask {
        let location = TestLocation(fileID, filePath, line, column)
        let title = describe(action)
        executor.run(location)
        passOver(session.take { $0.takeReceived($0.received.count) }, before: "\(title) is dispatched", at: location)
        var task: StoreTask?
        do {
            let session = session
            task = try await store.dispatch(action) { isBeginning in session.note { $0.bracket(isBeginning) } }
        } catch {
            TestFailure.report("The store did not take \(title). \(error)", at: location)
        }
        let own = session.take { $0.takeOwn() }
        passOver(own.before, before: "\(title) is dispatched", at: location)
        if let last = own.reductions.last {
            check(change, from: state, to: last.state, after: title, at: location)
        }
        await executor.settle(location)
        reportProblems(at: location)
        return TestStoreTask(task: task, executor: executor, timeout: timeout)
    }
}
