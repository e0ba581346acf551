import ActorStore
import Foundation

/// A log in memory for tests. It can also simulate the failures of a server.
///
/// ```swift
/// let log = MemoryLog()
/// try await stock.dispatch(.bought(3))
/// log.loseEnd(after: 0)   // As a server that comes back without its newest entries.
/// ```
///
/// Its contents end with the process.
public final class MemoryLog: ActionLog {
    /// The name of the log in errors.
    public let name: String
    private let contents: LockedValue<Contents>
    private let waiting = WaitingThreads()
    private let elapsed: @Sendable () -> Duration

    private struct Contents {
        var log: MemoryLogContent
        var isReachable = true
    }

    /// Creates an empty log.
    ///
    /// - Parameters:
    ///   - name: The name of the log in errors.
    ///   - clock: The clock that measures the duration of leases.
    public init(name: String = "memory", clock: some Clock<Duration> = ContinuousClock()) {
        self.name = name
        contents = LockedValue(Contents(log: MemoryLogContent(name: name)))
        elapsed = Stopwatch(clock).elapsed
    }

    /// Opens a connection.
    ///
    /// - Returns: A connection to the log.
    /// - Throws: ``ActionLogError/Code/disconnected`` after ``disconnect()``.
    public func connect() throws(ActionLogError) -> any ActionLogConnection {
        try withContent { _ throws(ActionLogError) in }
        return MemoryLogConnection(self)
    }

    // MARK: Simulated failures

    /// Drops the entries after a position, and their snapshots, although they were acknowledged. It does nothing if the
    /// entry after that position was deleted in favour of a snapshot.
    public func loseEnd(after position: UInt64) { contents.withLock { $0.log.loseEnd(after: position) } }

    /// Limits the size of entries and snapshots in bytes, as a disk does.
    package func limitRoom(to bytes: Int) { contents.withLock { $0.log.room = bytes } }

    /// Loses the newest snapshot, but no entry.
    package func loseNewestSnapshot() { contents.withLock { $0.log.loseNewestSnapshot() } }

    /// Makes all calls of connections fail, and refuses new connections, until ``reconnect()``.
    public func disconnect() {
        contents.withLock { $0.isReachable = false }
        wake()
    }

    /// Allows connections again after ``disconnect()``.
    public func reconnect() { contents.withLock { $0.isReachable = true } }

    // MARK: Support for connections

    fileprivate func withContent<Result: Sendable>(
        _ body: (inout MemoryLogContent) throws(ActionLogError) -> Result
    ) throws(ActionLogError) -> Result {
        let now = elapsed()
        let result = contents.withLock { contents in
            Swift.Result { () throws(ActionLogError) in
                guard contents.isReachable else {
                    throw ActionLogError(
                        .disconnected,
                        in: name,
                        "The log is disconnected. Connect again after reconnect()."
                    )
                }
                contents.log.now = now
                return try body(&contents.log)
            }
        }
        return try result.get()
    }

    fileprivate func append(
        _ entries: [ActionLogEntry],
        if condition: AppendCondition
    ) throws(ActionLogError) -> UInt64 {
        let position = try withContent { content throws(ActionLogError) in try content.append(entries, if: condition) }
        wake()
        return position
    }

    /// Waits until there may be an entry after a position, the duration has passed, or ``wake()`` is called.
    fileprivate func wait(after position: UInt64, for duration: Duration, unless isInterrupted: () -> Bool) {
        waiting.wait(for: duration) {
            isInterrupted() || contents.withLock { !$0.isReachable || $0.log.end.position > position }
        }
    }

    fileprivate func wake() { waiting.wake() }
}

/// A connection to a log in memory.
private final class MemoryLogConnection: ActionLogConnection {
    private let log: MemoryLog
    private let isInterrupted = CancellationNote()

    init(_ log: MemoryLog) { self.log = log }

    private func perform<Result: Sendable>(
        _ body: (inout MemoryLogContent) throws(ActionLogError) -> Result
    ) throws(ActionLogError) -> Result {
        try throwIfInterrupted()
        return try log.withContent(body)
    }

    private func throwIfInterrupted() throws(ActionLogError) {
        if isInterrupted.isNoted { throw ActionLogError(.closed, in: log.name, "The connection was interrupted.") }
    }

    func status() throws(ActionLogError) -> ActionLogStatus { try perform { $0.status } }

    func lastNumber(of origin: String) throws(ActionLogError) -> UInt64 { try perform { $0.numbers[origin] ?? 0 } }

    func identity(at position: UInt64) throws(ActionLogError) -> ActionLogEntry.Identity? {
        try perform { content throws(ActionLogError) in try content.identity(at: position) }
    }

    func append(_ entries: [ActionLogEntry], if condition: AppendCondition) throws(ActionLogError) -> UInt64 {
        try throwIfInterrupted()
        return try log.append(entries, if: condition)
    }

    func read(after position: UInt64, atMost bytes: Int) throws(ActionLogError) -> [ActionLogEntry] {
        try perform { content throws(ActionLogError) in try content.read(after: position, atMost: bytes) }
    }

    func wait(after position: UInt64, for duration: Duration) throws(ActionLogError) {
        log.wait(after: position, for: duration) { isInterrupted.isNoted }
        try perform { _ throws(ActionLogError) in }
    }

    var interruption: ActionLogInterruption {
        ActionLogInterruption { [log, isInterrupted] in
            isInterrupted.note()
            log.wake()
        }
    }

    func snapshots() throws(ActionLogError) -> [ActionLogSnapshot] { try perform { $0.snapshots } }

    func part(_ number: Int, of snapshot: ActionLogSnapshot) throws(ActionLogError) -> Data? {
        try perform { $0.parts[snapshot.id]?[number] }
    }

    func write(_ part: Data, _ number: Int, of snapshot: ActionLogSnapshot) throws(ActionLogError) {
        try perform { content throws(ActionLogError) in
            try content.checkRoom(for: part.count)
            content.parts[snapshot.id, default: [:]][number] = part
        }
    }

    func finish(_ snapshot: ActionLogSnapshot) throws(ActionLogError) -> Bool {
        try perform { content throws(ActionLogError) in try content.finish(snapshot) }
    }

    func discard(_ snapshot: ActionLogSnapshot) throws(ActionLogError) { try perform { $0.discard(snapshot) } }

    func discardUnfinished() throws(ActionLogError) -> Bool { try perform { $0.discardUnfinished() } }

    func trim(through position: UInt64) throws(ActionLogError) -> Bool { try perform { $0.trim(through: position) } }

    func claim(_ claim: LeaseClaim) throws(ActionLogError) -> ActionLogLease {
        try perform { content throws(ActionLogError) in try content.claim(claim) }
    }

    func release(_ lease: ActionLogLease) throws(ActionLogError) { try perform { $0.release(lease) } }

    func report(_ presence: ReplicaPresence) throws(ActionLogError) { try perform { $0.report(presence) } }

    func presences(since age: Duration) throws(ActionLogError) -> [ReplicaPresence] {
        try perform { $0.presences(since: age) }
    }
}
