public import Foundation

/// Keeps the actions of a store, in one order: a file, a database, a stream of a server.
///
/// Stores are written once above this protocol: whoever makes an engine of it gets durable and replicated stores. An
/// engine promises that
///
/// - entries have positions from 1 on, without gaps, in the order in which they were appended;
/// - ``ActionLogConnection/append(_:if:)`` puts all entries of a group into the log or none, and returns when they are
///   as durable as the engine says;
/// - the numbers of an origin are in the log without gaps and without repeats;
/// - a token of a lease is never given twice, also by a server that has lost the end of the log.
public protocol ActionLog: Sendable {
    /// What names the log in errors: a path, or a server and a stream. Without secrets.
    var name: String { get }

    /// How many bytes an entry has at most; see ``ActionLogEntry/size``. Stores refuse larger actions before they
    /// reduce them.
    var largestEntry: Int { get }

    /// Opens the log, and creates it if there is none.
    ///
    /// It may wait for a disk or a network, and is called on a thread that may wait.
    func connect() throws(ActionLogError) -> any ActionLogConnection
}

extension ActionLog {
    /// 64 MiB, unless the engine says something else.
    public var largestEntry: Int { 64 << 20 }
}

/// A connection to an ``ActionLog``. One thread at a time uses it, and may wait in it for a disk or a network.
///
/// After an error with ``ActionLogError/isPassing`` a new connection is made. Whether a group was appended is then not
/// known; appending it once more tells, see ``append(_:if:)``.
public protocol ActionLogConnection: AnyObject {
    /// What the log has.
    func status() throws(ActionLogError) -> ActionLogStatus

    /// The number of the newest entry of an origin; 0 if there is none.
    func lastNumber(of origin: String) throws(ActionLogError) -> UInt64

    /// The entry at a position; nil if there is none yet.
    ///
    /// - Throws: ``ActionLogError/Code/trimmed`` if it was deleted behind a snapshot.
    func identity(at position: UInt64) throws(ActionLogError) -> ActionLogEntry.Identity?

    /// Appends all entries of a group, or none, in one step.
    ///
    /// - Parameters:
    ///   - entries: At least one, of one origin, with the numbers after that of its newest entry.
    ///   - condition: What has to be so in the same step.
    /// - Returns: The position of the first.
    /// - Throws: ``ActionLogError/Code/unexpectedNumber`` if the numbers are not the next ones: compare with
    ///   ``lastNumber(of:)``. If the log has all of the entries already, an earlier call has appended them.
    ///   Otherwise what the condition says.
    @discardableResult
    func append(_ entries: [ActionLogEntry], if condition: AppendCondition) throws(ActionLogError) -> UInt64

    /// Reads entries in order.
    ///
    /// - Parameters:
    ///   - position: That of the entry before the first one that is read.
    ///   - bytes: How many bytes to read at most; at least one entry, if there is one.
    /// - Returns: The entries from `position + 1` on, without gaps; none if there are no more.
    /// - Throws: ``ActionLogError/Code/trimmed`` if the first one was deleted behind a snapshot.
    func read(after position: UInt64, atMost bytes: Int) throws(ActionLogError) -> [ActionLogEntry]

    /// Waits until there may be entries after a position, or the time is over, or the ``interruption`` comes.
    func wait(after position: UInt64, for duration: Duration) throws(ActionLogError)

    /// Waits as ``wait(after:for:)`` does, and then reads as ``read(after:atMost:)`` does. An engine that can have its
    /// server do both spares the replicas a round trip for each entry.
    ///
    /// - Parameters:
    ///   - position: That of the entry before the first one that is read.
    ///   - bytes: How many bytes to read at most; at least one entry, if there is one.
    ///   - known: Waits for entries after this position, which may be a later one.
    ///   - duration: How long to wait.
    /// - Returns: The entries from `position + 1` on, without gaps; none if there are no more.
    func read(
        after position: UInt64,
        atMost bytes: Int,
        onceAfter known: UInt64,
        within duration: Duration
    ) throws(ActionLogError) -> [ActionLogEntry]

    /// What ends calls that are under way, from any thread.
    var interruption: ActionLogInterruption { get }

    // MARK: Snapshots

    /// The snapshots that are whole, the newest first.
    func snapshots() throws(ActionLogError) -> [ActionLogSnapshot]

    /// One part of a snapshot; nil if there is none of this number.
    func part(_ number: Int, of snapshot: ActionLogSnapshot) throws(ActionLogError) -> Data?

    /// Writes one part of a snapshot, which others see when ``finish(_:)`` has been called.
    ///
    /// Parts of a snapshot that is neither finished nor discarded stay for a day at least, and are deleted by a later
    /// ``trim(through:)``.
    func write(_ part: Data, _ number: Int, of snapshot: ActionLogSnapshot) throws(ActionLogError)

    /// Has others see a snapshot of which all parts have been written.
    ///
    /// - Returns: False if there is another one of the same position or a later one; then the parts are deleted.
    /// - Throws: ``ActionLogError/Code/lostEntries`` if the log does not have the snapshot's point.
    @discardableResult
    func finish(_ snapshot: ActionLogSnapshot) throws(ActionLogError) -> Bool

    /// Deletes the parts of a snapshot that will not be finished, so that they do not take the room of entries. Nothing
    /// happens to one that is finished.
    func discard(_ snapshot: ActionLogSnapshot) throws(ActionLogError)

    /// Deletes entries up to a position, and snapshots before it, as far as one call does that; positions stay.
    ///
    /// - Parameter position: That of a snapshot that stays, or an earlier one.
    /// - Returns: Whether there is more to delete.
    func trim(through position: UInt64) throws(ActionLogError) -> Bool

