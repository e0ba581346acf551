import ActorStore
import Foundation

/// The reduced actions of a durable store, and those of them that its log has: a plain value.
///
/// Not generic, because each turn calls it several times, and the compiler does not specialize it for a store.
struct DurableAccount {
    typealias Waiter = CheckedContinuation<Void, any Error>

    /// The current action, between two interceptors or reducers.
    private struct Turn {
        /// The ticket of the dispatch.
        var ticket: Ticket?
        /// Whether a part of the action was reduced. If an interceptor splits an action, its name and the expected
        /// revision are those of the first part, and the dispatch waits for all parts.
        var hasBegun = false
        /// The action as it will be written.
        var prepared: (payload: Data, header: EntryHeader, text: String)?
    }

    /// The name of the log, for errors.
    let log: String
    let origin: String
    /// Whether effects wait for the acknowledgement of their actions.
    private let holdsEffects: Bool

    var entries: PendingEntries<Waiter>
    var snapshots: SnapshotSchedule<Waiter>
    var digests: DigestSchedule
    private(set) var logged: LogAccount
    /// The position of the first entry that the log keeps.
    var first: UInt64
    /// The settings of the engine at the last connection.
    var settings: [String: String] = [:]
    /// The last problem.
    var problem: ActionLogError?
    /// The reason why the newest snapshot was not written; nil if it was.
    private(set) var snapshotProblem: ActionLogError?
    /// Whether a shutdown has found out if the log still has the newest snapshot.
    var snapshotCheck = SnapshotCheck.notNeeded
    /// The numbers of snapshots that running compactions keep.
    var compactions: [Int] = []
    /// The reason why the writer waits before it retries; nil if it does not.
    private var retried: ActionLogError?
    /// A snapshot that waits to be written.
    private var encoded: SnapshotCoding.Encoded?
    private var turn = Turn()
    /// The numbers of the unacknowledged actions, with the resulting revisions.
    private var unacknowledged: [(number: UInt64, revision: UInt64)] = []
    private var committed: UInt64
    /// The time at which the newest snapshot was saved, or the store started from it.
    private var snapshotSince: ContinuousClock.Instant?
    private var commits: UInt64 = 0
    private var lastCommit = Duration.zero
    private var longestCommit = Duration.zero
    private var unconfirmed = 0
    private var repeats: UInt64 = 0

    /// Creates an account.
    ///
    /// - Parameters:
    ///   - logged: The recovered account.
    ///   - snapshot: The revision of the snapshot that the store started from.
    ///   - first: The position of the first entry that the log keeps.
    init(
        _ origin: String,
        _ log: String,
        _ configuration: DurabilityConfiguration,
        _ logged: LogAccount,
        snapshot: UInt64?,
        first: UInt64
    ) {
        self.origin = origin
        self.log = log
        self.logged = logged
        self.first = first
        holdsEffects = configuration.effects == .afterCommit
        var interval: Duration?
        if case .interval(let duration) = configuration.level { interval = duration }
        entries = PendingEntries(
            after: logged.point.identity?.number ?? 0,
            limit: configuration.pendingLimit,
            byteLimit: configuration.pendingByteLimit,
            interval: interval
        )
        snapshots = SnapshotSchedule(configuration.snapshots, recovered: snapshot)
        digests = DigestSchedule(interval: configuration.digestInterval)
        committed = logged.revision
        if snapshot != nil { snapshotSince = .now }
    }

    // MARK: The turn

    /// Returns why no action is accepted now; nil if actions are accepted.
    mutating func refusal() -> (error: ActionLogError?, wake: PendingEntries<Waiter>.Wake) {
        if let end = entries.end { return (end, .no) }
        guard entries.isFull else { return (nil, .no) }
        let error = ActionLogError(
            .overloaded,
            in: log,
            "\(entries.count) actions wait to be written, which is the limit. Try again later."
        )
        return (error, entries.wake())
    }

    /// The ticket that names and refuses the next action to be reduced; nil if the action has no name and no caller.
    var ticket: Ticket? { turn.hasBegun ? nil : turn.ticket }

    /// Sets the ticket of the next action to be reduced; nil after it was reduced.
    mutating func setTicket(_ ticket: Ticket?) -> PendingEntries<Waiter>.Wake {
        turn = Turn(ticket: ticket)
        guard ticket != nil else { return entries.endDispatch() }
        entries.beginDispatch()
        return .no
    }

    /// Returns the outcome of the next action, and keeps its encoding.
    mutating func prepare(_ payload: Data, _ header: EntryHeader, _ text: String) -> LogAccount.Verdict {
        turn.prepared = (payload, header, text)
        let verdict = logged.verdict(on: header)
        if verdict == .repeated {
            repeats += 1
            ticket?.settle(.repeated(number: entries.accepted))
        }
        return verdict
    }

    /// The treatment of an action's effect.
    enum EffectFate {
        case begins
        /// It starts when the log has acknowledged the action, and then settles the promise.
        case waits(beginning: Promise<Void>)
        /// It does not start, because the log has ended while the action was reduced, for this reason.
        case dropped(ActionLogError)
    }

    /// The consequences of a reduced action.
    struct Reduced {
        /// The number of its entry.
        let number: UInt64
        let wake: PendingEntries<Waiter>.Wake
        /// The treatment of its effect.
        let effect: EffectFate
        let makesSnapshot: Bool
        let makesDigest: Bool
    }

