public import Foundation

/// A log that keeps the actions of a store in one order: a file, a database, or a stream of a server.
///
/// Durable and replicated stores are built on this protocol. An engine that conforms to it supports both. It guarantees
/// that
///
/// - entries have positions from 1 on, without gaps, in the order in which they were appended;
/// - ``ActionLogConnection/append(_:if:)`` appends all entries of a group or none, and returns when they are as durable
///   as the engine documents;
/// - the numbers of an origin are in the log without gaps and without repeats;
/// - a lease token is not granted twice, even by a server that has lost the end of the log, except by a chance that the
///   engine documents.
public protocol ActionLog: Sendable {
    /// The name of the log in errors: a path, or a server and a stream. It must not contain secrets.
    var name: String { get }

    /// The maximum number of bytes of an entry; see ``ActionLogEntry/size``. Stores refuse larger actions before they
    /// reduce them.
    var largestEntry: Int { get }

    /// Opens the log, and creates it if it does not exist.
    ///
    /// It may wait for a disk or a network, and is called on a thread that may block.
    ///
    /// - Returns: A connection to the log.
    /// - Throws: ``ActionLogError`` if the log cannot be opened.
    func connect() throws(ActionLogError) -> any ActionLogConnection
}

extension ActionLog {
    /// The default limit of 64 MiB.
    public var largestEntry: Int { 64 << 20 }
}

/// A connection to an ``ActionLog``. One thread at a time uses it, and may block in it for a disk or a network.
///
/// After ``ActionLogError/Code/disconnected``, stores open a new connection. After any error with
/// ``ActionLogError/isTransient``, it is unknown whether a group was appended; append it again to find out, see
/// ``append(_:if:)``.
public protocol ActionLogConnection: AnyObject {
    /// Returns the contents of the log in summary.
    func status() throws(ActionLogError) -> ActionLogStatus

    /// Returns the number of the newest entry of an origin, also if that was deleted in favour of a snapshot; 0 if it
    /// never had one.
    func lastNumber(of origin: String) throws(ActionLogError) -> UInt64

    /// Returns the identity of the entry at a position; nil if the position is not used yet.
    ///
    /// - Throws: ``ActionLogError/Code/trimmed`` if the entry was deleted in favour of a snapshot, except for the last
    ///   deleted one: its identity is kept, for recoveries and for the conditions of appends.
    func identity(at position: UInt64) throws(ActionLogError) -> ActionLogEntry.Identity?

    /// Appends all entries of a group, or none, in one step.
    ///
    /// - Parameters:
    ///   - entries: At least one entry. All are of one origin, and their numbers follow that of its newest entry.
    ///   - condition: The condition that must hold in the same step.
    /// - Returns: The position of the first entry.
    /// - Throws: ``ActionLogError/Code/unexpectedNumber`` if the numbers are not the next ones. Compare them with
    ///   ``lastNumber(of:)``: if the log has all of the entries already, an earlier call has appended them. If the
    ///   condition does not hold, the error that ``AppendCondition`` documents.
    @discardableResult
    func append(_ entries: [ActionLogEntry], if condition: AppendCondition) throws(ActionLogError) -> UInt64

    /// Reads entries in order.
    ///
    /// - Parameters:
    ///   - position: The position before the first entry to read.
    ///   - bytes: The maximum number of bytes to read. At least one entry is read if there is one.
    /// - Returns: The entries from `position + 1` on, without gaps; empty if there are no more.
    /// - Throws: ``ActionLogError/Code/trimmed`` if the first entry was deleted in favour of a snapshot.
    func read(after position: UInt64, atMost bytes: Int) throws(ActionLogError) -> [ActionLogEntry]

    /// Waits until there may be entries after a position, the duration has passed, or the ``interruption`` is called.
    func wait(after position: UInt64, for duration: Duration) throws(ActionLogError)

    /// Waits for entries, and then reads entries in order. An engine that can let its server do both saves replicas a
    /// round trip per entry.
    ///
    /// - Parameters:
    ///   - position: The position before the first entry to read.
    ///   - bytes: The maximum number of bytes to read. At least one entry is read if there is one.
    ///   - known: The position after which entries are awaited. It may be later than `position`.
    ///   - duration: The maximum duration of the wait.
    /// - Returns: The entries from `position + 1` on, without gaps; empty if there are no more.
    /// - Throws: ``ActionLogError/Code/trimmed`` if the first entry was deleted in favour of a snapshot.
    func read(
        after position: UInt64,
        atMost bytes: Int,
        onceAfter known: UInt64,
        within duration: Duration
    ) throws(ActionLogError) -> [ActionLogEntry]

    /// Interrupts running calls, from any thread.
    var interruption: ActionLogInterruption { get }

