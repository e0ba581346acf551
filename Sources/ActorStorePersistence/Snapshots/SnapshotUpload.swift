import Foundation

/// A snapshot that is being written, and a deletion behind older ones, in steps between which other code may use the
/// connection: a plain value.
struct SnapshotUpload: Sendable {
    private var encoded: SnapshotCoding.Encoded?
    /// Whether no other store writes snapshots to the log.
    private let isOnlyWriter: Bool
    /// Whether the log may have parts of snapshots that will never be finished.
    private var mayHaveRemains: Bool
    /// The position up to which entries are being deleted.
    private var trimming: UInt64?
    /// The time of the last search for parts of unfinished snapshots; nil before the first one.
    private var searched: ContinuousClock.Instant?
    /// The snapshots that were read back.
    var retained: RetainedSnapshots

    init(_ retention: LogRetention, isOnlyWriter: Bool) {
        retained = RetainedSnapshots(retention)
        self.isOnlyWriter = isOnlyWriter
        // An earlier life of the store may have been killed while it wrote a snapshot.
        mayHaveRemains = isOnlyWriter
    }

    /// Whether there is no work.
    var isIdle: Bool { encoded == nil && trimming == nil }

    /// Whether a snapshot is being written. Deletions wait for it.
    var isWriting: Bool { encoded != nil }

    /// The snapshot that is being written.
    var snapshot: ActionLogSnapshot? { encoded?.snapshot }

    /// Begins to write a snapshot.
    mutating func begin(_ encoded: SnapshotCoding.Encoded) {
        self.encoded = encoded
        // A call to discard one may have failed.
        mayHaveRemains = isOnlyWriter
    }

    /// Begins to delete entries up to a position.
    mutating func trim(through position: UInt64) {
        trimming = position
        retained.forget(before: position)
    }

    /// Begins to delete old parts of unfinished snapshots, at most once a day: the search costs time, and a log keeps
    /// such parts for a day. The only writer does not need this: it discards them before each snapshot.
    mutating func trimUnfinished(at moment: ContinuousClock.Instant) {
        if isOnlyWriter || trimming != nil { return }
        if let searched, moment - searched < .seconds(86_400) { return }
        (trimming, searched) = (0, moment)
    }

    /// Cancels all work, and discards the parts that were written. If that fails, the only writer deletes them before
    /// its next snapshot, or when the log is full, and a replica a day later.
    ///
    /// - Parameters:
    ///   - connection: The connection to the log; nil if it is broken.
    ///   - error: The reason. If there was no room for a snapshot, a deletion continues, because it makes room; without
    ///     one, a replica begins the search for old parts of unfinished snapshots, which usually follows a finished
    ///     one.
    ///   - moment: The current time.
    mutating func cancel(
        by connection: (any ActionLogConnection)?,
        because error: ActionLogError? = nil,
        at moment: ContinuousClock.Instant = .now
    ) {
        let lacksRoom = isWriting && error?.code == .full
        if let encoded, (try? connection?.discard(encoded.snapshot)) == nil { mayHaveRemains = isOnlyWriter }
        encoded = nil
        if lacksRoom { return trimUnfinished(at: moment) }
        if trimming == 0 { searched = nil }
        trimming = nil
    }

    /// Deletes some parts of snapshots that will never be finished.
    ///
    /// - Returns: Whether the log may have had any.
    private mutating func discardRemains(by connection: any ActionLogConnection) throws(ActionLogError) -> Bool {
        guard mayHaveRemains else { return false }
        mayHaveRemains = try connection.discardUnfinished()
        return true
    }

    /// Deletes some of what is unnecessary, also while a snapshot is being written.
    ///
    /// - Returns: What was done; nil if there is nothing to delete.
    mutating func makeRoom(by connection: any ActionLogConnection) throws(ActionLogError) -> Step? {
        let remains = Result { () throws(ActionLogError) in try discardRemains(by: connection) }
        if case .success(true) = remains { return mayHaveRemains ? .goesOn : .trimmed }
        guard let position = trimming else { return try remains.map { _ in nil }.get() }
        if try connection.trimBehindSnapshot(through: position) { return .goesOn }
        trimming = nil
        return .trimmed
    }

    /// Reads the snapshots back that the log keeps.
    ///
    /// - Returns: The position up to which entries need not be kept; nil if all must be kept, or cannot be read.
    mutating func readBack<State: Codable & Sendable>(
        _ state: State.Type,
        coding: EntryCoding,
        by connection: any ActionLogConnection
    ) -> UInt64? {
        guard let count = retained.retention.count,
            let read = try? connection.readBack(state, newest: count, except: retained, coding: coding)
        else { return nil }
        retained.replace(with: read.snapshots)
        return retained.limit()
    }

    /// Deletes all that is unnecessary, or as much as succeeds.
    ///
    /// - Parameter goesOn: Returns whether to continue, before each step.
    /// - Returns: Whether something may have been deleted.
    mutating func makeAllRoom(by connection: any ActionLogConnection, while goesOn: () -> Bool = { true }) -> Bool {
        var hasDeleted = false
        while goesOn(), (try? makeRoom(by: connection)) != nil { hasDeleted = true }
        trimming = nil
        return hasDeleted
    }

    /// The result of a step.
    enum Step {
        case goesOn
        /// The snapshot is of entries that the log does not have yet.
        case waits
        /// The log has the snapshot, or another one of the same or a later position.
        case finished(ActionLogSnapshot, isTaken: Bool)
        /// The deletion is complete.
        case trimmed
    }

    /// Executes the next step.
    ///
    /// - Parameter end: The position of the last entry in the log. A snapshot of a later entry is not finished.
    mutating func advance(by connection: any ActionLogConnection, end: UInt64 = .max) throws(ActionLogError) -> Step {
        if var encoded {
            if try discardRemains(by: connection) { return .goesOn }
            if let part = encoded.next {
                try connection.write(part, encoded.number, of: encoded.snapshot)
                encoded.advance()
                self.encoded = encoded
                return .goesOn
            }
            if encoded.snapshot.point.position > end { return .waits }
            do throws(ActionLogError) {
                let isTaken = try connection.finish(encoded.snapshot)
                self.encoded = nil
                return .finished(encoded.snapshot, isTaken: isTaken)
            } catch {
                if error.code == .trimmed {
                    // Entries are deleted only behind a snapshot, so the log has a later one.
                    self.encoded = nil
                    return .finished(encoded.snapshot, isTaken: false)
                }
                // A server that has crashed since may have lost parts.
                guard error.code == .damaged, encoded.restart() else { throw error }
                self.encoded = encoded
                return .goesOn
            }
        }
        if let position = trimming, try connection.trimBehindSnapshot(through: position) { return .goesOn }
        trimming = nil
        return .trimmed
    }
}

extension ActionLogConnection {
    /// Deletes entries up to a position, if the log has a snapshot of that position or a later one: a server that has
    /// taken over may lack the snapshot that was read back.
    ///
    /// - Parameter position: As for ``trim(through:)``.
    /// - Returns: Whether there is more to delete.
    func trimBehindSnapshot(through position: UInt64) throws(ActionLogError) -> Bool {
        if position > 0, try !snapshots().contains(where: { $0.point.position >= position }) { return false }
        return try trim(through: position)
    }
}