    /// Records a reduced action.
    ///
    /// - Parameters:
    ///   - hasEffect: Whether it has an effect, besides an answer.
    ///   - isAwaited: Whether a performer waits for its effect, and thus for its entry.
    mutating func noteReduced(hasEffect: Bool, isAwaited: Bool) -> Reduced {
        guard let (payload, header, text) = turn.prepared else {
            fatalError("An action was reduced without passing the interceptor that writes it. Report this defect.")
        }
        let (number, entry, wake) = append(header, text, payload, isAwaited: holdsEffects && isAwaited)
        unacknowledged.append((number, logged.revision))
        if entries.end != nil { unconfirmed += 1 }
        turn.prepared = nil
        turn.hasBegun = true
        turn.ticket?.settle(.accepted(number: number))
        var effect = EffectFate.begins
        if holdsEffects, hasEffect {
            effect = if let end = entries.end { .dropped(end) } else { .waits(beginning: Promise()) }
        }
        return Reduced(
            number: number,
            wake: wake,
            effect: effect,
            makesSnapshot: snapshots.noteAction(at: logged.revision, bytes: entry.size),
            makesDigest: digests.isDue(at: logged.revision) && digests.begin()
        )
    }

    /// Adds an entry that is not an action.
    mutating func note(_ header: EntryHeader, _ text: String) -> PendingEntries<Waiter>.Wake {
        entries.end == nil ? append(header, text, Data()).wake : .no
    }

    private mutating func append(
        _ header: EntryHeader,
        _ text: String,
        _ payload: Data,
        isAwaited: Bool = false
    ) -> (number: UInt64, entry: ActionLogEntry, wake: PendingEntries<Waiter>.Wake) {
        let identity = ActionLogEntry.Identity(origin: origin, number: entries.accepted + 1)
        _ = logged.admit(header, of: identity)
        let entry = ActionLogEntry(identity, header: text, payload: payload)
        return (identity.number, entry, entries.append(entry, isAwaited: isAwaited))
    }

    // MARK: Snapshots

    /// Passes a snapshot to the writer.
    mutating func write(_ encoded: SnapshotCoding.Encoded) -> PendingEntries<Waiter>.Wake {
        // After the end, a retained store would keep it.
        guard entries.end == nil else { return .no }
        self.encoded = encoded
        return entries.wake()
    }

    /// Records that the running snapshot is saved, or failed.
    ///
    /// - Returns: The waiters to resume.
    mutating func endSnapshot(_ error: ActionLogError?, at now: ContinuousClock.Instant) -> [Waiter] {
        snapshotProblem = error
        if let error {
            problem = error
        } else {
            snapshotSince = now
            if snapshotCheck == .asking { snapshotCheck = .answered }
        }
        return snapshots.finish(isSaved: error == nil)
    }

    /// Records that the log has lost the newest snapshot.
    ///
    /// - Parameter revision: The revision of the snapshot that is the newest one now, whose age is unknown; nil without
    ///   one.
    mutating func noteLostSnapshot(newest revision: UInt64?) {
        snapshots.noteLoss(newest: revision)
        snapshotSince = nil
    }

    /// The state of the look for the newest snapshot by a shutdown.
    enum SnapshotCheck {
        /// No shutdown has begun.
        case notNeeded
        /// The log has not answered. The snapshot does not count as written.
        case asking
        case answered
    }

    // MARK: Calls of the writer

    /// Returns the next work of the writer.
    mutating func take(
        atMost bytes: Int,
        hasOtherWork: Bool
    ) -> (entries: [ActionLogEntry], encoded: SnapshotCoding.Encoded?) {
        defer { encoded = nil }
        return (entries.take(atMost: bytes, hasOtherWork: hasOtherWork || encoded != nil), encoded)
    }

    /// Records that the log has everything up to a number.
    ///
    /// - Returns: The number of actions that are now acknowledged.
    mutating func noteAppended(through number: UInt64, within duration: Duration) -> Int {
        entries.noteAppended(through: number)
        commits += 1
        lastCommit = duration
        longestCommit = max(longestCommit, duration)
        let end = unacknowledged.firstIndex { $0.number > number } ?? unacknowledged.endIndex
        committed = unacknowledged[..<end].last?.revision ?? committed
        unacknowledged.removeFirst(end)
        return end
    }

    /// Records that a write has failed, and will be retried after a delay.
    mutating func retry(_ error: ActionLogError, after duration: Duration) -> PendingEntries<Waiter>.Wake {
        (problem, retried) = (error, error)
        return entries.retry(after: duration)
    }

    /// Records that nothing is retried any more.
    mutating func noteRecovery() { retried = nil }

    /// Whether the log can be written.
    var phase: DurabilityPhase {
        if let end = entries.end { return .ended(end) }
        return if let retried { .retrying(retried) } else { .connected }
    }

    /// Ends the acceptance and the writing of actions.
    ///
    /// - Returns: The remaining waiters.
    mutating func end(_ error: ActionLogError) -> [Waiter] {
        if entries.end == nil { unconfirmed = unacknowledged.count }
        encoded = nil
        return entries.end(error) + snapshots.end()
    }

    func statistics(at now: ContinuousClock.Instant) -> DurabilityStatistics {
        DurabilityStatistics(
            revision: logged.revision,
            committedRevision: committed,
            pendingActions: unacknowledged.count,
            pendingBytes: entries.bytes,
            commits: commits,
            lastCommitDuration: lastCommit,
            longestCommitDuration: longestCommit,
            snapshotRevision: snapshotCheck == .asking ? nil : snapshots.saved,
            snapshotAge: snapshotCheck == .asking ? nil : snapshotSince.map { now - $0 },
            entries: logged.point.position + 1 - min(first, logged.point.position + 1),
            settings: settings,
            repeats: repeats,
            lastProblem: problem,
            failure: entries.end,
            unconfirmedActions: unconfirmed
        )
    }
}
