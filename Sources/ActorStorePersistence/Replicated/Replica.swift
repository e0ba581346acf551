import ActorStore
import Foundation

/// The connection between the turn of a store and the writer and follower of its log: a lock around plain values.
final class Replica<State: Codable & Sendable, Action: Codable & Sendable>: Sendable {
    typealias Waiter = CheckedContinuation<Void, any Error>
    typealias Root = Store<LoggedState<State>, ReplicaAction<State, Action>>
    typealias Account = ReplicaAccount<State, Waiter, Sender>

    /// The sender of a pending action.
    struct Sender: Sendable {
        let ticket: Ticket?
        /// Counts the effects of the action for its dispatch, until the action is read from the log.
        var hold: EffectHold?
    }

    let configuration: ReplicationConfiguration
    let coding: EntryCoding
    let origin: String
    let writer: ReplicaWriter<State, Action>
    let shared: LockedValue<Account>
    let root = LockedValue<WeakStore<LoggedState<State>, ReplicaAction<State, Action>>?>(nil)
    /// The number of actions that were refused because too many were waiting, or the log was unreachable.
    let overloads = LockedValue<UInt64>(0)
    /// The closures that run with each lease, and the last lease with which they ran.
    let leaseDuties = LockedValue<(token: UInt64?, begin: [@Sendable (_ token: UInt64) -> Void])>((nil, []))
    let phases: PhaseStore<Account, ReplicaPhase>

    init(_ writer: ReplicaWriter<State, Action>, _ opening: ReplicaFollower<State, Action>.Opening) {
        self.writer = writer
        configuration = writer.configuration
        coding = writer.coding
        origin = writer.origin
        let account = Account(
            origin,
            coding.log,
            configuration,
            opening.logged.account,
            opening.report,
            first: opening.first,
            settings: opening.settings
        )
        let shared = LockedValue(account)
        self.shared = shared
        phases = PhaseStore("replica", of: shared) { $0.outbox.phase }
    }

    /// Sets the store of the replica.
    func begin(_ root: Root) { self.root.withLock { $0 = root.weak } }

    func wakeWriter(_ wake: PendingEntries<Waiter>.Wake) {
        switch wake {
        case .no: break
        case .now: writer.thread.run { [self] in writer.assumeIsolated { $0.writeSome(of: self) } }
        case .after(let duration), .again(let duration):
            writer.thread.run(after: duration) { [self] in
                wakeWriter(shared.withLock { $0.outbox.waitEnded() })
            }
        }
    }

    // MARK: Calls of the store

    /// Returns why no action is accepted now; nil if actions are accepted.
    ///
    /// - Parameters:
    ///   - ofEffect: Whether an effect sends the action.
    ///   - token: The token of the lease under which it is sent.
    func refusal(ofEffect: Bool = false, under token: UInt64? = nil) -> ActionLogError? {
        shared.withLock { $0.refusal(ofEffect: ofEffect, under: token) }
    }

    /// Returns whether actions of effects are refused for the moment, although this replica holds the lease.
    func isFull(under token: UInt64) -> Bool {
        failure == nil && lease?.token == token && refusal(ofEffect: true, under: token) != nil
    }

    /// Accepts an action of this replica, unless it is certain that it will not be reduced. Runs within the store's
    /// turn.
    ///
    /// - Returns: The reason for a refusal, if the action has no ticket.
    func accept(_ action: Action, _ sender: LocalSender, _ account: LogAccount) -> ActionLogError? {
        var header = coding.header
        header.id = sender.ticket?.id
        header.expected = sender.ticket?.expected
        header.lease = sender.lease
        switch account.verdict(on: header) {
        case .repeated:
            sender.ticket?.outcome = .repeated(number: confirm(through: account.point.position))
            return nil
        // The state will not return to that revision.
        case .unexpected(let revision) where header.expected ?? 0 < revision:
            sender.ticket?.outcome = .refused(.unexpectedRevision(revision, in: coding.log))
            return nil
        case .reduced, .passed, .unexpected, .fenced: break
        }
        var hold = root.withLock { $0 }?.effectHold
        do throws(ActionLogError) {
            let payload = if let payload = sender.payload { payload } else { try coding.encode(action) }
            let text = try coding.text(of: header, for: payload)
            let appended: Result<(number: UInt64, wake: PendingEntries<Waiter>.Wake), ActionLogError>
            appended = shared.withLock { shared in
                // The replica may have ended since the interceptor passed the action: then the sender would never be
                // removed.
                if let end = shared.outbox.entries.end { return .failure(end) }
                if hold?.isCancelled == true {
                    hold = .cancelled
                } else {
                    // A request to the store itself cannot wait for the answer.
                    hold?.hold(isAnswered: false)
                }
                return .success(shared.outbox.append(text, payload, from: Sender(ticket: sender.ticket, hold: hold)))
            }
            let (number, wake) = try appended.get()
            sender.ticket?.outcome = .accepted(number: number)
            wakeWriter(wake)
        } catch {
            // As for a refused action, the store's errors report it if there is no ticket.
            guard let ticket = sender.ticket else { return error }
            ticket.outcome = .refused(error)
        }
        return nil
    }

