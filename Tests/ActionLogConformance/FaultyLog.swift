import ActorStore
import ActorStorePersistence
import Foundation

/// A log around another one whose calls fail on request of a test.
public final class FaultyLog: ActionLog {
    /// The calls that can fail.
    public enum Call: Sendable, Hashable, CaseIterable {
        case connect, append, write, finish, discard, discardUnfinished, part, trim, claim, status, read, wait
        case identity, lastNumber, snapshots, report, release, presences
    }

    /// The kinds of failures.
    public enum Fault: Sendable {
        /// It throws, and nothing has been done.
        case error(ActionLogError.Code)
        /// It throws, and the call has been done: the response is lost.
        case lostAnswer(ActionLogError.Code)
        /// It waits until the test continues.
        case wait(DispatchSemaphore)
        /// It takes a given time.
        case delay(Duration)
        /// An append throws, and its entries reach the log before the next append, on any connection.
        case late(ActionLogError.Code)
    }

    private struct State {
        var faults: [Call: [Fault]] = [:]
        /// By the number of the call.
        var numbered: [Call: [Int: Fault]] = [:]
        /// Whether the failing append is late, and the entries in flight.
        var isLate = false
        var late: (entries: [ActionLogEntry], condition: AppendCondition)?
        var lasting: [Call: Fault] = [:]
        var counts: [Call: Int] = [:]
        var isReachable = true
        var connections: [WeakConnection] = []
    }

    private struct WeakConnection { weak var connection: FaultyLogConnection? }

    /// The inner log.
    public let base: any ActionLog
    private let state = LockedValue(State())

    /// Puts a log around another one.
    public init(_ base: any ActionLog) { self.base = base }

    /// Its name in errors.
    public var name: String { base.name }

    /// Like the inner log.
    public var largestEntry: Int { base.largestEntry }

    /// Makes the next calls of a kind fail, one after the other.
    public func fail(_ call: Call, with faults: Fault...) {
        state.withLock { $0.faults[call, default: []] += faults }
    }

    /// Makes one call of a kind fail, by its number; the first call of all is 1.
    public func fail(_ call: Call, number: Int, with fault: Fault) {
        state.withLock { $0.numbered[call, default: [:]][number] = fault }
    }

    /// Makes all calls of a kind fail from now on; nil ends that.
    public func failAlways(_ call: Call, with fault: Fault?) { state.withLock { $0.lasting[call] = fault } }

    /// Ends all failures.
    public func failNoMore() { state.withLock { ($0.faults, $0.numbered, $0.lasting) = ([:], [:], [:]) } }

    /// The number of calls of a kind so far.
    public func count(of call: Call) -> Int { state.withLock { $0.counts[call] ?? 0 } }

    /// Breaks the existing connections; new ones can be opened, unless the log is ``disconnect()``ed.
    public func breakConnections() {
        let connections = state.withLock { state in
            defer { state.connections = [] }
            return state.connections.compactMap(\.connection)
        }
        for connection in connections { connection.breakOff() }
    }

    /// Prevents connections, and breaks the existing ones, until ``reconnect()``. Other users of the inner log are not
    /// affected.
    public func disconnect() {
        state.withLock { $0.isReachable = false }
        breakConnections()
    }

    /// Ends the state begun by ``disconnect()``.
    public func reconnect() { state.withLock { $0.isReachable = true } }

    /// Opens a connection to the inner log, unless that is to fail.
    public func connect() throws(ActionLogError) -> any ActionLogConnection {
        let connection = try perform(.connect) { () throws(ActionLogError) in
            FaultyLogConnection(self, try base.connect())
        }
        let isReachable = state.withLock { state in
            state.connections.removeAll { $0.connection == nil }
            state.connections.append(WeakConnection(connection: connection))
            return state.isReachable
        }
        guard isReachable else { throw ActionLogError(.disconnected, in: name, "A test has disconnected the log.") }
        return connection
    }

    /// An append has failed, and may be in flight.
    fileprivate func noteLate(_ entries: [ActionLogEntry], _ condition: AppendCondition) {
        state.withLock { state in
            if state.isLate { (state.isLate, state.late) = (false, (entries, condition)) }
        }
    }

    /// The entries in flight reach the log.
    fileprivate func arrive(by base: any ActionLogConnection) {
        let late = state.withLock { state in
            defer { state.late = nil }
            return state.late
        }
        if let late { _ = try? base.append(late.entries, if: late.condition) }
    }

    fileprivate func perform<Result>(
        _ call: Call,
        _ body: () throws(ActionLogError) -> Result
    ) throws(ActionLogError) -> Result {
        let fault: Fault? = state.withLock { state in
            state.counts[call, default: 0] += 1
            if let fault = state.numbered[call]?[state.counts[call] ?? 0] { return fault }
            guard var faults = state.faults[call], !faults.isEmpty else { return state.lasting[call] }
            defer { state.faults[call] = faults }
            return faults.removeFirst()
        }
        if case .late = fault { state.withLock { $0.isLate = true } }
        switch fault {
        case nil: return try body()
        case .error(let code), .late(let code): throw ActionLogError(code, in: name, "A fault of a test.")
        case .lostAnswer(let code):
            _ = try body()
            throw ActionLogError(code, in: name, "A fault of a test.")
        case .delay(let duration):
            Thread.sleep(forTimeInterval: duration / .seconds(1))
            return try body()
        case .wait(let semaphore):
            semaphore.wait()
            semaphore.signal()
            return try body()
        }
    }
}

