import Foundation

/// The state that the threads of a replica share: a plain value.
struct ReplicaAccount<State: Sendable, Waiter, Sender> {
    /// The progress of the store. It has no names of actions, because a second reference to them would cost a copy.
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
    /// The waiters for positions.
    var barriers = OrderedWaiters<Waiter>()
    /// Nil if effects need no lease.
    var lease: EffectsLease?
    var snapshots: SnapshotSchedule<Waiter>
    var digests: DigestCheck<State>
    private(set) var progress: Progress
    var interruptions: [ObjectIdentifier: ActionLogInterruption] = [:]
    /// Whether the holds of cancelled effects will be released.
    var isReleasingHolds = false
    /// The last problem that may be temporary.
    var problem: ActionLogError?
    /// The reason why the last snapshot was not written; nil if it was.
    private(set) var snapshotProblem: ActionLogError?

    /// The number of actions between two snapshots.
    private let snapshotInterval: UInt64
    /// The position up to which snapshots are ignored, because a recovery from them meets the entries that this replica
    /// has skipped, or because they cannot be read.
    let uselessSnapshots: UInt64
    /// The revision of the snapshot that the recovery started from; nil if it is useless.
    private let recovered: UInt64?
    /// The time since which the newest snapshot is known.
    private var snapshotSince: ContinuousClock.Instant?
    /// The newest entry of this replica whose position is known.
    private var appended = ActionLogPoint.start
    /// The newest entry that was appended only for its acknowledgement, and the position that it confirms.
    private var confirmation: (number: UInt64, position: UInt64) = (0, 0)
    /// The known extent of the log.
    private var first: UInt64
    private var end: UInt64
    /// The settings of the engine at the last connection.
    var settings: [String: String]
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
        first: UInt64,
        settings: [String: String] = [:]
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
        // Without a lease, the number of actions decides which replica writes a snapshot.
        let interval =
            lease == nil
            ? SnapshotInterval(actions: .max, bytes: configuration.snapshots.bytes) : configuration.snapshots
        recovered = report.needsSnapshot ? nil : report.snapshotRevision
        // The log may have lost the unreadable one since.
        uselessSnapshots =
            report.needsSnapshot ? account.point.position : min(report.unreadableSnapshot, account.point.position)
        snapshots = SnapshotSchedule(interval, recovered: recovered)
        if recovered != nil { snapshotSince = .now }
        digests = DigestCheck(interval: configuration.digestInterval)
        progress = Progress(account)
        self.first = first
        self.settings = settings
        end = account.point.position
    }

    // MARK: Calls of the store's turn

    /// Returns why no action is accepted now; nil if actions are accepted.
    ///
    /// - Parameters:
    ///   - ofEffect: Whether an effect sends the action.
    ///   - token: The token of the lease under which it is sent.
    func refusal(ofEffect: Bool, under token: UInt64?) -> ActionLogError? {
        if let token, token < progress.lease {
            return ActionLogError(.fenced, in: outbox.log, "Another replica has got the lease of effects since.")
        }
        return outbox.refusal(ofEffect: ofEffect)
    }

    /// The work for a state besides its effects.
    struct Duties {
        var makesSnapshot = false
        var makesDigest = false
        /// The state that is no longer kept. Release it where user code may run.
        var released: State?
    }

    /// Records that an entry was reduced or skipped, with the resulting state.
    ///
    /// One replica writes a snapshot or a digest when one is due: the holder of the lease, or without a lease the
    /// sender of the action, which was alive a moment ago.
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
        let makesDigest = digests.schedule.isDue(at: revision)
        let released = makesDigest ? digests.keep(logged) : nil
        let isMaker = lease == nil ? isOwn : holdsLease(at: moment)
        return Duties(
            makesSnapshot: isDue && isMaker,
            makesDigest: makesDigest && isMaker && digests.schedule.begin(),
            released: released
        )
    }

    /// Returns where the effects of an entry run.
    func effectRun(_ placement: EffectPlacement, isOwn: Bool, at moment: ContinuousClock.Instant) -> EffectRun {
        if !isOwn && outbox.isClosing { return .elsewhere }
        switch placement {
        case .origin: return isOwn ? .here(lease: nil) : .elsewhere
        case .everyReplica: return .here(lease: nil)
        case .leaseHolder: return holdsLease(at: moment) ? .here(lease: progress.lease) : .elsewhere
        }
    }

    /// Returns whether this replica holds the lease, both in the log and by its own clock.
    private func holdsLease(at moment: ContinuousClock.Instant) -> Bool {
        lease?.held(at: moment)?.token == progress.lease
    }

    /// Appends an entry, unless a later one than a position is pending or was acknowledged.
    ///
    /// - Parameters:
    ///   - position: The position of an entry that has been reduced here.
    ///   - header: The header of an entry that changes nothing.
    /// - Returns: The number of the entry to wait for; 0 if there is nothing to wait for.
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

    // MARK: Calls of the writer

    /// The newest entry that the log is known to have.
    var newestPoint: ActionLogPoint {
        if appended.position > progress.point.position { return appended }
        // The identity of a skipped unreadable entry is unknown.
        return progress.point.identity == nil ? .start : progress.point
    }

    /// The newest entry that the log has acknowledged and that has not been reduced here, with its position if it is
    /// known; nil if there is no such entry.
    var awaited: (number: UInt64, point: ActionLogPoint?)? {
        outbox.awaited.map { ($0, appended.identity?.number == $0 ? appended : nil) }
    }

    /// Records that the log has acknowledged everything up to an entry of this replica.
    ///
    /// - Parameters:
    ///   - identity: The entry.
    ///   - position: Its position, if it is known.
    ///   - duration: The duration of the append.
    /// - Returns: The waiters to resume.
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

    /// Records that a write has failed, and will be retried after a delay.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - isLoss: Whether the connection caused it.
    ///   - duration: The delay.
    mutating func retry(
        _ error: ActionLogError,
        isLoss: Bool,
        after duration: Duration
    ) -> PendingEntries<Waiter>.Wake {
        problem = error
        if isLoss, outbox.writing == nil { disconnections += 1 }
        return outbox.retry(isLoss ? error : nil, after: duration)
    }

    /// The next claim to the log; nil if there is nothing to claim. A replica that is being shut down renews its lease,
    /// but claims no new one. A replica that can write but not read does neither: it would reduce nothing, and block
    /// the effects.
    var leaseClaim: LeaseClaim? {
        guard outbox.entries.end == nil, outbox.reading == nil, let lease, lease.deadline != nil || !outbox.isClosing
        else { return nil }
        return lease.claim(after: progress.lease)
    }

    /// Records the extent of the log.
    mutating func note(_ status: ActionLogStatus) {
        first = status.first
        // Can be less than before: the log can have lost entries that this replica has not read.
        end = max(status.end.position, progress.point.position, appended.position)
    }

    /// Records the newest snapshot whose header can be read; nil without one. If it is useless, that of the recovery
    /// counts. Ignored while a snapshot is being written.
    mutating func noteNewestSnapshot(
        _ newest: (revision: UInt64, position: UInt64)?,
        at moment: ContinuousClock.Instant
    ) {
        if snapshots.isMaking { return }
        let isUseful = newest.map { $0.position > uselessSnapshots } ?? true
        setNewestSnapshot(isUseful ? newest?.revision : recovered, at: moment)
    }

    private mutating func setNewestSnapshot(_ revision: UInt64?, at moment: ContinuousClock.Instant) {
        if let revision {
            if revision != snapshots.saved || snapshotSince == nil { snapshotSince = moment }
        } else {
            snapshotSince = nil
        }
        snapshots.noteNewest(revision)
    }

    /// Records the end of the running snapshot.
    ///
    /// - Parameters:
    ///   - result: The revision and the position of the newest snapshot in the log, or the reason why there is no new
    ///     one.
    ///   - moment: The current time.
    /// - Returns: The waiters to resume.
    mutating func endSnapshot(
        _ result: Result<(revision: UInt64, position: UInt64), ActionLogError>,
        at moment: ContinuousClock.Instant
    ) -> [Waiter] {
        let waiters = snapshots.finish(isSaved: false)
        switch result {
        case .success(let newest):
            snapshotProblem = nil
            setNewestSnapshot(newest.revision, at: moment)
        case .failure(let error): (problem, snapshotProblem) = (error, error)
        }
        return waiters
    }

    // MARK: Calls of the follower

    /// Records that everything up to a point has been reduced.
    ///
    /// - Parameters:
    ///   - point: The point.
    ///   - number: The newest entry of this replica up to that point; nil if there is no such entry.
    /// - Returns: The waiters to resume.
    mutating func noteReduced(through point: ActionLogPoint, _ number: UInt64?) -> [Waiter] {
        end = max(end, point.position)
        var waiters = barriers.take(through: point.position)
        if let number { waiters += outbox.noteReduced(through: number) }
        return waiters
    }

    /// Records that the connection of the follower was lost, or is restored.
    mutating func noteReading(_ problem: ActionLogError?) {
        if let problem {
            self.problem = problem
            if outbox.reading == nil { disconnections += 1 }
        }
        outbox.noteReading(problem)
    }

    // MARK: The end and statistics

    /// Ends the acceptance of actions.
    ///
    /// - Returns: The remaining waiters, the senders of pending actions, and the lease if the replica held one.
    mutating func end(
        _ error: ActionLogError,
        isWaiting: Bool
    ) -> (waiters: [Waiter], senders: [Sender], lease: ActionLogLease?) {
        if isWaiting { problem = error }
        var waiters = barriers.take(through: .max)
        // A waiting replica can still save its state.
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
            settings: settings,
            snapshotRevision: snapshots.saved,
            snapshotAge: snapshotSince.map { moment - $0 },
            repeats: progress.repeats,
            fencedActions: progress.fenced,
            lastProblem: problem,
            failure: failure
        )
    }
}

/// The place where effects of an entry run.
enum EffectRun: Equatable {
    case here(lease: UInt64?)
    case elsewhere
}
