import Synchronization

/// A programming error that was detected at run time and does not terminate the program.
public struct ReportedIssue: Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, and how to fix it.
    public let message: String
    /// The code location that reported the issue.
    public let location: CodeLocation

    package init(message: String, location: CodeLocation) {
        self.message = message
        self.location = location
    }

    /// The location, followed by the message.
    public var description: String { "\(location): \(message)" }
}

/// Receives each ``ReportedIssue``: a server logs it, a test fails because of it.
///
/// ```swift
/// // In a service, once:
/// StoreIssueReporter.setDefault(StoreIssueReporter { issue in logger.error("\(issue)") })
/// // Around a test:
/// try await StoreIssueReporter.$scoped.withValue(StoreIssueReporter { Issue.record("\($0)") }) { … }
/// ```
///
/// The reporter that is bound to the current task receives an issue; without one, the reporter of the process does.
/// That writes to standard error unless you call ``setDefault(_:)``.
public struct StoreIssueReporter: Sendable {
    private let receive: @Sendable (ReportedIssue) -> Void

    /// Creates a reporter.
    ///
    /// - Parameter receive: A closure that handles an issue. It is called on the thread that detected the issue,
    ///   possibly within a store's turn, so it must not block for long.
    public init(_ receive: @escaping @Sendable (_ issue: ReportedIssue) -> Void) {
        self.receive = receive
    }

    /// A reporter that writes each issue to standard error, on one line.
    public static let standardError = StoreIssueReporter { StandardError.writeLine("Issue at \($0)") }

    /// The reporter bound to the current task, or nil. Effects of dispatched actions inherit it; effects of sent
    /// actions do not. See ``Store``.
    @TaskLocal public static var scoped: StoreIssueReporter?

    /// The reporter of the current task, or that of the process.
    package static var current: StoreIssueReporter { scoped ?? process.value }

    /// Sets the reporter of the process, for tasks without a bound reporter.
    ///
    /// To receive the issues of one test only, bind ``scoped`` instead.
    ///
    /// - Parameter reporter: The reporter.
    public static func setDefault(_ reporter: StoreIssueReporter) { process.value = reporter }

    /// Reports an issue to the current reporter.
    ///
    /// - Parameters:
    ///   - message: What is wrong, and how to fix it.
    ///   - fileID: The file of the location.
    ///   - line: The line of the location.
    package static func report(_ message: String, fileID: String = #fileID, line: UInt = #line) {
        current.report(ReportedIssue(message: message, location: CodeLocation(fileID: fileID, line: line)))
    }

    /// Reports an issue to this reporter.
    ///
    /// - Parameter issue: The issue.
    public func report(_ issue: ReportedIssue) { receive(issue) }

    private static let process = ProcessReporter()
}

private final class ProcessReporter: @unchecked Sendable {
    // Sound: `reporter` is read and written under the lock.
    private let lock = Lock()
    private var reporter = StoreIssueReporter.standardError

    var value: StoreIssueReporter {
        get { lock.withLock { reporter } }
        set {
            // Released outside the lock, with what the closure has captured.
            let previous = lock.withLock {
                defer { reporter = newValue }
                return reporter
            }
            withExtendedLifetime(previous) {}
        }
    }
}