    /// Confirms what has been reduced here: an entry can be read before it is as durable as the engine guarantees. The
    /// acknowledgement of a later entry guarantees it.
    ///
    /// - Returns: The number of an entry to wait for.
    private func confirm(through position: UInt64) -> UInt64 {
        guard let header = try? EntryHeader(.opening).text else { return accepted }
        let (number, wake) = shared.withLock { $0.confirm(through: position, header) }
        wakeWriter(wake)
        return number
    }

    /// Returns the counter of the effects of an action of this replica that was read from the log.
    func takeHold(of number: UInt64) -> EffectHold? {
        shared.withLock { shared in
            shared.outbox.updateSender(of: number) { sender in
                defer { sender.hold = nil }
                return sender.hold
            }
        }
    }

    /// Ends the waits for cancelled effects of actions that have not been read from the log, soon. These effects are
    /// cancelled as they start.
    ///
    /// Many performances can be cancelled at once, so one pass over the pending actions serves all of them until then.
    func releaseCancelledHoldsSoon() {
        let isFirst = shared.withLock { shared in
            defer { shared.isReleasingHolds = true }
            return !shared.isReleasingHolds
        }
        if isFirst { Task.detached { [self] in releaseCancelledHolds() } }
    }

    private func releaseCancelledHolds() {
        // Checked under the lock, like the holds of later actions, so that no action is missed.
        let holds = shared.withLock { shared in
            shared.isReleasingHolds = false
            return shared.outbox.updateSenders { sender -> EffectHold? in
                guard let hold = sender.hold, hold.isCancelled else { return nil }
                sender.hold = .cancelled
                return hold
            }
        }
        for hold in holds { hold.drop() }
    }

    /// Delivers the outcome of an action to its ticket. Runs within the store's turn.
    func deliver(_ number: UInt64, _ arrival: Ticket.Arrival) {
        shared.withLock { $0.outbox.takeSender(of: number) }?.ticket?.arrival = arrival
    }

    /// Records that an entry was reduced or skipped, with the resulting state. Runs within the store's turn.
    func noteReduced(
        _ logged: LoggedState<State>,
        isAction: Bool,
        isOwn: Bool,
        size: Int
    ) -> Account.Duties {
        let now = ContinuousClock.now
        return shared.withLock {
            $0.noteReduced(logged, isAction: isAction, isOwn: isOwn, size: size, at: now)
        }
    }

    /// Returns where the effects of an entry run. Runs within the store's turn.
    func effectRun(isOwn: Bool) -> EffectRun {
        let now = ContinuousClock.now
        return shared.withLock { $0.effectRun(configuration.effects, isOwn: isOwn, at: now) }
    }

    // MARK: Snapshots and digests

    /// Begins a snapshot of a state.
    ///
    /// - Parameters:
    ///   - logged: The state.
    ///   - least: The revision from which a snapshot in the log is sufficient; nil for that of the state.
    func beginSnapshot(
        of logged: LoggedState<State>,
        unlessSavedFrom least: UInt64? = nil
    ) -> SnapshotSchedule<Waiter>.Beginning {
        let beginning = shared.withLock {
            $0.snapshots.begin(at: logged.account.revision, unlessSavedFrom: least)
        }
        guard beginning == .makes else { return beginning }
        let snapshots = SnapshotCoding(coding: coding)
        // Encoding may take long, so it runs on another thread.
        DispatchQueue.global(qos: .utility).async { [self] in
            do throws(ActionLogError) {
                let encoded = try snapshots.encode(logged)
                writer.thread.run { [self] in writer.assumeIsolated { $0.upload(encoded, of: self) } }
            } catch {
                endSnapshot(.failure(error))
            }
        }
        return beginning
    }

