import ActorStore
import Foundation

/// What a durable store has reduced, and what its log has of that: a plain value.
struct DurableAccount<State: Sendable, Action: Sendable, Waiter> {
    /// What was reduced last, until the next interceptor or reducer has done its part.
    private struct Turn {
        /// Who has dispatched the action, until it has been reduced.
        var ticket: Ticket?
        var hold: EffectHold?
        /// The action as it will be written.
        var prepared: (payload: Data, header: EntryHeader, text: String)?
    }

    /// The name of the log, for errors.
    let log: String
    let origin: String
    /// Whether effects begin when their actions are acknowledged.
    private let holdsEffects: Bool
    /// Whether acknowledged actions are wanted, for the confirmed state.
    private let keepsActions: Bool

    var entries: PendingEntries<Waiter>
    var snapshots: SnapshotSchedule<Waiter>
    var digests: DigestCheck<State>
    var held = HeldEffects<Action>()
    private(set) var logged: LogAccount
    /// The position of the first entry that the log keeps.
    var first: UInt64
    /// What went wrong last.
    var problem: ActionLogError?
    /// A snapshot that is to be written.
    private var encoded: SnapshotCoding.Encoded?
    private var turn = Turn()
    /// The actions that the log has not acknowledged, with the revisions that they have led to.
    private var unacknowledged: [(number: UInt64, revision: UInt64, action: Action?)] = []
    private var committed: UInt64
    /// When the newest snapshot was saved, or the store has begun with it.
    private var snapshotSince: ContinuousClock.Instant?
    private var commits: UInt64 = 0
    private var lastCommit = Duration.zero
    private var longestCommit = Duration.zero
    private var unconfirmed = 0
    private var repeats: UInt64 = 0

    /// - Parameters:
    ///   - logged: What the store begins with.
    ///   - snapshot: The revision of the snapshot that it has begun with.
    ///   - first: The position of the first entry that the log keeps.
    init(
        _ origin: String,
        _ log: String,
        _ configuration: DurabilityConfiguration,
        _ logged: LogAccount,
        snapshot: UInt64?,
        first: UInt64,
        keepsActions: Bool
    ) {
        self.origin = origin
        self.log = log
        self.logged = logged
        self.first = first
        self.keepsActions = keepsActions
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
        digests = DigestCheck(interval: configuration.digestInterval)
        committed = logged.revision
        if snapshot != nil { snapshotSince = .now }
    }

    // MARK: The turn

    /// Why no action is accepted now; nil if it is.
    mutating func refusal() -> (error: ActionLogError?, wake: PendingEntries<Waiter>.Wake) {
        if let end = entries.end { return (end, .no) }
        guard entries.isFull else { return (nil, .no) }
        let error = ActionLogError(
            .overloaded,
            in: log,
            "\(entries.count) actions wait to be written, as many as may. Try again later."
        )
        return (error, entries.wake())
    }

    /// Who has dispatched the action that is reduced next; nil if nobody waits for it.
    var ticket: Ticket? { turn.ticket }

    /// Says whose action is reduced next, and with nil that it has been.
    mutating func setTicket(_ ticket: Ticket?, _ hold: EffectHold?) { turn = Turn(ticket: ticket, hold: hold) }

    /// Decides about an action, which is about to be reduced, and keeps what will be written.
    mutating func prepare(_ payload: Data, _ header: EntryHeader, _ text: String) -> LogAccount.Verdict {
        turn.prepared = (payload, header, text)
        let verdict = logged.verdict(on: header)
        if verdict == .repeated {
            repeats += 1
            turn.ticket?.outcome = .repeated(number: entries.accepted)
        }
        return verdict
    }

    /// What becomes of the effect of an action.
    enum EffectFate {
        case begins
        /// It begins when the log has acknowledged the action.
        case waits(HeldEffects<Action>.Held)
        /// It never begins, because the log has ended while the action was reduced.
        case dropped
    }

    /// What comes of an action.
    struct Reduced {
        let wake: PendingEntries<Waiter>.Wake
        /// What becomes of its effect.
        var effect = EffectFate.begins
        let makesSnapshot: Bool
        let makesDigest: Bool
    }