    /// The settings of the engine that decide whether acknowledged entries survive, by the engine's names, as they were
    /// when this connection was opened. For statistics; empty for an engine without such settings.
    var settings: [String: String] { get }

    // MARK: Snapshots

    /// Returns the finished snapshots, the newest first.
    func snapshots() throws(ActionLogError) -> [ActionLogSnapshot]

    /// Returns one part of a snapshot; nil if the part does not exist.
    func part(_ number: Int, of snapshot: ActionLogSnapshot) throws(ActionLogError) -> Data?

    /// Writes one part of a snapshot. Other connections see the snapshot after ``finish(_:)``, and only that call makes
    /// the parts durable.
    ///
    /// Parts of a snapshot that is neither finished nor discarded are kept for at least a day, unless the log has one
    /// writer, which calls ``discardUnfinished()``. A later ``trim(through:)`` deletes them.
    func write(_ part: Data, _ number: Int, of snapshot: ActionLogSnapshot) throws(ActionLogError)

    /// Makes a snapshot durable, and visible to other connections. All of its parts must have been written.
    ///
    /// - Returns: False if another snapshot of the same or a later position exists; the parts are then deleted, if that
    ///   succeeds. If an earlier call has finished this one, and its answer was lost: true, or false if a later one has
    ///   followed.
    /// - Throws: ``ActionLogError/Code/lostEntries`` if the log does not have the snapshot's point;
    ///   ``ActionLogError/Code/trimmed`` if its entry was deleted in favour of a later snapshot, which is kept;
    ///   ``ActionLogError/Code/damaged`` if it lacks a part, which must then be written again.
    @discardableResult
    func finish(_ snapshot: ActionLogSnapshot) throws(ActionLogError) -> Bool

    /// Deletes the parts of a snapshot that will not be finished. A finished snapshot is not changed.
    func discard(_ snapshot: ActionLogSnapshot) throws(ActionLogError)

    /// Deletes the parts of all snapshots that are not finished. One call may delete a part of them.
    ///
    /// The only writer of a log calls it before it writes a snapshot, and when the log is full: programs that are
    /// killed again and again while they write one would otherwise fill the disk.
    ///
    /// - Returns: Whether there is more to delete.
    func discardUnfinished() throws(ActionLogError) -> Bool

    /// Deletes entries up to a position, snapshots before it, and parts of unfinished snapshots that were written more
    /// than a day ago. One call may delete a part of them. Positions do not change.
    ///
    /// - Parameter position: The position of a snapshot that is kept, or an earlier one. With 0, only parts of
    ///   unfinished snapshots are deleted.
    /// - Returns: Whether there is more to delete.
    func trim(through position: UInt64) throws(ActionLogError) -> Bool

    // MARK: Leases and replicas

    /// Claims or renews a lease.
    ///
    /// With ``LeaseClaim/renewedToken``, only the lease with that token is renewed, even if it has ended and has not
    /// been claimed since.
    ///
    /// - Returns: The current lease. It is the claimant's if the lease was free or already the claimant's. If a renewal
    ///   finds no lease, the returned lease has no holder.
    /// - Throws: ``ActionLogError/Code/damaged`` or ``ActionLogError/Code/refused`` if there is no greater token below
    ///   2^63, because a program has set the clock of the log to a time centuries ahead.
    func claim(_ claim: LeaseClaim) throws(ActionLogError) -> ActionLogLease

    /// Releases a lease, unless another one has been granted since.
    func release(_ lease: ActionLogLease) throws(ActionLogError)

    /// Records the position of a replica, so that entries that it needs are not trimmed.
    func report(_ presence: ReplicaPresence) throws(ActionLogError)

    /// Returns the positions of the replicas that have reported within the given duration.
    func presences(since age: Duration) throws(ActionLogError) -> [ReplicaPresence]
}

extension ActionLogConnection {
    /// No settings.
    public var settings: [String: String] { [:] }

    /// Waits, and then reads. The default for engines that cannot combine both.
    public func read(
        after position: UInt64,
        atMost bytes: Int,
        onceAfter known: UInt64,
        within duration: Duration
    ) throws(ActionLogError) -> [ActionLogEntry] {
        try wait(after: known, for: duration)
        return try read(after: position, atMost: bytes)
    }
}

/// Interrupts the running calls of one ``ActionLogConnection``. They and later calls throw
/// ``ActionLogError/Code/closed``.
public struct ActionLogInterruption: Sendable {
    private let body: @Sendable () -> Void

    /// Creates an interruption. For engines.
    public init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    /// Interrupts the calls, which end soon. Call it from any thread.
    public func interrupt() { body() }
}