    /// Ends the running snapshot.
    ///
    /// - Parameter result: The revision and the position of the newest snapshot in the log, or the reason why there is
    ///   no new one.
    func endSnapshot(_ result: Result<(revision: UInt64, position: UInt64), ActionLogError>) {
        let now = ContinuousClock.now
        let waiters = shared.withLock { $0.endSnapshot(result, at: now) }
        for waiter in waiters { waiter.resume(with: result.map { _ in }.mapError { $0 }) }
    }

    /// Waits for the end of the running snapshot, if there is one.
    func snapshotEnd(isolation: isolated (any Actor)? = #isolation) async throws {
        try await withCheckedThrowingContinuation { waiter in
            if !shared.withLock({ $0.snapshots.wait(waiter) }) { waiter.resume() }
        }
    }

    /// Records the newest snapshot in the log, by its revision and position.
    func noteNewestSnapshot(_ newest: (revision: UInt64, position: UInt64)?) {
        let now = ContinuousClock.now
        shared.withLock { $0.noteNewestSnapshot(newest, at: now) }
    }

    /// The position up to which snapshots are useless for a recovery.
    var uselessSnapshots: UInt64 { shared.withLock { $0.uselessSnapshots } }

    /// The reason why the last snapshot was not written; nil if it was.
    var snapshotProblem: ActionLogError? { shared.withLock { $0.snapshotProblem } }

    /// The revision of the newest snapshot in the log.
    var snapshotRevision: UInt64? { shared.withLock { $0.snapshots.saved } }

    /// Writes the digest of a state, for the other replicas.
    func makeDigest(of logged: LoggedState<State>) {
        DispatchQueue.global(qos: .utility).async { [self] in
            defer { shared.withLock { $0.digests.schedule.finish() } }
            guard let digest = try? StateDigest(of: logged.state) else { return }
            note(EntryHeader(of: digest, at: logged.account.revision, schema: coding.coding.version))
        }
    }

    /// Appends an entry that is not an action.
    func note(_ header: EntryHeader) {
        guard let text = try? header.text else { return }
        wakeWriter(
            shared.withLock { shared in
                if shared.outbox.entries.end != nil { return .no }
                return shared.outbox.append(text, Data(), from: nil).wake
            }
        )
    }

    /// Returns the state at a revision, if it was kept for a digest.
    func keptState(at revision: UInt64) -> State? { shared.withLock { $0.digests.state(at: revision) } }

    // MARK: Calls of the writer

    func take(atMost bytes: Int) -> [ActionLogEntry] { shared.withLock { $0.outbox.take(atMost: bytes) } }

    /// The newest entry that the log is known to have.
    var newestPoint: ActionLogPoint { shared.withLock { $0.newestPoint } }

    /// The newest entry that the log has acknowledged and that has not been reduced here, with its position if it is
    /// known; nil if there is no such entry.
    var awaited: (number: UInt64, point: ActionLogPoint?)? { shared.withLock { $0.awaited } }

    /// Records that the log has acknowledged everything up to an entry of this replica.
    ///
    /// - Parameters:
    ///   - identity: The entry.
    ///   - position: Its position, if it is known.
    ///   - duration: The duration of the append.
    func noteAppended(_ identity: ActionLogEntry.Identity, at position: UInt64?, within duration: Duration) {
        let waiters = phases.change { $0.noteAppended(identity, at: position, within: duration) }
        for waiter in waiters { waiter.resume() }
    }

    /// Records that a write has failed, and will be retried after a delay.
    func retry(_ error: ActionLogError, isLoss: Bool, after duration: Duration) {
        wakeWriter(phases.change { $0.retry(error, isLoss: isLoss, after: duration) })
    }

    func noteProblem(_ error: ActionLogError) { shared.withLock { $0.problem = error } }

    /// Records the extent of the log.
    func note(_ status: ActionLogStatus) {
        shared.withLock { $0.note(status) }
    }

    // MARK: Calls of the follower

