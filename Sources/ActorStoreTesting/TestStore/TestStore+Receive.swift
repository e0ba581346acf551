import ActorStore

extension TestStore {
    /// Asserts that the next action that effects have sent matches a condition, and asserts its change of the state.
    ///
    /// ```swift
    /// await store.receive(where: { if case .loaded(let page) = $0 { page.number == 1 } else { false } }) {
    ///     $0.pages = 1
    /// }
    /// ```
    ///
    /// If no action has come, this waits for one, as long as effects run. In a test store that is not exhaustive it
    /// takes the next matching action, and skips those before it.
    ///
    /// - Parameters:
    ///   - isMatching: Returns whether an action is the expected one.
    ///   - timeout: The longest wait, in real time; nil for ``timeout`` while effects run, and no wait if none run.
    ///   - fileID: The file of the caller, for failures.
    ///   - filePath: The path of the caller's file, for failures.
    ///   - line: The line of the caller, for failures.
    ///   - column: The column of the caller, for failures.
    ///   - isolation: The actor on which this runs; by default the caller's.
    ///   - change: Changes the previous state into the expected one; see
    ///     ``dispatch(_:fileID:filePath:line:column:isolation:changing:)``.
    /// - Returns: The action; nil if the test has failed because it did not come.
    @discardableResult
    public func receive(
        where isMatching: @escaping (_ action: Action) -> Bool,
        timeout: Duration? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        isolation: isolated (any Actor)? = #isolation,
        changing change: ((_ state: inout State) throws -> Void)? = nil
    ) async -> Action? {
        let wanted = WantedAction<Action, Action>(title: "an action that matches") { isMatching($0) ? $0 : nil }
        return await receive(wanted, timeout, TestLocation(fileID, filePath, line, column), change)
    }

    /// Asserts that the next action that effects have sent is of a case, and asserts its change of the state.
    ///
    /// ```swift
    /// await store.receive(.pageLoaded) { $0.pages = 1 }      // extension CasePath { static let pageLoaded = … }
    /// await store.receive(CasePath(Feed.Action.pageLoaded)) { $0.pages = 2 }
    /// ```
    ///
    /// If no action has come, this waits for one, as long as effects run. In a test store that is not exhaustive it
    /// takes the next action of the case, and skips those before it.
    ///
    /// - Parameters:
    ///   - casePath: The case.
    ///   - timeout: The longest wait, in real time; nil for ``timeout`` while effects run, and no wait if none run.
    ///   - fileID: The file of the caller, for failures.
    ///   - filePath: The path of the caller's file, for failures.
    ///   - line: The line of the caller, for failures.
    ///   - column: The column of the caller, for failures.
    ///   - isolation: The actor on which this runs; by default the caller's.
    ///   - change: Changes the previous state into the expected one; see
    ///     ``dispatch(_:fileID:filePath:line:column:isolation:changing:)``.
    /// - Returns: The value of the case; nil if the test has failed because the action did not come.
    @discardableResult
    public func receive<Value>(
        _ casePath: CasePath<Action, Value>,
        timeout: Duration? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        isolation: isolated (any Actor)? = #isolation,
        changing change: ((_ state: inout State) throws -> Void)? = nil
    ) async -> Value? {
        // With the types around it: the values of many cases have a type named `Action`.
        let type = String(reflecting: Value.self).replacing("Swift.", with: "")
        let title =
            Value.self == Void.self
            ? "an action of a case without a value" : "an action of a case with a value of type \(type)"
        let wanted = WantedAction<Action, Value>(title: title) { casePath.extract(from: $0) }
        return await receive(wanted, timeout, TestLocation(fileID, filePath, line, column), change)
    }

    /// Asserts that the next action that effects have sent is of a case and has a value, and asserts its change of the
    /// state.
    ///
    /// If no action has come, this waits for one, as long as effects run. In a test store that is not exhaustive it
    /// takes the next action with the case and the value, and skips those before it.
    ///
    /// - Parameters:
    ///   - casePath: The case.
    ///   - value: The value.
    ///   - timeout: The longest wait, in real time; nil for ``timeout`` while effects run, and no wait if none run.
    ///   - fileID: The file of the caller, for failures.
    ///   - filePath: The path of the caller's file, for failures.
    ///   - line: The line of the caller, for failures.
    ///   - column: The column of the caller, for failures.
    ///   - isolation: The actor on which this runs; by default the caller's.
    ///   - change: Changes the previous state into the expected one; see
    ///     ``dispatch(_:fileID:filePath:line:column:isolation:changing:)``.
    public func receive<Value: Equatable>(
        _ casePath: CasePath<Action, Value>,
        _ value: Value,
        timeout: Duration? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        isolation: isolated (any Actor)? = #isolation,
        changing change: ((_ state: inout State) throws -> Void)? = nil
    ) async {
        let expected = casePath.embed(value)
        let wanted = WantedAction<Action, Void>(title: describe(expected), expected: expected) { action in
            casePath.extract(from: action) == value ? () : nil
        }
        _ = await receive(wanted, timeout, TestLocation(fileID, filePath, line, column), change)
    }
}

extension TestStore where Action: Equatable {
    /// Asserts that the next action that effects have sent is equal to an action, and asserts its change of the state.
    ///
    /// ```swift
    /// await store.receive(.tick) { $0.seconds = 1 }
    /// ```
    ///
    /// If no action has come, this waits for one, as long as effects run. In a test store that is not exhaustive it
    /// takes the next equal action, and skips those before it.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - timeout: The longest wait, in real time; nil for ``timeout`` while effects run, and no wait if none run.
    ///   - fileID: The file of the caller, for failures.
    ///   - filePath: The path of the caller's file, for failures.
    ///   - line: The line of the caller, for failures.
    ///   - column: The column of the caller, for failures.
    ///   - isolation: The actor on which this runs; by default the caller's.
    ///   - change: Changes the previous state into the expected one; see
    ///     ``dispatch(_:fileID:filePath:line:column:isolation:changing:)``.
    public func receive(
        _ action: Action,
        timeout: Duration? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        isolation: isolated (any Actor)? = #isolation,
        changing change: ((_ state: inout State) throws -> Void)? = nil
    ) async {
        let wanted = WantedAction<Action, Void>(title: describe(action), expected: action) { $0 == action ? () : nil }
        _ = await receive(wanted, timeout, TestLocation(fileID, filePath, line, column), change)
    }
}
