import Synchronization

/// A programmer's mistake that was noticed while the program runs, and that does not end it.
public struct ReportedIssue: Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, and what can be done about it.
    public let message: String
    /// Where it was noticed.
    public let location: CodeLocation

    package init(message: String, location: CodeLocation) {
        self.message = message
        self.location = location
    }

    /// The message after the place.
    public var description: String { "\(location): \(message)" }
}

/// What happens with an ``ReportedIssue``: a server logs it, a test fails because of it.
///
/// ```swift
/// // In a service, once:
/// StoreIssueReporter.setDefault(StoreIssueReporter { issue in logger.error("\(issue)") })
/// // Around a test:
/// try await StoreIssueReporter.$scoped.withValue(StoreIssueReporter { Issue.record("\($0)") }) { … }
/// ```
///
/// The one that is bound to the task counts, and otherwise that of the process, which writes to standard error unless
/// it was set.
public struct StoreIssueReporter: Sendable {
    private let receive: @Sendable (ReportedIssue) -> Void

    /// Creates a reporter.
    ///
    /// - Parameter receive: What to do with an issue. Called on the thread that noticed it, which can be inside a
    ///   store's turn, so that it must not block for long.
    public init(_ receive: @escaping @Sendable (_ issue: ReportedIssue) -> Void) {
        self.receive = receive
    }

    /// Writes issues to standard error, a line for each.
    public static let standardError = StoreIssueReporter { StandardError.writeLine("Issue at \($0)") }

    /// The reporter bound to the current task, if any. Effects of dispatched actions inherit it, those of sent ones do
    /// not; see ``Store``.
    @TaskLocal public static var scoped: StoreIssueReporter?

    /// The reporter that counts here.
    package static var current: StoreIssueReporter { scoped ?? process.value }

    /// Sets the reporter of the process, for tasks that are not bound to one.
    public static func setDefault(_ reporter: StoreIssueReporter) { process.value = reporter }

    /// Reports an issue to the reporter that counts here.
    ///
    /// - Parameters:
    ///   - message: What is wrong, and what can be done about it.
    ///   - fileID: Where it was noticed.
    ///   - line: Where it was noticed.
    package static func report(_ message: String, fileID: String = #fileID, line: UInt = #line) {
        current.report(ReportedIssue(message: message, location: CodeLocation(fileID: fileID, line: line)))
    }

    /// Hands an issue to this reporter.
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
            // Carried out of the lock, so that what the closure holds is not released under it.
            let previous = lock.withLock {
                defer { reporter = newValue }
                return reporter
            }
            withExtendedLifetime(previous) {}
        }
    }
}
