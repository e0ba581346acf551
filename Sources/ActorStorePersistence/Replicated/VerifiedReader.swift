/// Reads the entries of a log one after the other, and finds out if the log has lost what was read from it: a plain value.
struct VerifiedReader: Sendable {
    /// How many bytes are read at a time.
    private static var bytesPerRead: Int { 1 << 20 }
    /// How large an entry may be to be read again, to see that it is still there.
    private static var overlap: Int { 1 << 12 }
    /// How many of the newest entries are looked for after a lost connection.
    private static var verified: Int { 4 }

    /// The name of the log, for errors.
    private let log: String
    /// The last entry that was read.
    private(set) var point = ActionLogPoint.start
    /// The size of that; nil if it was not read.
    private var lastSize: Int?
    private var known = KnownOrigins()

    init(_ log: String) { self.log = log }

    /// Goes on behind a state that comes from a snapshot, or from another reader.
    mutating func begin(behind point: ActionLogPoint) {
        self.point = point
        lastSize = nil
        known.reset()
        known.note(point)
    }

    /// An entry was read.
    mutating func note(_ point: ActionLogPoint, size: Int) {
        self.point = point
        lastSize = size
        known.note(point)
    }

    // MARK: What the log still has

    /// Makes sure that the log has what was read from it before the connection was lost.
    func verify(by connection: any ActionLogConnection) throws(ActionLogError) {
        for point in known.points.suffix(Self.verified) {
            do throws(ActionLogError) {
                let found = try connection.identity(at: point.position)
                if found != point.identity { throw try lost(by: connection) }
            } catch {
                // Whether it is there is no longer known.
                if error.code != .trimmed { throw error }
            }
        }
    }

    /// Makes sure of the same where entries were deleted behind a snapshot: one is there, wherever, as long as those of its
    /// origin have at least its number.
    func verifyNumbers(by connection: any ActionLogConnection) throws(ActionLogError) {
        for identity in known.points.compactMap(\.identity) {
            if try connection.lastNumber(of: identity.origin) < identity.number { throw try lost(by: connection) }
        }
    }

    /// Says what the log has lost.
    private func lost(by connection: any ActionLogConnection) throws(ActionLogError) -> ActionLogError {
        let end = try connection.status().end.position
        let last = point.position
        var present: UInt64 = 0
        for point in known.points.reversed() where point.position > present && point.position <= end {
            if (try? connection.identity(at: point.position)) == point.identity { present = point.position }
        }
        let what =
            end < last
            ? "those from \(end + 1) to \(last) are gone"
            : "some of those from \(present + 1) to \(last) are gone, and it has others in their place"
        return ActionLogError(
            .lostEntries,
            in: log,
            at: last,
            """
            The log has lost entries that it had acknowledged and that this replica has reduced: \(what). Open the \
            replica anew to go on with what the log has; this one's state can be read until then.
            """
        )
    }

    // MARK: Reading

    /// The entries after the last one.
    ///
    /// That one is read again, as a rule, so that nothing is taken for what comes after it that does not.
    ///
    /// - Parameter duration: How long to wait for them; nil for not at all.
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
                // The next one may have been too large to come with it.
                if entries.count > 1 { return Array(entries[1...]) }
            } catch {
                // It may have been deleted behind a snapshot.
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
    /// Whether it says what is at its position; not so behind an entry that could not be read, and was left out.
    var isKnown: Bool { position == 0 || identity != nil }
}