    // MARK: Leases and replicas

    /// Asks for a lease, or renews it.
    ///
    /// - Returns: The lease that there is now: that of the holder who asks if it is free or was held by it. With
    ///   ``LeaseClaim/renewedToken`` nothing but that lease is renewed, also if its time is over and nobody has claimed
    ///   it since; if there is another one, or none, that is returned, without a holder if there is none.
    func claim(_ claim: LeaseClaim) throws(ActionLogError) -> ActionLogLease

    /// Gives a lease back, if it is still this one.
    func release(_ lease: ActionLogLease) throws(ActionLogError)

    /// Records how far a replica is, so that what it needs is not trimmed.
    func report(_ presence: ReplicaPresence) throws(ActionLogError)

    /// How far the replicas are that have reported it since a time.
    func presences(since age: Duration) throws(ActionLogError) -> [ReplicaPresence]
}

extension ActionLogConnection {
    /// Waits, and then reads: for engines that do the one after the other.
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

/// Ends the calls of one ``ActionLogConnection`` that are under way, and later ones, which throw
/// ``ActionLogError/Code/closed`` then.
public struct ActionLogInterruption: Sendable {
    private let body: @Sendable () -> Void

    /// Creates an interruption; for engines.
    public init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    /// Has the calls end soon. From any thread.
    public func interrupt() { body() }
}

/// What has to be so for entries to be appended.
public struct AppendCondition: Sendable, Equatable {
    /// What the log must have.
    public enum Place: Sendable, Equatable {
        /// This is the last entry: for a log with one writer. Otherwise ``ActionLogError/Code/unexpectedEnd`` if others
        /// come after it, and what ``contains(_:)`` throws if it is not there.
        case end(ActionLogPoint)
        /// This entry is there, and others may have come after it: for a log with several writers. Otherwise
        /// ``ActionLogError/Code/lostEntries``, or ``ActionLogError/Code/trimmed`` if that is no longer known. The log
        /// always contains ``ActionLogPoint/start``.
        case contains(ActionLogPoint)
    }

    /// What the log must have.
    public var place: Place
    /// The token of a lease that must be the newest one given under its name; nil for none. Otherwise
    /// ``ActionLogError/Code/fenced``.
    public var lease: ActionLogLease?

    /// Creates a condition.
    public init(_ place: Place, lease: ActionLogLease? = nil) {
        self.place = place
        self.lease = lease
    }
}

/// What a log has at one moment.
public struct ActionLogStatus: Sendable, Equatable {
    /// Names the log among all: another one that was put in its place has another one.
    public let identity: UUID
    /// The position of the first entry that is kept; one more than the last if none is.
    public let first: UInt64
    /// The last entry.
    public let end: ActionLogPoint
    /// The last entry that the engine knows to have acknowledged, by what it keeps outside of the log; nil if it keeps
    /// nothing there. If the log does not have it, its end has been lost.
    public let acknowledged: ActionLogPoint?

    /// Creates a status; for engines.
    public init(identity: UUID, first: UInt64, end: ActionLogPoint, acknowledged: ActionLogPoint? = nil) {
        self.identity = identity
        self.first = first
        self.end = end
        self.acknowledged = acknowledged
    }
}

/// A state, and where in the log it is.
public struct ActionLogSnapshot: Sendable, Hashable, Codable {
    /// The last entry that the state is made of.
    public let point: ActionLogPoint
    /// Tells it from others of the same position.
    public let id: UUID
    /// What the store above the log says of it.
    public let header: String
    /// How many parts it has.
    public let parts: Int

    /// Creates a snapshot; its bytes are written in parts.
    public init(at point: ActionLogPoint, id: UUID = UUID(), header: String, parts: Int) {
        self.point = point
        self.id = id
        self.header = header
        self.parts = parts
    }
}

/// A right that one holder has at a time.
public struct ActionLogLease: Sendable, Hashable, Codable {
    /// What it is a right to.
    public let name: String
    /// Grows with each new lease of the log, and is never given twice.
    public let token: UInt64
    /// Who has it.
    public let holder: String

    /// Creates a lease; for engines.
    public init(name: String, token: UInt64, holder: String) {
        self.name = name
        self.token = token
        self.holder = holder
    }
}

/// A request for a lease.
public struct LeaseClaim: Sendable, Hashable {
    /// What it is a right to.
    public var name: String
    /// Who asks.
    public var holder: String
    /// How long it lasts from when the engine grants or renews it.
    public var duration: Duration
    /// Whether a new token is wanted, although the holder has the lease.
    public var isNew: Bool
    /// The token of the lease that is renewed. A request that arrives late then takes nothing away from who has claimed
    /// the lease since. Nil asks for any.
    public var renewedToken: UInt64?

    /// Creates a request for a lease that is free or the holder's own.
    public init(name: String, holder: String, for duration: Duration, isNew: Bool = false) {
        self.name = name
        self.holder = holder
        self.duration = duration
        self.isNew = isNew
    }

    /// Creates a request to renew a lease, and to get no other one.
    public init(renewing lease: ActionLogLease, for duration: Duration) {
        self.init(name: lease.name, holder: lease.holder, for: duration)
        renewedToken = lease.token
    }
}

/// How far a replica is.
public struct ReplicaPresence: Sendable, Hashable, Codable {
    /// The replica.
    public let origin: String
    /// The last entry that it has reduced.
    public let position: UInt64

    /// Creates a report.
    public init(origin: String, position: UInt64) {
        self.origin = origin
        self.position = position
    }
}
