import Foundation

/// What the threads of a replica share: a plain value.
struct ReplicaAccount<State: Sendable, Waiter, Sender> {
    /// How far the store is. Without the names of actions, of which a second reference would cost a copy.
    struct Progress: Sendable {
        let point: ActionLogPoint
        let revision: UInt64
        /// The token of the newest lease of effects.
        let lease: UInt64
        let fenced: UInt64
        let repeats: UInt64

        init(_ account: LogAccount) {
            point = account.point
            revision = account.revision
            lease = account.lease
            fenced = account.fenced
            repeats = account.repeats
        }
    }

    var outbox: ReplicaOutbox<Waiter, Sender>
    /// Those who wait for entries up to a position.
    var barriers = OrderedWaiters<Waiter>()
    /// Nil if effects need none.
    var lease: EffectsLease?
    var snapshots: SnapshotSchedule<Waiter>
    var digests: DigestCheck<State>
    private(set) var progress: Progress
    var interruptions: [ObjectIdentifier: ActionLogInterruption] = [:]
    /// What went wrong last and may have passed.
    var problem: ActionLogError?

    /// How many actions there are from one snapshot to the next.
    private let snapshotInterval: UInt64
    /// Up to where snapshots do not count, because they are of what was before entries that this replica has left out.
    private let uselessSnapshots: UInt64
    /// Since when the newest snapshot is known.
    private var snapshotSince: ContinuousClock.Instant?
    /// The newest entry of this replica of which the position is known.
    private var appended = ActionLogPoint.start
    /// The newest entry that was appended for its acknowledgement alone, and the position up to which that counts.
    private var confirmation: (number: UInt64, position: UInt64) = (0, 0)
    /// What the log is known to have.
    private var first: UInt64
    private var end: UInt64
    private var disconnections = 0
    private var commits: UInt64 = 0
    private var lastCommit = Duration.zero
    private var longestCommit = Duration.zero

    init(
        _ origin: String,
        _ log: String,
        _ configuration: ReplicationConfiguration,
        _ account: LogAccount,
        _ report: RecoveryReport,
        first: UInt64
    ) {
        outbox = ReplicaOutbox(
            of: origin,
            log,
            after: 1,
            configuration.whileDisconnected,
            limit: configuration.pendingLimit,
            byteLimit: configuration.pendingByteLimit
        )
        lease = configuration.effects.leaseDuration.map { EffectsLease(of: origin, lasting: $0) }
        snapshotInterval = configuration.snapshots.actions
        // Without a lease it is the number of actions that says which replica makes one.
        let interval =
            lease == nil
            ? SnapshotInterval(actions: .max, bytes: configuration.snapshots.bytes) : configuration.snapshots
        let revision = report.needsSnapshot ? nil : report.snapshotRevision
        uselessSnapshots = report.needsSnapshot ? account.point.position : 0
        snapshots = SnapshotSchedule(interval, recovered: revision)
        if revision != nil { snapshotSince = .now }
        digests = DigestCheck(interval: configuration.digestInterval)
        progress = Progress(account)
        self.first = first
        end = account.point.position
    }

    // MARK: In the turn

    /// Why no action is accepted for now; nil if one is.
    ///
    /// - Parameter token: The lease that it is sent under.
    func refusal(ofEffect: Bool, under token: UInt64?) -> ActionLogError? {
        if let token, token < progress.lease {
            return ActionLogError(.fenced, in: outbox.log, "Another replica has the lease of effects by now.")
        }
        return outbox.refusal(ofEffect: ofEffect)
    }

    /// What is to be done about a state besides its effects.
    struct Duties {
        var makesSnapshot = false
        var makesDigest = false
        /// Not needed any more, and to be released where users' code may run.
        var released: State?
    }