    /// Takes an action that has just been reduced.
    mutating func noteReduced(_ action: Action, _ effect: Effect<Action>) -> Reduced {
        guard let (payload, header, text) = turn.prepared else {
            fatalError("An action was reduced that did not pass through the interceptor which writes it.")
        }
        let (number, entry, wake) = append(header, text, payload)
        unacknowledged.append((number, logged.revision, keepsActions ? action : nil))
        if entries.end != nil { unconfirmed += 1 }
        var reduced = Reduced(
            wake: wake,
            makesSnapshot: snapshots.noteAction(at: logged.revision, bytes: entry.size),
            makesDigest: digests.isDue(at: logged.revision) && digests.begin()
        )
        // The next action of the same turn, which an interceptor may have made, is nobody's.
        let (ticket, hold) = (turn.ticket, turn.hold)
        turn = Turn()
        ticket?.outcome = .accepted(number: number)
        guard holdsEffects, !effect.isAnswerOnly else { return reduced }
        guard entries.end == nil else {
            reduced.effect = .dropped
            return reduced
        }
        hold?.hold()
        let held = HeldEffects<Action>.Held(
            number: number,
            action: action,
            effect: effect,
            hold: hold,
            beginning: Promise()
        )
        self.held.append(held)
        reduced.effect = .waits(held)
        return reduced
    }

    /// Takes an entry that is no action.
    mutating func note(_ header: EntryHeader, _ text: String) -> PendingEntries<Waiter>.Wake {
        entries.end == nil ? append(header, text, Data()).wake : .no
    }

    private mutating func append(
        _ header: EntryHeader,
        _ text: String,
        _ payload: Data
    ) -> (number: UInt64, entry: ActionLogEntry, wake: PendingEntries<Waiter>.Wake) {
        let identity = ActionLogEntry.Identity(origin: origin, number: entries.accepted + 1)
        _ = logged.admit(header, of: identity)
        let entry = ActionLogEntry(identity, header: text, payload: payload)
        return (identity.number, entry, entries.append(entry))
    }

    // MARK: Snapshots

    /// Hands a snapshot over to the writer.
    mutating func write(_ encoded: SnapshotCoding.Encoded) -> PendingEntries<Waiter>.Wake {
        self.encoded = encoded
        return entries.wake()
    }

    /// The snapshot that was being made is saved, or will never be.
    ///
    /// - Returns: Those who waited for it.
    mutating func endSnapshot(_ error: ActionLogError?, at now: ContinuousClock.Instant) -> [Waiter] {
        if let error { problem = error } else { snapshotSince = now }
        return snapshots.finish(isSaved: error == nil)
    }

    // MARK: For the writer

    /// What the writer is to do next.
    mutating func take(
        atMost bytes: Int,
        hasOtherWork: Bool
    ) -> (entries: [ActionLogEntry], encoded: SnapshotCoding.Encoded?) {
        defer { encoded = nil }
        return (entries.take(atMost: bytes, hasOtherWork: hasOtherWork || encoded != nil), encoded)
    }

    /// What an acknowledgement of the log has come to.
    struct Acknowledged {
        /// Those who waited for it.
        let waiters: [Waiter]
        /// What begins now.
        let held: [HeldEffects<Action>.Held]
        /// The actions, if they are wanted.
        let actions: [Action]
    }

    /// The log has everything up to a number.
    mutating func noteAppended(through number: UInt64, within duration: Duration) -> Acknowledged {
        entries.noteAppended(through: number)
        commits += 1
        lastCommit = duration
        longestCommit = max(longestCommit, duration)
        let end = unacknowledged.firstIndex { $0.number > number } ?? unacknowledged.endIndex
        let acknowledged = unacknowledged[..<end]
        unacknowledged.removeFirst(end)
        committed = acknowledged.last?.revision ?? committed
        return Acknowledged(
            waiters: entries.settle(through: number),
            held: held.take(through: number),
            actions: acknowledged.compactMap(\.action)
        )
    }

    /// Writing has failed, and is tried again after some time.
    mutating func retry(_ error: ActionLogError, after duration: Duration) -> PendingEntries<Waiter>.Wake {
        problem = error
        return entries.retry(after: duration)
    }

    /// Nothing is written any more, and no action accepted.
    ///
    /// - Returns: Those who wait, for nothing now, and the effects that will not begin.
    mutating func end(_ error: ActionLogError) -> (waiters: [Waiter], held: [HeldEffects<Action>.Held]) {
        if entries.end == nil { unconfirmed = unacknowledged.count }
        encoded = nil
        return (entries.end(error) + snapshots.end(), held.take(through: .max))
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
            snapshotRevision: snapshots.saved,
            snapshotAge: snapshotSince.map { now - $0 },
            entries: logged.point.position + 1 - min(first, logged.point.position + 1),
            repeats: repeats,
            lastProblem: problem,
            failure: entries.end,
            unconfirmedActions: unconfirmed
        )
    }
}
