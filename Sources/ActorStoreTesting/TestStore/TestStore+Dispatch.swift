import ActorStore

extension TestStore {
    /// Dispatches an action, and asserts its change of the state.
    ///
    /// ```swift
    /// await store.dispatch(.increment) { $0.count = 1 }
    /// await store.dispatch(.refresh)                       // Changes nothing by itself.
    /// ```
    ///
    /// The asserted state is the one directly after the action, before any action of its effects. The effects run until
    /// they have ended or wait; you must receive the actions that they send. In an exhaustive test store you must have
    /// received all earlier actions. If an asynchronous interceptor sends other actions before this one, dispatch it in
    /// ``running(timeout:fileID:filePath:line:column:isolation:_:meanwhile:)``, and receive it like these.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - fileID: The file of the caller, for failures.
    ///   - filePath: The path of the caller's file, for failures.
    ///   - line: The line of the caller, for failures.
    ///   - column: The column of the caller, for failures.
    ///   - isolation: The actor on which this runs; by default the caller's.
    ///   - change: Changes the previous state into the expected one. Without it, the state must not change if the test
    ///     store is exhaustive, and can change otherwise. If the test store is not exhaustive, this is also called with
    ///     the new state, so it must work for both: it must neither throw nor trap, such as by taking the first element
    ///     of an array that can be empty then.
    /// - Returns: The effects of the action and of the actions that they send. You can ignore it.
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

    /// Dispatches an action, and asserts that the store refuses it.
    ///
    /// ```swift
    /// await store.dispatch(.bid(5), throws: .rejected(by: "tooLow"))
    /// ```
    ///
    /// Fails the test if the action is reduced, or refused with another error. You must receive the actions that
    /// interceptors have sent instead.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - error: The error that `dispatch` of the store throws.
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
            TestFailure.report("The store has refused \(title) with another error: \(other)", at: location)
        case .success:
            TestFailure.report("The store has not refused \(title). It was expected to throw: \(error)", at: location)
        }
    }

    /// Asks a request, and asserts its answer and its change of the state.
    ///
    /// ```swift
    /// await store.ask(Take(quantity: 2), answers: true) { $0.available = 1 }
    /// ```
    ///
    /// The asserted state is the one directly after the request, before any action of its effects. The effects run
    /// until they have ended or wait; you must receive the actions that they send. In an exhaustive test store you must
    /// have received all earlier actions.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - answer: The value that `ask` of the store returns.
    ///   - fileID: The file of the caller, for failures.
    ///   - filePath: The path of the caller's file, for failures.
    ///   - line: The line of the caller, for failures.
    ///   - column: The column of the caller, for failures.
    ///   - isolation: The actor on which this runs; by default the caller's.
    ///   - change: Changes the previous state into the expected one. Without it, the state must not change if the test
    ///     store is exhaustive, and can change otherwise. If the test store is not exhaustive, this is also called with
    ///     the new state, so it must neither throw nor trap for that.
    /// - Returns: The effects of the request and of the actions that they send. You can ignore it.
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
            // Checks for an answer before its type, because an answer can be an optional.
            if let value = taken.answer, let actual = value as? R.Answer {
                if actual != answer {
                    TestFailure.report(
                        "The answer to \(title) is not what was expected (- expected, + actual)."
                            + difference(from: answer, to: actual),
                        at: location
                    )
                }
            } else {
                TestFailure.report("No reducer has answered \(title). \(StoreError.unanswered)", at: location)
            }
        }
        return TestStoreTask(task: taken?.task, executor: executor, timeout: timeout)
    }

    /// The result of an accepted action: its effects, and the answer, if it is a request.
    private typealias Taken = (task: StoreTask, answer: (any Sendable)?)

    /// Dispatches an action, and fails the test if the store refuses it.
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
            TestFailure.report("The store has refused \(title). \(error)", at: location)
            return nil
        }
    }

    /// Dispatches an action, and compares the state.
    ///
    /// - Returns: The result of the action, or the error with which the store refuses it; nil if the test has failed
    ///   because neither came in time.
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

    /// Dispatches an action, in a task on the executor, which this runs meanwhile: earlier work of the store, for other
    /// senders or because it is suspended, may be a job of that executor.
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