    /// The last position that a barrier waits for; nil without a barrier.
    var awaitedPosition: UInt64? { shared.withLock { $0.barriers.last } }

    /// Fails the barriers for positions whose entries the log has lost before they were reduced here.
    func noteLost(_ positions: ClosedRange<UInt64>) {
        let waiters = shared.withLock { $0.barriers.take(within: positions) }
        let error = ActionLogError.lost(positions, in: coding.log)
        for waiter in waiters { waiter.resume(throwing: error) }
    }

    /// Records that everything up to a point has been reduced.
    ///
    /// - Parameters:
    ///   - point: The point.
    ///   - number: The newest entry of this replica up to that point; nil if there is no such entry.
    func noteReduced(through point: ActionLogPoint, _ number: UInt64?) {
        let waiters = shared.withLock { $0.noteReduced(through: point, number) }
        for waiter in waiters { waiter.resume() }
    }

    /// Records that a snapshot has replaced the reduction of this replica's entries up to a number: their outcome is
    /// unknown.
    func noteMissed(through number: UInt64) {
        let senders = shared.withLock { $0.outbox.takeSenders(through: number) }
        for sender in senders { sender.hold?.drop(ActionLogError.skipped(in: coding.log)) }
    }

    /// The number of the newest entry of this replica.
    var accepted: UInt64 { shared.withLock { $0.outbox.entries.accepted } }

    func noteReading(_ problem: ActionLogError?) {
        phases.change { $0.noteReading(problem) }
    }

    /// Records the settings of a new connection.
    func noteSettings(_ settings: [String: String]) { shared.withLock { $0.settings = settings } }

    /// Registers a connection for interruption at the end.
    ///
    /// - Throws: ``ActionLogError/Code/closed`` if the replica has ended.
    func watch(_ interruption: ActionLogInterruption, for owner: AnyObject) throws(ActionLogError) {
        let end = shared.withLock { shared in
            shared.interruptions[ObjectIdentifier(owner)] = interruption
            return shared.outbox.isWaiting ? nil : shared.outbox.entries.end
        }
        if let end { throw end }
    }

    /// The progress of the store.
    var progress: Account.Progress { shared.withLock { $0.progress } }

    // MARK: The end

    /// From now on, accepts only actions of effects, and runs no effects of other replicas' actions.
    func close() { shared.withLock { $0.outbox.isClosing = true } }

    var isClosing: Bool { shared.withLock { $0.outbox.isClosing } }

    /// The reason why the replica accepts no more actions: it has ended, or waits.
    var failure: ActionLogError? { shared.withLock { $0.outbox.entries.end } }

    /// The last problem that may be temporary.
    var problem: ActionLogError? { shared.withLock { $0.problem } }

    var phase: ReplicaPhase { shared.withLock { $0.outbox.phase } }

    /// Whether the state may be saved in a snapshot.
    var mayKeepState: Bool { if case .ended = phase { false } else { true } }

    /// Ends the acceptance of actions. Waiters receive the error, also those for effects of pending actions.
    ///
    /// - Parameters:
    ///   - error: The reason.
    ///   - isWaiting: Whether the replica waits before an entry that its program cannot reduce.
    func end(_ error: ActionLogError, isWaiting: Bool = false) {
        let ended = phases.change { $0.end(error, isWaiting: isWaiting) }
        for sender in ended.senders { sender.hold?.drop(error) }
        for waiter in ended.waiters { waiter.resume(throwing: error) }
        if let lease = ended.lease {
            cancelEffects()
            // Through a connection of its own, because the others are interrupted.
            writer.thread.run { [log = writer.log] in log.release(lease) }
        }
        if !isWaiting { interrupt() }
    }

    /// Interrupts waits for the log.
    private func interrupt() {
        for interruption in shared.withLock({ Array($0.interruptions.values) }) { interruption.interrupt() }
    }

    // MARK: Statistics

    typealias Pending = (actions: Int, settled: UInt64, isComplete: Bool)

    /// The number of actions that are not known to be written and reduced, and the newest settled number.
    var pending: Pending {
        shared.withLock { ($0.outbox.actions, $0.outbox.entries.settled, $0.outbox.entries.count == 0) }
    }

    var statistics: ReplicationStatistics {
        let now = ContinuousClock.now
        return shared.withLock { $0.statistics(at: now) }
    }
}
