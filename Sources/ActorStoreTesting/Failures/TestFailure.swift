import ActorStore

#if canImport(Testing)
    import Testing
#endif
#if canImport(XCTest)
    import XCTest
#endif

/// Fails the running test, whichever library runs it.
enum TestFailure {
    /// Fails the test at a location, or reports to the `StoreIssueReporter` that is bound to the task, if any.
    ///
    /// Swift Testing finds the test by the task. Outside of a test's task the failure is reported to both libraries:
    /// XCTest attributes it to the running test, Swift Testing fails without naming the test.
    static func report(_ message: String, at location: TestLocation) {
        guard StoreIssueReporter.scoped == nil else {
            return StoreIssueReporter.report(message, fileID: "\(location.fileID)", line: location.line)
        }
        #if canImport(XCTest)
            if !isInSwiftTesting { XCTFail(message, file: location.filePath, line: location.line) }
        #endif
        #if canImport(Testing)
            Issue.record(Comment(rawValue: message), sourceLocation: Testing.SourceLocation(location))
        #endif
    }

    /// Prints a message that does not fail the test.
    static func note(_ message: String, at location: TestLocation) {
        #if canImport(Testing)
            if isInSwiftTesting {
                Issue.record(
                    Comment(rawValue: message),
                    severity: .warning,
                    sourceLocation: Testing.SourceLocation(location)
                )
                return
            }
        #endif
        StandardError.writeLine("\(location.fileID):\(location.line): \(message)")
    }

    private static var isInSwiftTesting: Bool {
        #if canImport(Testing)
            Test.current != nil
        #else
            false
        #endif
    }
}

#if canImport(Testing)
    extension Testing.SourceLocation {
        fileprivate init(_ location: TestLocation) {
            self.init(
                fileID: "\(location.fileID)",
                filePath: "\(location.filePath)",
                line: Int(location.line),
                column: Int(location.column)
            )
        }
    }
#endif

/// A source location in a test, in the form that both test libraries take.
struct TestLocation: Sendable {
    let fileID: StaticString
    let filePath: StaticString
    let line: UInt
    let column: UInt

    init(_ fileID: StaticString, _ filePath: StaticString, _ line: UInt, _ column: UInt) {
        self.fileID = fileID
        self.filePath = filePath
        self.line = line
        self.column = column
    }
}

extension StoreIssueReporter {
    /// Returns a reporter that fails the running test, in Swift Testing and in XCTest, for each reported issue.
    ///
    /// ```swift
    /// // An unimplemented dependency fails the test here.
    /// try await StoreIssueReporter.$scoped.withValue(.failingTests()) { … }
    /// ```
    ///
    /// A ``TestStore`` does this by itself for its reducers and effects. The failure is at the place of this call; its
    /// text says where the issue was detected.
    ///
    /// - Parameters:
    ///   - fileID: The file of the failures; by default the caller's.
    ///   - filePath: The path of the file of the failures; by default the caller's.
    ///   - line: The line of the failures; by default the caller's.
    ///   - column: The column of the failures; by default the caller's.
    /// - Returns: A reporter.
    public static func failingTests(
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) -> StoreIssueReporter {
        let location = TestLocation(fileID, filePath, line, column)
        return StoreIssueReporter { issue in
            // This reporter is itself bound to the task, so it must not be found again.
            StoreIssueReporter.$scoped.withValue(nil) { TestFailure.report("\(issue)", at: location) }
        }
    }
}
