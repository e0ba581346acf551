import ActorStore

extension Recorder where Element: Equatable {
    /// Reads as many values as are expected, waits for those that have not come yet, and fails the test if they are
    /// others, or too few, with the difference.
    ///
    /// - Parameters:
    ///   - expected: The values, in order. To expect that no more come, expect the end, or look at ``elements``
    ///     afterwards.
    ///   - timeout: How long to wait at most, in real time.
    ///   - fileID: Where this is written; leave the default.
    ///   - filePath: Where this is written; leave the default.
    ///   - line: Where this is written; leave the default.
    ///   - column: Where this is written; leave the default.
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
    /// Waits for the end of what is recorded, and fails the test if it does not come, or if values come before that
    /// have not been read. An error that the sequence throws is an end: see ``failure``.
    ///
    /// - Parameters:
    ///   - timeout: How long to wait at most, in real time.
    ///   - fileID: Where this is written; leave the default.
    ///   - filePath: Where this is written; leave the default.
    ///   - line: Where this is written; leave the default.
    ///   - column: Where this is written; leave the default.
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
                "Before the end came values that were not read: \(ValueDescription(of: rest))",
                at: location
            )
        } catch {
            TestFailure.report("What is recorded was expected to end. \(error)", at: location)
        }
    }
}
