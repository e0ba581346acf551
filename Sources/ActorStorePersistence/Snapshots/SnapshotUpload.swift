import Foundation

/// A snapshot on its way into a log, and what is deleted behind those that are there, in steps between which others may
/// use the connection: a plain value.
struct SnapshotUpload: Sendable {
    private var encoded: SnapshotCoding.Encoded?
    /// Up to where entries are being deleted.
    private var trimming: UInt64?
    /// Those that were read back.
    var retained: RetainedSnapshots

    init(_ retention: LogRetention) { retained = RetainedSnapshots(retention) }

    /// Whether there is something to do.
    var isIdle: Bool { encoded == nil && trimming == nil }

    /// Whether a snapshot is on its way, which is done before anything is deleted.
    var isWriting: Bool { encoded != nil }

    /// Begins with a snapshot.
    mutating func begin(_ encoded: SnapshotCoding.Encoded) { self.encoded = encoded }

    /// Begins to delete entries up to a position.
    mutating func trim(through position: UInt64) { trimming = position }

    /// Gives up what has been begun, and the room that it takes in the log. If that fails, a later trim does it.
    mutating func cancel(by connection: (any ActionLogConnection)?) {
        if let encoded { try? connection?.discard(encoded.snapshot) }
        (encoded, trimming) = (nil, nil)
    }

    /// What a step has come to.
    enum Step {
        case goesOn
        /// The snapshot is of entries that the log does not have yet.
        case waits
        /// The log has the snapshot, or another one of its position or a later one.
        case finished(ActionLogSnapshot, isTaken: Bool)
        /// What was to be deleted is gone.
        case trimmed
    }

    /// Does the next piece of what there is to do.
    ///
    /// - Parameter end: Up to where the log has entries. A snapshot of a later one is not finished.
    mutating func advance(by connection: any ActionLogConnection, end: UInt64 = .max) throws(ActionLogError) -> Step {
        if var encoded {
            if let part = encoded.next {
                try connection.write(part, encoded.number, of: encoded.snapshot)
                encoded.advance()
                self.encoded = encoded
                return .goesOn
            }
            if encoded.snapshot.point.position > end { return .waits }
            let isTaken = try connection.finish(encoded.snapshot)
            self.encoded = nil
            return .finished(encoded.snapshot, isTaken: isTaken)
        }
        if let position = trimming, try connection.trim(through: position) { return .goesOn }
        trimming = nil
        return .trimmed
    }
}
