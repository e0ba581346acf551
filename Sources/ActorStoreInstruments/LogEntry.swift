import ActorStore

/// The severity of a log entry.
public enum LogLevel: Int, Sendable, Comparable, CaseIterable, CustomStringConvertible {
    /// For following every step.
    case trace
    /// For finding defects.
    case debug
    /// For events of normal operation.
    case info
    /// For events that are not errors, but may need attention.
    case notice
    /// For events that should not happen, but lost nothing.
    case warning
    /// For errors.
    case error
    /// For errors that need immediate attention.
    case critical

    /// Returns whether one level is less severe than the other.
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

/// A log entry about one action.
///
/// ```swift
/// let log = Logger(label: "orders")    // Of the package swift-log.
/// let interceptor = Interceptor<State, Action>.logger(to: { entry in
///     let level = Logger.Level(rawValue: entry.level.description) ?? .info
///     log.log(level: level, "\(entry.message)", metadata: ["revision": "\(entry.revision)"])
/// })
/// ```
public struct LogEntry: Sendable, Equatable, CustomStringConvertible {
    /// The severity.
    public let level: LogLevel
    /// The name of the store.
    public let storeName: String
    /// The number of actions that had been reduced.
    public let revision: UInt64
    /// The description of the action, and the reason if it was stopped.
    public let message: String

    /// The entry on one line, if its message is a single line.
    public var description: String { "[\(level)] \(storeName) #\(revision): \(message)" }

    /// Writes an entry and a line break to standard error, before it returns.
    ///
    /// A slow reader of standard error slows the store down.
    public static func writeToStandardError(_ entry: LogEntry) {
        StandardError.writeLine(entry.description)
    }
}