    /// An entry has been reduced, or passed over, and has led to this state.
    ///
    /// One replica makes a snapshot or a digest when one is due: the holder of the lease, or, if there is none, the one
    /// that the action came from, which has been alive a moment ago.
    mutating func noteReduced(
        _ logged: LoggedState<State>,
        isAction: Bool,
        isOwn: Bool,
        size: Int,
        at moment: ContinuousClock.Instant
    ) -> Duties {
        let revision = logged.account.revision
        progress = Progress(logged.account)
        guard isAction else { return Duties() }
        var isDue = snapshots.noteAction(at: revision, bytes: size)
        if lease == nil, revision.isMultiple(of: snapshotInterval) { isDue = true }
        let makesDigest = digests.isDue(at: revision)
        let released = makesDigest ? digests.keep(logged) : nil
        let isMaker = lease == nil ? isOwn : holdsLease(at: moment)
        return Duties(
            makesSnapshot: isDue && isMaker,
            makesDigest: makesDigest && isMaker && digests.begin(),
            released: released
        )
    }

    /// Whether effects of an entry run here.
    func effectRun(_ placement: EffectPlacement, isOwn: Bool, at moment: ContinuousClock.Instant) -> EffectRun {
        if !isOwn && outbox.isClosing { return .elsewhere }
        switch placement {
        case .origin: return isOwn ? .here(lease: nil) : .elsewhere
        case .everyReplica: return .here(lease: nil)
        case .leaseHolder: return holdsLease(at: moment) ? .here(lease: progress.lease) : .elsewhere
        }
    }

    /// By the log, and by this replica's own clock.
    private func holdsLease(at moment: ContinuousClock.Instant) -> Bool {
        lease?.held(at: moment)?.token == progress.lease
    }

    /// Appends an entry, unless one is on its way or has been acknowledged that comes after a position.
    ///
    /// - Parameters:
    ///   - position: That of an entry which has been reduced here.
    ///   - header: That of an entry which changes nothing.
    /// - Returns: The number of the entry to wait for; 0 if there is none.
    mutating func confirm(
        through position: UInt64,
        _ header: String
    ) -> (number: UInt64, wake: PendingEntries<Waiter>.Wake) {
        if appended.position >= position { return (0, .no) }
        if confirmation.position >= position { return (confirmation.number, .no) }
        let (number, wake) = outbox.append(header, Data(), from: nil)
        confirmation = (number, position)
        return (number, wake)
    }

    // MARK: For the writer

    /// The newest entry that the log is known to have.
    var newestPoint: ActionLogPoint {
        if appended.position > progress.point.position { return appended }
        // Nothing is known of what was left out because it could not be read.
        return progress.point.identity == nil ? .start : progress.point
    }

    /// The newest entry that the log has acknowledged and that has still to be reduced here, and where it is, if that is
    /// known; nil if there is none.
    var awaited: (number: UInt64, point: ActionLogPoint?)? {
        outbox.awaited.map { ($0, appended.identity?.number == $0 ? appended : nil) }
    }

    /// The log has acknowledged everything up to an entry of this replica.
    ///
    /// - Parameter position: Its position, if that is known.
    /// - Returns: Those who waited for that.
    mutating func noteAppended(
        _ identity: ActionLogEntry.Identity,
        at position: UInt64?,
        within duration: Duration
    ) -> [Waiter] {
        if let position {
            appended = ActionLogPoint(position: position, identity: identity)
            end = max(end, position)
        }
        commits += 1
        lastCommit = duration
        longestCommit = max(longestCommit, duration)
        return outbox.noteAppended(through: identity.number)
    }

    /// Writing has failed, and is tried again after some time.
    ///
    /// - Parameter isLoss: Whether that is because of the connection.
    mutating func retry(
        _ error: ActionLogError,
        isLoss: Bool,
        after duration: Duration
    ) -> PendingEntries<Waiter>.Wake {
        problem = error
        if isLoss, outbox.writing == nil { disconnections += 1 }
        return outbox.retry(isLoss ? error : nil, after: duration)
    }