/// The condition for appending entries.
public struct AppendCondition: Sendable, Equatable {
    /// A condition on the contents of the log.
    public enum Place: Sendable, Equatable {
        /// The log ends with this entry: for a log with one writer. Otherwise, an append throws
        /// ``ActionLogError/Code/unexpectedEnd`` if later entries exist, and the errors of ``contains(_:)`` if the
        /// entry is missing.
        case end(ActionLogPoint)
        /// The log contains this entry, possibly followed by others: for a log with several writers. Otherwise, an
        /// append throws ``ActionLogError/Code/lostEntries``, or ``ActionLogError/Code/trimmed`` if the entry was
        /// trimmed. The log always contains ``ActionLogPoint/start``.
        case contains(ActionLogPoint)
    }

    /// The condition on the contents of the log.
    public var place: Place
    /// The lease whose token must be the newest of its name; nil for no condition. Otherwise, an append throws
    /// ``ActionLogError/Code/fenced``.
    public var lease: ActionLogLease?

    /// Creates a condition.
    public init(_ place: Place, lease: ActionLogLease? = nil) {
        self.place = place
        self.lease = lease
    }
}

/// The contents of a log at one moment, in summary.
public struct ActionLogStatus: Sendable, Equatable {
    /// The identity of the log. A log that replaces it has another one.
    public let identity: UUID
    /// The position of the first entry that is kept; one more than the last position if no entry is kept.
    public let first: UInt64
    /// The last entry.
    public let end: ActionLogPoint
    /// The last entry that the engine has acknowledged, according to a record outside of the log; nil without such a
    /// record. If the log does not contain the entry, its end has been lost.
    public let acknowledged: ActionLogPoint?

    /// Creates a status. For engines.
    public init(identity: UUID, first: UInt64, end: ActionLogPoint, acknowledged: ActionLogPoint? = nil) {
        self.identity = identity
        self.first = first
        self.end = end
        self.acknowledged = acknowledged
    }
}

/// A snapshot of a state at a point in the log.
public struct ActionLogSnapshot: Sendable, Hashable, Codable {
    /// The last entry that the state includes.
    public let point: ActionLogPoint
    /// Distinguishes snapshots of the same position.
    public let id: UUID
    /// The description of the snapshot by the store.
    public let header: String
    /// The number of parts.
    public let parts: Int

    /// Creates a snapshot. Its bytes are written in parts.
    public init(at point: ActionLogPoint, id: UUID = UUID(), header: String, parts: Int) {
        self.point = point
        self.id = id
        self.header = header
        self.parts = parts
    }

    /// The error of an engine that has not all parts of the snapshot when it is finished.
    package func isIncomplete(in log: String) -> ActionLogError {
        ActionLogError(
            .damaged,
            in: log,
            at: point.position,
            "The snapshot lacks some of its \(parts) parts. Write all of them again, and finish it."
        )
    }
}

/// A right that one holder has at a time.
public struct ActionLogLease: Sendable, Hashable, Codable {
    /// The name of the right.
    public let name: String
    /// The token, below 2^63. It is greater than those of all earlier leases in the log. If the log has lost some, it
    /// differs from theirs, but can be lower.
    public let token: UInt64
    /// The holder of the right.
    public let holder: String

    /// Creates a lease. For engines.
    public init(name: String, token: UInt64, holder: String) {
        self.name = name
        self.token = token
        self.holder = holder
    }
}

/// A request for a lease.
public struct LeaseClaim: Sendable, Hashable {
    /// The name of the right.
    public var name: String
    /// The claimant.
    public var holder: String
    /// The duration of the lease, from the moment at which the engine grants or renews it.
    public var duration: Duration
    /// Whether a new token is granted even if the claimant holds the lease.
    public var isNew: Bool
    /// The token of the only lease that may be renewed; nil to claim any lease. A renewal that arrives late does not
    /// affect a later holder.
    public var renewedToken: UInt64?
    /// The greatest token in the entries of the log, which a new token must exceed. Entries that were moved from
    /// another log can have tokens that this log has not granted, for example by a clock that was ahead.
    public var precedingToken: UInt64

    /// Creates a request for a lease that is free or already the claimant's.
    public init(
        name: String,
        holder: String,
        for duration: Duration,
        isNew: Bool = false,
        after precedingToken: UInt64 = 0
    ) {
        self.name = name
        self.holder = holder
        self.duration = duration
        self.isNew = isNew
        self.precedingToken = precedingToken
    }

    /// Creates a request that renews a lease, and claims no other one.
    public init(renewing lease: ActionLogLease, for duration: Duration) {
        self.init(name: lease.name, holder: lease.holder, for: duration)
        renewedToken = lease.token
    }
}

/// The position of a replica.
public struct ReplicaPresence: Sendable, Hashable, Codable {
    /// The origin of the replica.
    public let origin: String
    /// The position of the last entry that the replica has reduced.
    public let position: UInt64

    /// Creates a report.
    public init(origin: String, position: UInt64) {
        self.origin = origin
        self.position = position
    }
}
