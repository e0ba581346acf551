import ActorStore

#if canImport(Testing)
    import Testing
#endif
#if canImport(XCTest)
    import XCTest
#endif

/// Makes the running test fail, whichever library runs it.
enum TestFailure {
    /// Fails the test at a place; or tells the `StoreIssueReporter` that is bound to the task, if there is one.
    ///
    /// Swift Testing knows by the task which test is meant. Outside of a test's task both libraries are told: XCTest
    /// takes it for the test that runs, Swift Testing fails without saying which test it was.
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

    /// Says something that does not fail the test.
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

/// Where in a test something is written, in the form in which both test libraries want it.
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