    /// What to ask the log for; nil if nothing. One that is being shut down renews its lease, and claims no other. One
    /// that writes and cannot read does neither: it would reduce nothing, and keep others from the effects.
    var leaseClaim: LeaseClaim? {
        guard outbox.entries.end == nil, outbox.reading == nil, let lease, lease.deadline != nil || !outbox.isClosing
        else { return nil }
        return lease.claim
    }

    /// What the log has.
    mutating func note(_ status: ActionLogStatus) {
        first = status.first
        end = max(end, status.end.position)
    }

    /// The log has a snapshot of a revision.
    mutating func noteSnapshot(of revision: UInt64, _ position: UInt64, at moment: ContinuousClock.Instant) {
        guard position > uselessSnapshots else { return }
        if revision > snapshots.saved ?? 0 || snapshotSince == nil { snapshotSince = moment }
        snapshots.noteOther(at: revision)
    }

    /// The snapshot that was being made is over.
    ///
    /// - Parameter result: The revision and the position of the newest one that the log has, or why there is none.
    /// - Returns: Those who waited for it.
    mutating func endSnapshot(
        _ result: Result<(revision: UInt64, position: UInt64), ActionLogError>,
        at moment: ContinuousClock.Instant
    ) -> [Waiter] {
        let waiters = snapshots.finish(isSaved: false)
        switch result {
        case .success(let (revision, position)): noteSnapshot(of: revision, position, at: moment)
        case .failure(let error): problem = error
        }
        return waiters
    }

    // MARK: For the follower

    /// Everything up to a point has been reduced.
    ///
    /// - Parameter number: The newest entry of this replica among it; nil if there is none.
    /// - Returns: Those who waited for it.
    mutating func noteReduced(through point: ActionLogPoint, _ number: UInt64?) -> [Waiter] {
        end = max(end, point.position)
        var waiters = barriers.take(through: point.position)
        if let number { waiters += outbox.noteReduced(through: number) }
        return waiters
    }

    /// The connection is lost, or there is one again.
    mutating func noteReading(_ problem: ActionLogError?) {
        if let problem {
            self.problem = problem
            if outbox.reading == nil { disconnections += 1 }
        }
        outbox.noteReading(problem)
    }

    // MARK: The end, and figures

    /// No more actions are accepted.
    ///
    /// - Returns: Those who wait, for nothing now, those whose actions are on their way, and the lease if there was one.
    mutating func end(
        _ error: ActionLogError,
        isWaiting: Bool
    ) -> (waiters: [Waiter], senders: [Sender], lease: ActionLogLease?) {
        if isWaiting { problem = error }
        var waiters = barriers.take(through: .max)
        // One that waits can still save its state.
        if !isWaiting { waiters += snapshots.end() }
        let (others, senders) = outbox.end(error, isWaiting: isWaiting)
        return (waiters + others, senders, lease?.lose())
    }

    func statistics(at moment: ContinuousClock.Instant) -> ReplicationStatistics {
        let (position, phase) = (progress.point.position, outbox.phase)
        var failure: ActionLogError?
        if case .ended(let error) = phase { failure = error }
        return ReplicationStatistics(
            position: position,
            revision: progress.revision,
            lag: end - min(position, end),
            pendingActions: outbox.actions,
            pendingBytes: outbox.entries.bytes,
            phase: phase,
            disconnections: disconnections,
            commits: commits,
            lastCommitDuration: lastCommit,
            longestCommitDuration: longestCommit,
            entries: end + 1 - min(first, end + 1),
            snapshotRevision: snapshots.saved,
            snapshotAge: snapshotSince.map { moment - $0 },
            repeats: progress.repeats,
            fencedActions: progress.fenced,
            lastProblem: problem,
            failure: failure
        )
    }
}

/// Where effects of an entry run.
enum EffectRun: Equatable {
    case here(lease: UInt64?)
    case elsewhere
}
