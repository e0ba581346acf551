import ActorStore
import ActorStorePersistence
import Foundation

/// A log whose calls fail when a test says so, around one that does what it should.
public final class FaultyLog: ActionLog {
    /// What may fail.
    public enum Call: Sendable, Hashable {
        case connect, append, write, finish, discard, part, trim, claim, status
    }

    /// How a call fails.
    public enum Fault: Sendable {
        /// It throws, and nothing has been done.
        case error(ActionLogError.Code)
        /// It throws, and what was asked for has been done: the answer is lost.
        case lostAnswer(ActionLogError.Code)
        /// It waits until the test goes on.
        case wait(DispatchSemaphore)
    }

    private struct State {
        var faults: [Call: [Fault]] = [:]
        var lasting: [Call: Fault] = [:]
        var counts: [Call: Int] = [:]
    }

    /// The log within.
    public let base: any ActionLog
    private let state = LockedValue(State())

    /// Puts a log around another one.
    public init(_ base: any ActionLog) { self.base = base }

    /// What errors call it.
    public var name: String { base.name }

    /// As the log within.
    public var largestEntry: Int { base.largestEntry }

    /// Has the next calls of a kind fail, one after the other.
    public func fail(_ call: Call, with faults: Fault...) {
        state.withLock { $0.faults[call, default: []] += faults }
    }

    /// Has all calls of a kind fail from now on; nil ends that.
    public func failAlways(_ call: Call, with fault: Fault?) { state.withLock { $0.lasting[call] = fault } }

    /// How many calls of a kind there have been.
    public func count(of call: Call) -> Int { state.withLock { $0.counts[call] ?? 0 } }

    /// Opens a connection to the log within, unless that is to fail.
    public func connect() throws(ActionLogError) -> any ActionLogConnection {
        try perform(.connect) { () throws(ActionLogError) in FaultyLogConnection(self, try base.connect()) }
    }

    fileprivate func perform<Result>(
        _ call: Call,
        _ body: () throws(ActionLogError) -> Result
    ) throws(ActionLogError) -> Result {
        let fault: Fault? = state.withLock { state in
            state.counts[call, default: 0] += 1
            guard var faults = state.faults[call], !faults.isEmpty else { return state.lasting[call] }
            defer { state.faults[call] = faults }
            return faults.removeFirst()
        }
        switch fault {
        case nil: return try body()
        case .error(let code): throw ActionLogError(code, in: name, "A fault of a test.")
        case .lostAnswer(let code):
            _ = try body()
            throw ActionLogError(code, in: name, "A fault of a test.")
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

    init(_ log: FaultyLog, _ base: any ActionLogConnection) {
        self.log = log
        self.base = base
    }

    func status() throws(ActionLogError) -> ActionLogStatus {
        try log.perform(.status) { () throws(ActionLogError) in try base.status() }
    }

    func append(_ entries: [ActionLogEntry], if condition: AppendCondition) throws(ActionLogError) -> UInt64 {
        try log.perform(.append) { () throws(ActionLogError) in try base.append(entries, if: condition) }
    }

    func part(_ number: Int, of snapshot: ActionLogSnapshot) throws(ActionLogError) -> Data? {
        try log.perform(.part) { () throws(ActionLogError) in try base.part(number, of: snapshot) }
    }

    func write(_ part: Data, _ number: Int, of snapshot: ActionLogSnapshot) throws(ActionLogError) {
        try log.perform(.write) { () throws(ActionLogError) in try base.write(part, number, of: snapshot) }
    }

    func finish(_ snapshot: ActionLogSnapshot) throws(ActionLogError) -> Bool {
        try log.perform(.finish) { () throws(ActionLogError) in try base.finish(snapshot) }
    }

    func discard(_ snapshot: ActionLogSnapshot) throws(ActionLogError) {
        try log.perform(.discard) { () throws(ActionLogError) in try base.discard(snapshot) }
    }

    func trim(through position: UInt64) throws(ActionLogError) -> Bool {
        try log.perform(.trim) { () throws(ActionLogError) in try base.trim(through: position) }
    }

    func claim(_ claim: LeaseClaim) throws(ActionLogError) -> ActionLogLease {
        try log.perform(.claim) { () throws(ActionLogError) in try base.claim(claim) }
    }

    func lastNumber(of origin: String) throws(ActionLogError) -> UInt64 { try base.lastNumber(of: origin) }
    func identity(at position: UInt64) throws(ActionLogError) -> ActionLogEntry.Identity? {
        try base.identity(at: position)
    }
    func read(after position: UInt64, atMost bytes: Int) throws(ActionLogError) -> [ActionLogEntry] {
        try base.read(after: position, atMost: bytes)
    }
    func wait(after position: UInt64, for duration: Duration) throws(ActionLogError) {
        try base.wait(after: position, for: duration)
    }
    var interruption: ActionLogInterruption { base.interruption }
    func snapshots() throws(ActionLogError) -> [ActionLogSnapshot] { try base.snapshots() }
    func release(_ lease: ActionLogLease) throws(ActionLogError) { try base.release(lease) }
    func report(_ presence: ReplicaPresence) throws(ActionLogError) { try base.report(presence) }
    func presences(since age: Duration) throws(ActionLogError) -> [ReplicaPresence] { try base.presences(since: age) }
}
