/// An error of a log, or of a store that uses one.
///
/// ```swift
/// do {
///     try await stock.dispatch(.sold(3))
/// } catch let error as ActionLogError where error.code == .disconnected {
///     return .serviceUnavailable
/// }
/// ```
public struct ActionLogError: Error, Sendable, Equatable {
    /// The kind of an error. Later versions can add kinds, so a `switch` needs a `default`.
    public struct Code: Sendable, Hashable {
        let rawValue: String
    }

    /// The kind of the error.
    public let code: Code
    /// The log: the path of a file, or a stream and its server, without secrets.
    public let log: String
    /// The position in the log that the error concerns; nil if it concerns no single position.
    public let position: UInt64?
    /// What happened, and what to do.
    public let reason: String

    /// Creates an error. For engines.
    public init(_ code: Code, in log: String, at position: UInt64? = nil, _ reason: String) {
        self.code = code
        self.log = log
        self.position = position
        self.reason = reason
    }
}

extension ActionLogError.Code {
    // MARK: Transient errors

    /// The server is unreachable, the connection failed, or there are no free file descriptors.
    public static let disconnected = ActionLogError.Code(rawValue: "disconnected")
    /// The disk or the memory of the server is full.
    public static let full = ActionLogError.Code(rawValue: "full")
    /// Another writer uses the log.
    public static let inUse = ActionLogError.Code(rawValue: "inUse")
    /// Another program blocks the log for longer than the engine waits.
    public static let busy = ActionLogError.Code(rawValue: "busy")

    // MARK: Contents of the log

    /// The log has entries that the writer has not seen.
    public static let unexpectedEnd = ActionLogError.Code(rawValue: "unexpectedEnd")
    /// The number of an entry is not the next one of its origin.
    public static let unexpectedNumber = ActionLogError.Code(rawValue: "unexpectedNumber")
    /// The log has lost an entry that it had acknowledged.
    public static let lostEntries = ActionLogError.Code(rawValue: "lostEntries")
    /// The requested entries were deleted in favour of a snapshot.
    public static let trimmed = ActionLogError.Code(rawValue: "trimmed")
    /// Another writer has claimed the log since.
    public static let fenced = ActionLogError.Code(rawValue: "fenced")
    /// A record is damaged.
    public static let damaged = ActionLogError.Code(rawValue: "damaged")

    // MARK: Errors that require a change

    /// An entry exceeds the engine's size limit.
    public static let tooLarge = ActionLogError.Code(rawValue: "tooLarge")
    /// The file or the server cannot provide the requested durability.
    public static let unsafe = ActionLogError.Code(rawValue: "unsafe")
    /// This is not a log, or it is of a later version of this library.
    public static let unknownFormat = ActionLogError.Code(rawValue: "unknownFormat")
    /// The engine refuses permanently: no access, a missing privilege, or a limit of the server.
    public static let refused = ActionLogError.Code(rawValue: "refused")
    // MARK: Errors of stores

    /// The action or the state cannot be encoded.
    public static let unencodable = ActionLogError.Code(rawValue: "unencodable")
    /// The action or the state cannot be decoded.
    public static let undecodable = ActionLogError.Code(rawValue: "undecodable")
    /// The program cannot migrate this version of the schema of an action or a state.
    public static let unknownSchema = ActionLogError.Code(rawValue: "unknownSchema")
    /// The action was written for another version of the reducer.
    public static let otherReducer = ActionLogError.Code(rawValue: "otherReducer")
    /// The state differs from that of another store after the same actions.
    public static let diverged = ActionLogError.Code(rawValue: "diverged")
    /// The state does not have the revision that the action expects.
    public static let unexpectedRevision = ActionLogError.Code(rawValue: "unexpectedRevision")
    /// The revision does not exist: it has not been reached, or was deleted.
    public static let unknownRevision = ActionLogError.Code(rawValue: "unknownRevision")
    /// The maximum number of actions is waiting to be written.
    public static let overloaded = ActionLogError.Code(rawValue: "overloaded")
    /// The action is in the log, but the awaited result is unknown here, because this replica has skipped the action by
    /// means of a snapshot: whether it had the expected revision, or its answer.
    public static let unknownOutcome = ActionLogError.Code(rawValue: "unknownOutcome")
    /// The log or file must be empty, and is not.
    public static let notEmpty = ActionLogError.Code(rawValue: "notEmpty")

    /// The log is closed.
    public static let closed = ActionLogError.Code(rawValue: "closed")
}

extension ActionLogError {
    /// Whether a retry can succeed without any change.
    public var isTransient: Bool { [.disconnected, .full, .inUse, .busy].contains(code) }
}

extension ActionLogError: CustomStringConvertible {
    /// The log, the position, what happened, and what to do.
    public var description: String {
        "\(log)\(position.map { ", position \($0)" } ?? ""): \(reason)"
    }
}
