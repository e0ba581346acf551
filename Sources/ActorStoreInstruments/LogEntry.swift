import ActorStore

/// How much a log entry matters.
public enum LogLevel: Int, Sendable, Comparable, CaseIterable, CustomStringConvertible {
    /// Of use to whoever follows every step.
    case trace
    /// Of use to whoever looks for a defect.
    case debug
    /// What happens in the ordinary course.
    case info
    /// What should be noticed, though nothing is wrong.
    case notice
    /// What should not happen, though nothing was lost.
    case warning
    /// What went wrong.
    case error
    /// What needs somebody now.
    case critical

    /// Whether one matters less than the other.
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }

    /// The name of the case.
    public var description: String {
        switch self {
        case .trace: "trace"
        case .debug: "debug"
        case .info: "info"
        case .notice: "notice"
        case .warning: "warning"
        case .error: "error"
        case .critical: "critical"
        }
    }
}

/// What a log has to say about one action.
///
/// ```swift
/// let log = Logger(label: "orders")    // Of the package swift-log.
/// let interceptor = Interceptor<State, Action>.logger(to: { entry in
///     log.log(level: Logger.Level(entry.level), "\(entry.message)", metadata: ["revision": "\(entry.revision)"])
/// })
/// ```
public struct LogEntry: Sendable, Equatable, CustomStringConvertible {
    /// How much it matters.
    public let level: LogLevel
    /// The name of the store.
    public let storeName: String
    /// How many actions had been reduced.
    public let revision: UInt64
    /// What happened.
    public let message: String

    /// The entry in one line, if its message is one.
    public var description: String { "[\(level)] \(storeName) #\(revision): \(message)" }

    /// Writes an entry and the end of a line to standard error, before it returns.
    ///
    /// Whoever reads standard error slowly slows the store down.
    public static func writeToStandardError(_ entry: LogEntry) {
        StandardError.writeLine(entry.description)
    }
}
