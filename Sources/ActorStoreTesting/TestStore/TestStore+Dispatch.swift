import ActorStore

extension TestStore {
    /// Dispatches an action, and asserts what it changes.
    ///
    /// ```swift
    /// await store.dispatch(.increment) { $0.count = 1 }
    /// await store.dispatch(.refresh)                       // Changes nothing by itself.
    /// ```
    ///
    /// The state is the one right after the action, before anything that its effects send. These run until they have
    /// ended or wait; what they send has to be received. In an exhaustive test store all that came before must have
    /// been received. So an action of which an asynchronous interceptor first sends others is dispatched in
    /// ``running(timeout:fileID:filePath:line:column:isolation:_:meanwhile:)``, and received like these.
    ///
    /// - Parameters:
    ///   - action: What happens.
    ///   - fileID: The file of the caller, for failures.
    ///   - filePath: The path of the caller's file, for failures.
    ///   - line: The line of the caller, for failures.
    ///   - column: The column of the caller, for failures.
    ///   - isolation: The actor on which this runs; by default the caller's.
    ///   - change: Makes the expected state of the one before. Without it, the state must not change if the test store
    ///     is exhaustive, and can change otherwise. If the test store is not exhaustive, this is called with the new
    ///     state as well, so it must work for both: neither throw nor trap, such as by taking the first element of what
    ///     can be empty then.
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
        let taken = await performTaken(action, title, location, change)
        return TestStoreTask(task: taken?.task, executor: executor, timeout: timeout)
    }

    /// Dispatches an action, and asserts that the store does not take it.
    ///
    /// ```swift
    /// await store.dispatch(.bid(5), throws: .rejected(by: "tooLow"))
    /// ```
    ///
    /// Fails the test if it is reduced, or refused for another reason. What interceptors have sent instead has to be
    /// received.
    ///
    /// - Parameters:
    ///   - action: What does not happen.
    ///   - error: What `dispatch` of the store throws.
    ///   - fileID: The file of the caller, for failures.
    ///   - filePath: The path of the caller's file, for failures.
    ///   - line: The line of the caller, for failures.
    ///   - column: The column of the caller, for failures.
    ///   - isolation: The actor on which this runs; by default the caller's.
    public func dispatch(
        _ action: Action,
        throws error: StoreError,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        isolation: isolated (any Actor)? = #isolation
    ) async {
        let location = TestLocation(fileID, filePath, line, column)
        let title = describe(action)
        let result = await perform(action, title, location, nil)
        switch result {
        case .failure(error), nil: break
        case .failure(let other):
            TestFailure.report("The store did not take \(title) for another reason: \(other)", at: location)
        case .success:
            TestFailure.report("The store has not refused \(title), but was to throw: \(error)", at: location)
        }
    }

    /// Asks a request, and asserts its answer and what it changes.
    ///
    /// ```swift
    /// await store.ask(Take(quantity: 2), answers: true) { $0.available = 1 }
    /// ```
    ///
    /// Otherwise like ``dispatch(_:fileID:filePath:line:column:isolation:changing:)``.
    ///
    /// - Parameters:
    ///   - request: What is asked.
    ///   - answer: What `ask` of the store returns.
    ///   - fileID: The file of the caller, for failures.
    ///   - filePath: The path of the caller's file, for failures.
    ///   - line: The line of the caller, for failures.
    ///   - column: The column of the caller, for failures.
    ///   - isolation: The actor on which this runs; by default the caller's.
    ///   - change: Makes the expected state of the one before. Without it, the state must not change if the test store
    ///     is exhaustive, and can change otherwise. If the test store is not exhaustive, this is called with the new
    ///     state as well, so it must neither throw nor trap for that.
    /// - Returns: the effects of the request, with all that comes of them; it can be ignored.
    @discardableResult
    public func ask<R: Request>(
        _ request: R,
        answers answer: R.Answer,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        isolation: isolated (any Actor)? = #isolation,
        changing change: ((_ state: inout State) throws -> Void)? = nil
    ) async -> TestStoreTask where R.StoreAction == Action, R.Answer: Equatable {
        let location = TestLocation(fileID, filePath, line, column)
        let action = R.casePath.embed(request)
        let title = describe(action)
        let taken = await performTaken(action, title, location, change)
        if let taken {
            // First whether there is one: an answer can be an optional.
            if let value = taken.answer, let actual = value as? R.Answer {
                if actual != answer {
                    TestFailure.report(
                        "The answer to \(title) is not what was expected (- expected, + actual)."
                            + difference(from: answer, to: actual),
                        at: location
                    )
                }
            } else {
                TestFailure.report("Nobody has answered \(title). \(StoreError.unanswered)", at: location)
            }
        }
        return TestStoreTask(task: taken?.task, executor: executor, timeout: timeout)
    }

    /// What the store makes of an action that it takes: the effects, and the answer, if it is a request.
    private typealias Taken = (task: StoreTask, answer: (any Sendable)?)

    /// Dispatches an action, and fails the test if the store does not take it.
    private func performTaken(
        _ action: Action,
        _ title: String,
        _ location: TestLocation,
        _ change: ((_ state: inout State) throws -> Void)?,
        isolation: isolated (any Actor)? = #isolation
    ) async -> Taken? {
        switch await perform(action, title, location, change) {
        case nil: return nil
        case .success(let taken): return taken
        case .failure(let error):
            TestFailure.report("The store did not take \(title). \(error)", at: location)
            return nil
        }
    }

    /// - Returns: What the store makes of the action, or why it does not take it; nil if the test has failed because it
    ///   did neither in time.
    private func perform(
        _ action: Action,
        _ title: String,
        _ location: TestLocation,
        _ change: ((_ state: inout State) throws -> Void)?,
        isolation: isolated (any Actor)? = #isolation
    ) async -> Result<Taken, StoreError>? {
        executor.run(location)
        passOver(session.take { $0.takeReceived($0.received.count) }, before: "\(title) is dispatched", at: location)
        let result = await dispatchInTime(action, title, location)
        let own = session.take { $0.endDispatch() }
        passOver(own.before, before: "\(title) is dispatched", at: location)
        if let last = own.reductions.last {
            check(change, from: state, to: last.state, after: title, at: location)
        }
        await executor.settle(location)
        reportProblems(at: location)
        return result
    }

    /// Dispatches an action, in a task on the executor, which this runs meanwhile: what the store has to do before, for
    /// others or because it is suspended, may be a job of that executor.
    private func dispatchInTime(
        _ action: Action,
        _ title: String,
        _ location: TestLocation,
        isolation: isolated (any Actor)? = #isolation
    ) async -> Result<Taken, StoreError>? {
        let number = session.take { $0.beginDispatch() }
        return await onExecutor("The dispatch of \(title)", atMost: timeout, location) { [store, session] in
            await Self.dispatch(action, number, to: store, session)
        }
    }

    private static func dispatch(
        _ action: Action,
        _ number: UInt64,
        to store: Store<State, Action>,
        _ session: TestStoreSession<State, Action>,
        isolation: isolated (any Actor)? = #isolation
    ) async -> Result<Taken, StoreError> {
        do throws(StoreError) {
            return .success(
                try await store.dispatch(action) { isBeginning in session.note { $0.bracket(number, isBeginning) } }
            )
        } catch {
            return .failure(error)
        }
    }
}
