/// Why a log does not do what it was asked for.
///
/// ```swift
/// do {
///     try await stock.dispatch(.sold(3))
/// } catch let error as ActionLogError where error.code == .disconnected {
///     return .serviceUnavailable
/// }
/// ```
public struct ActionLogError: Error, Sendable, Equatable {
    /// What kind of failure it is. More can come in later versions, so that a `switch` needs a `default`.
    public struct Code: Sendable, Hashable {
        let rawValue: String
    }

    /// What kind of failure it is.
    public let code: Code
    /// The log: the path of a file, or the name of a stream and the server that has it, without secrets.
    public let log: String
    /// The position that it is about, if it is about one.
    public let position: UInt64?
    /// What happened, and what to do.
    public let reason: String

    /// Creates an error; for engines.
    public init(_ code: Code, in log: String, at position: UInt64? = nil, _ reason: String) {
        self.code = code
        self.log = log
        self.position = position
        self.reason = reason
    }
}

extension ActionLogError.Code {
    // MARK: What may be better next time

    /// The server cannot be reached, or the connection has broken off.
    public static let disconnected = ActionLogError.Code(rawValue: "disconnected")
    /// There is no room, on the disk or in the memory of the server.
    public static let full = ActionLogError.Code(rawValue: "full")
    /// Another writer has the log.
    public static let inUse = ActionLogError.Code(rawValue: "inUse")
    /// Another program keeps the log busy for longer than the engine waits.
    public static let busy = ActionLogError.Code(rawValue: "busy")

    // MARK: What the log has

    /// The log has entries after those that the writer knows of, or not as many.
    public static let unexpectedEnd = ActionLogError.Code(rawValue: "unexpectedEnd")
    /// The number of an entry is not the next one of its origin.
    public static let unexpectedNumber = ActionLogError.Code(rawValue: "unexpectedNumber")
    /// The log no longer has an entry that it had acknowledged.
    public static let lostEntries = ActionLogError.Code(rawValue: "lostEntries")
    /// The entries that were asked for have been deleted behind a snapshot.
    public static let trimmed = ActionLogError.Code(rawValue: "trimmed")
    /// Another writer has claimed the log since.
    public static let fenced = ActionLogError.Code(rawValue: "fenced")
    /// A record is damaged.
    public static let damaged = ActionLogError.Code(rawValue: "damaged")

    // MARK: What has to be changed

    /// An entry is larger than the engine takes.
    public static let tooLarge = ActionLogError.Code(rawValue: "tooLarge")
    /// The file or the server cannot hold what is asked of it.
    public static let unsafe = ActionLogError.Code(rawValue: "unsafe")
    /// It is no log, or one of a later version of this library.
    public static let unknownFormat = ActionLogError.Code(rawValue: "unknownFormat")
    /// The engine refuses for good: access, a missing right, a limit of the server.
    public static let refused = ActionLogError.Code(rawValue: "refused")
    // MARK: What actions and states are to a store

    /// The action or the state cannot be encoded.
    public static let unencodable = ActionLogError.Code(rawValue: "unencodable")
    /// The action or the state cannot be decoded.
    public static let undecodable = ActionLogError.Code(rawValue: "undecodable")
    /// The action or the state is of a version of the schema that this program has no way from.
    public static let unknownSchema = ActionLogError.Code(rawValue: "unknownSchema")
    /// The action was meant for another version of the reducer.
    public static let otherReducer = ActionLogError.Code(rawValue: "otherReducer")
    /// The state is not the one that another store has made of the same actions.
    public static let diverged = ActionLogError.Code(rawValue: "diverged")
    /// The action was meant for another revision than that of the state.
    public static let unexpectedRevision = ActionLogError.Code(rawValue: "unexpectedRevision")
    /// There is no state of that revision: it has not been reached, or was deleted.
    public static let unknownRevision = ActionLogError.Code(rawValue: "unknownRevision")
    /// As many actions wait to be written as may.
    public static let overloaded = ActionLogError.Code(rawValue: "overloaded")
    /// The action was reduced, and it is not known whether the log has it.
    public static let unconfirmed = ActionLogError.Code(rawValue: "unconfirmed")
    /// The action is in the log, and what came of it is not known here, because this replica went on behind it.
    public static let unknownOutcome = ActionLogError.Code(rawValue: "unknownOutcome")
    /// There is something where an empty log was wanted.
    public static let notEmpty = ActionLogError.Code(rawValue: "notEmpty")

    /// The log is closed.
    public static let closed = ActionLogError.Code(rawValue: "closed")
}

extension ActionLogError {
    /// Whether trying again can help, without anything being changed.
    public var isPassing: Bool { [.disconnected, .full, .inUse, .busy].contains(code) }
}

extension ActionLogError: CustomStringConvertible {
    /// What happened, where, and what to do.
    public var description: String {
        "\(log)\(position.map { ", position \($0)" } ?? ""): \(reason)"
    }
}
