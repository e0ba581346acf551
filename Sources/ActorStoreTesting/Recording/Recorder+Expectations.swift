import ActorStore

extension Recorder where Element: Equatable {
    /// Reads as many values as are expected, waiting for those that have not come yet. Fails the test with the
    /// difference if the values differ, or if there are too few.
    ///
    /// - Parameters:
    ///   - expected: The values, in order. To expect that no more come, expect the end, or check ``elements``
    ///     afterwards.
    ///   - timeout: The longest wait, in real time.
    ///   - fileID: The file of the caller, for failures.
    ///   - filePath: The path of the caller's file, for failures.
    ///   - line: The line of the caller, for failures.
    ///   - column: The column of the caller, for failures.
    ///   - isolation: The actor on which this runs; by default the caller's.
    /// - Complexity: O(n), where n is the number of expected values.
    public func expect(
        _ expected: [Element],
        timeout: Duration = .seconds(1),
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        isolation: isolated (any Actor)? = #isolation
    ) async {
        let actual = await read(upTo: expected.count, timeout)
        guard actual != expected else { return }
        TestFailure.report(
            "The recorded values are not what was expected (- expected, + actual).\n\n"
                + "\(ValueDifference(from: expected, to: actual))",
            at: TestLocation(fileID, filePath, line, column)
        )
    }
}

extension Recorder {
    /// Waits for the end of the recorded sequence. Fails the test if the end does not come, or if unread values come
    /// before it. An error that the sequence throws is an end: see ``failure``.
    ///
    /// - Parameters:
    ///   - timeout: The longest wait, in real time.
    ///   - fileID: The file of the caller, for failures.
    ///   - filePath: The path of the caller's file, for failures.
    ///   - line: The line of the caller, for failures.
    ///   - column: The column of the caller, for failures.
    ///   - isolation: The actor on which this runs; by default the caller's.
    public func expectEnd(
        timeout: Duration = .seconds(1),
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        isolation: isolated (any Actor)? = #isolation
    ) async {
        let location = TestLocation(fileID, filePath, line, column)
        do {
            let rest = try await valuesUntilEnd(timeout: timeout)
            guard !rest.isEmpty else { return }
            TestFailure.report(
                "Values came before the end that were not read: \(ValueDescription(of: rest))",
                at: location
            )
        } catch {
            TestFailure.report("The recorded sequence was expected to end. \(error)", at: location)
        }
    }
}
