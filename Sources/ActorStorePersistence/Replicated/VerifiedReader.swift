/// Reads the entries of a log in order, and detects that the log has lost entries that were read from it: a plain
/// value.
struct VerifiedReader: Sendable {
    /// The number of bytes that are read at a time.
    private static var bytesPerRead: Int { 1 << 20 }
    /// The maximum size of an entry that is read again to verify that it still exists.
    private static var overlap: Int { 1 << 12 }
    /// The number of newest entries that are verified after a lost connection.
    private static var verified: Int { 4 }

    /// The name of the log, for errors.
    private let log: String
    /// The last entry that was read.
    private(set) var point = ActionLogPoint.start
    /// The size of the last entry; nil if it was not read.
    private var lastSize: Int?
    private var known = KnownOrigins()

    init(_ log: String) { self.log = log }

    /// Continues behind a state from a snapshot, or from another reader.
    mutating func begin(behind point: ActionLogPoint) {
        self.point = point
        lastSize = nil
        known.reset()
        known.note(point)
    }

    /// Records an entry that was read.
    mutating func note(_ point: ActionLogPoint, size: Int) {
        self.point = point
        lastSize = size
        known.note(point)
    }

    // MARK: Verification

    /// Verifies that the log has the entries that were read before the connection was lost.
    func verify(by connection: any ActionLogConnection) throws(ActionLogError) {
        for point in known.points.suffix(Self.verified) {
            do throws(ActionLogError) {
                let found = try connection.identity(at: point.position)
                if found != point.identity { throw try lost(by: connection) }
            } catch {
                // Whether the entry exists is no longer known.
                if error.code != .trimmed { throw error }
            }
        }
    }

    /// Verifies the same where entries were deleted in favour of a snapshot: an entry exists somewhere as long as the
    /// numbers of its origin reach at least its number.
    func verifyNumbers(by connection: any ActionLogConnection) throws(ActionLogError) {
        for identity in known.points.compactMap(\.identity) {
            if try connection.lastNumber(of: identity.origin) < identity.number { throw try lost(by: connection) }
        }
    }

    /// Returns the error with the lost entries.
    private func lost(by connection: any ActionLogConnection) throws(ActionLogError) -> ActionLogError {
        let end = try connection.status().end.position
        let last = point.position
        var present: UInt64 = 0
        for point in known.points.reversed() where point.position > present && point.position <= end {
            if (try? connection.identity(at: point.position)) == point.identity { present = point.position }
        }
        let what =
            end < last
            ? "those from \(end + 1) to \(last) are lost"
            : "some of those from \(present + 1) to \(last) are lost, and others have replaced them"
        return ActionLogError(
            .lostEntries,
            in: log,
            at: last,
            """
            The log has lost acknowledged entries that this replica has reduced: \(what). Open the replica again to \
            continue from what the log has. Until then, this replica's state can be read.
            """
        )
    }

    // MARK: Reading

    /// Returns the entries after the last one.
    ///
    /// The last entry is usually read again, so that entries of a different log are not mistaken for its successors.
    ///
    /// - Parameters:
    ///   - connection: The connection to the log.
    ///   - duration: The maximum wait for entries; nil for no wait.
    /// - Returns: The entries; empty if there are no more.
    func next(
        by connection: any ActionLogConnection,
        within duration: Duration?
    ) throws(ActionLogError) -> [ActionLogEntry] {
        guard point != .start, point.isKnown else {
            return try read(after: point.position, atMost: Self.bytesPerRead, within: duration, by: connection)
        }
        var duration = duration
        if let lastSize, lastSize <= Self.overlap {
            do throws(ActionLogError) {
                let bytes = Self.bytesPerRead + lastSize
                let entries = try read(after: point.position - 1, atMost: bytes, within: duration, by: connection)
                guard entries.first?.identity == point.identity else { throw try lost(by: connection) }
                // The next entry may have been too large for the same read.
                if entries.count > 1 { return Array(entries[1...]) }
            } catch {
                // The last entry may have been deleted in favour of a snapshot.
                if error.code != .trimmed { throw error }
            }
            // The wait is over.
            duration = nil
        }
        let entries = try read(after: point.position, atMost: Self.bytesPerRead, within: duration, by: connection)
        guard try connection.identity(at: point.position) == point.identity else { throw try lost(by: connection) }
        return entries
    }

    private func read(
        after position: UInt64,
        atMost bytes: Int,
        within duration: Duration?,
        by connection: any ActionLogConnection
    ) throws(ActionLogError) -> [ActionLogEntry] {
        guard let duration else { return try connection.read(after: position, atMost: bytes) }
        return try connection.read(after: position, atMost: bytes, onceAfter: point.position, within: duration)
    }
}

extension ActionLogPoint {
    /// Whether the identity of the entry is known. It is unknown after a skipped unreadable entry.
    var isKnown: Bool { position == 0 || identity != nil }
}