private final class FaultyLogConnection: ActionLogConnection {
    private let log: FaultyLog
    private let base: any ActionLogConnection
    private let isBroken = CancellationNote()
    private let baseInterruption: ActionLogInterruption

    init(_ log: FaultyLog, _ base: any ActionLogConnection) {
        self.log = log
        self.base = base
        baseInterruption = base.interruption
    }

    /// From any thread.
    func breakOff() {
        isBroken.note()
        baseInterruption.interrupt()
    }

    private func perform<Result>(
        _ call: FaultyLog.Call,
        _ body: (any ActionLogConnection) throws(ActionLogError) -> Result
    ) throws(ActionLogError) -> Result {
        let broken = ActionLogError(.disconnected, in: log.name, "A test has broken the connection off.")
        if isBroken.isNoted { throw broken }
        do throws(ActionLogError) {
            return try log.perform(call) { () throws(ActionLogError) in try body(base) }
        } catch {
            throw isBroken.isNoted ? broken : error
        }
    }

    func status() throws(ActionLogError) -> ActionLogStatus {
        try perform(.status) { base throws(ActionLogError) in try base.status() }
    }

    func append(_ entries: [ActionLogEntry], if condition: AppendCondition) throws(ActionLogError) -> UInt64 {
        log.arrive(by: base)
        do throws(ActionLogError) {
            return try perform(.append) { base throws(ActionLogError) in try base.append(entries, if: condition) }
        } catch {
            log.noteLate(entries, condition)
            throw error
        }
    }

    func part(_ number: Int, of snapshot: ActionLogSnapshot) throws(ActionLogError) -> Data? {
        try perform(.part) { base throws(ActionLogError) in try base.part(number, of: snapshot) }
    }

    func write(_ part: Data, _ number: Int, of snapshot: ActionLogSnapshot) throws(ActionLogError) {
        try perform(.write) { base throws(ActionLogError) in try base.write(part, number, of: snapshot) }
    }

    func finish(_ snapshot: ActionLogSnapshot) throws(ActionLogError) -> Bool {
        try perform(.finish) { base throws(ActionLogError) in try base.finish(snapshot) }
    }

    func discard(_ snapshot: ActionLogSnapshot) throws(ActionLogError) {
        try perform(.discard) { base throws(ActionLogError) in try base.discard(snapshot) }
    }

    func discardUnfinished() throws(ActionLogError) -> Bool {
        try perform(.discardUnfinished) { base throws(ActionLogError) in try base.discardUnfinished() }
    }

    func trim(through position: UInt64) throws(ActionLogError) -> Bool {
        try perform(.trim) { base throws(ActionLogError) in try base.trim(through: position) }
    }

    func claim(_ claim: LeaseClaim) throws(ActionLogError) -> ActionLogLease {
        try perform(.claim) { base throws(ActionLogError) in try base.claim(claim) }
    }

    func lastNumber(of origin: String) throws(ActionLogError) -> UInt64 {
        try perform(.lastNumber) { base throws(ActionLogError) in try base.lastNumber(of: origin) }
    }

    func identity(at position: UInt64) throws(ActionLogError) -> ActionLogEntry.Identity? {
        try perform(.identity) { base throws(ActionLogError) in try base.identity(at: position) }
    }

    func read(after position: UInt64, atMost bytes: Int) throws(ActionLogError) -> [ActionLogEntry] {
        try perform(.read) { base throws(ActionLogError) in try base.read(after: position, atMost: bytes) }
    }

    func wait(after position: UInt64, for duration: Duration) throws(ActionLogError) {
        try perform(.wait) { base throws(ActionLogError) in try base.wait(after: position, for: duration) }
    }

    var interruption: ActionLogInterruption { baseInterruption }

    var settings: [String: String] { base.settings }

    func snapshots() throws(ActionLogError) -> [ActionLogSnapshot] {
        try perform(.snapshots) { base throws(ActionLogError) in try base.snapshots() }
    }

    func release(_ lease: ActionLogLease) throws(ActionLogError) {
        try perform(.release) { base throws(ActionLogError) in try base.release(lease) }
    }

    func report(_ presence: ReplicaPresence) throws(ActionLogError) {
        try perform(.report) { base throws(ActionLogError) in try base.report(presence) }
    }

    func presences(since age: Duration) throws(ActionLogError) -> [ReplicaPresence] {
        try perform(.presences) { base throws(ActionLogError) in try base.presences(since: age) }
    }
}
