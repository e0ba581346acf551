import ActorStore

extension StoreIssueReporter {
    /// Makes the running test fail, in Swift Testing and in XCTest, for each issue that is reported.
    ///
    /// ```swift
    /// // An unimplemented dependency fails the test here.
    /// try await StoreIssueReporter.$scoped.withValue(.failingTests()) { … }
    /// ```
    ///
    /// A ``TestStore`` does this by itself for its reducers and effects. The failure is at the place where this is
    /// called; its text says where the issue was noticed.
    ///
    /// - Parameters:
    ///   - fileID: Where the failures are; leave the default.
    ///   - filePath: Where the failures are; leave the default.
    ///   - line: Where the failures are; leave the default.
    ///   - column: Where the failures are; leave the default.
    public static func failingTests(
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) -> StoreIssueReporter {
        let location = TestLocation(fileID, filePath, line, column)
        return StoreIssueReporter { issue in
            // It is the one that is bound to the task, so that it must not be asked again.
            StoreIssueReporter.$scoped.withValue(nil) { TestFailure.report("\(issue)", at: location) }
        }
    }
}
