import ActorStore
import Foundation

/// What stands between the turn of a store and those who append to its log and read it: a lock around plain values.
final class Replica<State: Codable & Sendable, Action: Codable & Sendable>: Sendable {
    typealias Waiter = CheckedContinuation<Void, any Error>
    typealias Root = Store<LoggedState<State>, ReplicaAction<State, Action>>
    typealias Account = ReplicaAccount<State, Waiter, Sender>

    /// Who has sent an action that is on its way.
    struct Sender: Sendable {
        let ticket: Ticket?
        /// Counts the effects of the action for whoever waits for them, until it comes back.
        var hold: EffectHold?
    }

    let configuration: ReplicationConfiguration
    let coding: EntryCoding
    let origin: String
    let writer: ReplicaWriter<State, Action>
    let shared: LockedValue<Account>
    let root = LockedValue<WeakStore<LoggedState<State>, ReplicaAction<State, Action>>?>(nil)
    /// What is begun with each lease, and the last lease with which it was.
    let leaseDuties = LockedValue<(token: UInt64?, begin: [@Sendable (_ token: UInt64) -> Void])>((nil, []))
    /// Shows the phase, which is looked up when the store is told that there may be another one.
    let phases: Store<ReplicaPhase, Void>

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
            first: opening.first
        )
        let shared = LockedValue(account)
        self.shared = shared
        phases = Store(
            initialState: .connected,
            configuration: StoreConfiguration(name: "replica", mailbox: .unbounded)
        ) { (phase: inout ReplicaPhase, _: Void) in phase = shared.withLock { $0.outbox.phase } }
    }

    /// Names the store of the replica.
    func begin(_ root: Root) { self.root.withLock { $0 = root.weak } }

    private func wakeWriter(_ wake: PendingEntries<Waiter>.Wake) {
        switch wake {
        case .no: break
        case .now: writer.thread.run { [self] in writer.assumeIsolated { $0.writeSome(of: self) } }
        case .after(let duration), .again(let duration):
            writer.thread.run(after: duration) { [self] in
                wakeWriter(shared.withLock { $0.outbox.waitEnded() })
            }
        }
    }

    /// Changes what there is, and tells those who observe the phase if that has changed with it.
    private func changePhase<Result>(_ body: (inout Account) -> Result) -> Result {
        let (result, hasChanged) = shared.withLock { shared in
            let before = shared.outbox.phase
            let result = body(&shared)
            return (result, shared.outbox.phase != before)
        }
        if hasChanged { phases.send(()) }
        return result
    }

    // MARK: For the store

    /// Why no action is accepted for now; nil if one is.
    ///
    /// - Parameter token: The lease that it is sent under.
    func refusal(ofEffect: Bool = false, under token: UInt64? = nil) -> ActionLogError? {
        shared.withLock { $0.refusal(ofEffect: ofEffect, under: token) }
    }

    /// Takes an action of this replica, unless it is known already that it will not be reduced. In the turn.
    ///
    /// - Returns: Why it is not taken, if nobody has been told.
    func accept(_ action: Action, _ sender: LocalSender, _ account: LogAccount) -> ActionLogError? {
        var header = coding.header
        header.id = sender.ticket?.id
        header.expected = sender.ticket?.expected
        header.lease = sender.lease
        switch account.verdict(on: header) {
        case .repeated:
            sender.ticket?.outcome = .repeated(number: confirm(through: account.point.position))
            return nil
        // It will not come back to that revision.
        case .unexpected(let revision) where header.expected ?? 0 < revision:
            sender.ticket?.outcome = .refused(.unexpectedRevision(revision, in: coding.log))
            return nil
        case .reduced, .passed, .unexpected, .fenced: break
        }
        let hold = root.withLock { $0 }?.effectHold
        do throws(ActionLogError) {
            let payload = if let payload = sender.payload { payload } else { try coding.encode(action) }
            let text = try coding.text(of: header, for: payload)
            let appended: Result<(number: UInt64, wake: PendingEntries<Waiter>.Wake), ActionLogError>
            appended = shared.withLock { shared in
                // It may have ended since the action was let through: then nobody would take the sender out again.
                if let end = shared.outbox.entries.end { return .failure(end) }
                // Whoever asks the store itself cannot wait for the answer.
                hold?.hold(isAnswered: false)
                return .success(shared.outbox.append(text, payload, from: Sender(ticket: sender.ticket, hold: hold)))
            }
            let (number, wake) = try appended.get()
            sender.ticket?.outcome = .accepted(number: number)
            wakeWriter(wake)
        } catch {
            // As of what is not let through: the store's errors say it where nobody waits.
            guard let ticket = sender.ticket else { return error }
            ticket.outcome = .refused(error)
        }
        return nil
    }

    /// Makes sure of what has been reduced here: it can be read before it is as durable as the engine promises. When a
    /// later entry has been acknowledged it is.
    ///
    /// - Returns: The number of an entry to wait for.
    private func confirm(through position: UInt64) -> UInt64 {
        guard let header = try? EntryHeader(.opening).text else { return accepted }
        let (number, wake) = shared.withLock { $0.confirm(through: position, header) }
        wakeWriter(wake)
        return number
    }

    /// What counts the effects of an action of this replica that has come back.
    func takeHold(of number: UInt64) -> EffectHold? {
        shared.withLock { shared in
            shared.outbox.updateSender(of: number) { sender in
                defer { sender.hold = nil }
                return sender.hold
            }
        }
    }

    /// Tells whoever waits for it what has come of an action. In the turn.
    func deliver(_ number: UInt64, _ arrival: Ticket.Arrival) {
        shared.withLock { $0.outbox.takeSender(of: number) }?.ticket?.arrival = arrival
    }

    /// An entry has been reduced, or passed over, and has led to this state. In the turn.
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

    /// Whether effects of an entry run here. In the turn.
    func effectRun(isOwn: Bool) -> EffectRun {
        let now = ContinuousClock.now
        return shared.withLock { $0.effectRun(configuration.effects, isOwn: isOwn, at: now) }
    }

    // MARK: Snapshots and digests

    /// Makes a snapshot of a state.
    func beginSnapshot(of logged: LoggedState<State>) -> SnapshotSchedule<Waiter>.Beginning {
        let beginning = shared.withLock { $0.snapshots.begin(at: logged.account.revision) }
        guard beginning == .makes else { return beginning }
        let snapshots = SnapshotCoding(coding: coding)
        // Elsewhere, because it may take long.
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

    /// - Parameter result: The revision and the position of the newest snapshot that the log has, or why there is none.
    func endSnapshot(_ result: Result<(revision: UInt64, position: UInt64), ActionLogError>) {
        let now = ContinuousClock.now
        let waiters = shared.withLock { $0.endSnapshot(result, at: now) }
        for waiter in waiters { waiter.resume(with: result.map { _ in }.mapError { $0 }) }
    }

    /// Waits for the end of the snapshot that is being made, if there is one.
    func snapshotEnd(isolation: isolated (any Actor)? = #isolation) async throws {
        try await withCheckedThrowingContinuation { waiter in
            if !shared.withLock({ $0.snapshots.wait(waiter) }) { waiter.resume() }
        }
    }

    /// Another replica has made a snapshot.
    func noteSnapshot(of revision: UInt64, _ position: UInt64) {
        let now = ContinuousClock.now
        shared.withLock { $0.noteSnapshot(of: revision, position, at: now) }
    }

    /// The revision of the newest snapshot in the log.
    var snapshotRevision: UInt64? { shared.withLock { $0.snapshots.saved } }

    /// Has the digest of a state be written, for the other replicas.
    func makeDigest(of logged: LoggedState<State>) {
        DispatchQueue.global(qos: .utility).async { [self] in
            defer { shared.withLock { $0.digests.finish() } }
            guard let digest = try? StateDigest(of: logged.state) else { return }
            note(EntryHeader(of: digest, at: logged.account.revision, schema: coding.coding.version))
        }
    }

    /// Appends an entry that is no action.
    func note(_ header: EntryHeader) {
        guard let text = try? header.text else { return }
        wakeWriter(
            shared.withLock { shared in
                if shared.outbox.entries.end != nil { return .no }
                return shared.outbox.append(text, Data(), from: nil).wake
            }
        )
    }

    /// The state at a revision, if a digest of that is due.
    func keptState(at revision: UInt64) -> State? { shared.withLock { $0.digests.state(at: revision) } }

    // MARK: For those who wait

    /// Waits until an action has been written and has been reduced here; without a number, until all have that were
    /// accepted so far.
    ///
    /// - Throws: Why the replica has ended, or a `CancellationError` if the task is cancelled.
    func wait(for number: UInt64? = nil, isolation: isolated (any Actor)? = #isolation) async throws {
        let identity = shared.withLock { $0.outbox.makeIdentity() }
        try await waitForEntry { waiter in
            shared.withLock { $0.outbox.wait(for: number ?? $0.outbox.entries.accepted, waiter, identity) }
        } wake: {
            wakeWriter($0)
        } remove: { [self] in
            shared.withLock { $0.outbox.removeWaiter(identity) }
        }
    }

    /// Waits until everything up to a position of the log has been reduced here.
    ///
    /// - Throws: As ``wait(for:isolation:)``.
    func wait(forPosition position: UInt64, isolation: isolated (any Actor)? = #isolation) async throws {
        let identity = shared.withLock { $0.barriers.makeIdentity() }
        try await waitCancellably { [self] waiter in
            let result: Result<Void, any Error>? = shared.withLock { shared in
                if shared.progress.point.position >= position { return .success(()) }
                if let end = shared.outbox.entries.end { return .failure(end) }
                shared.barriers.add(waiter, for: position, identity)
                return nil
            }
            if let result { waiter.resume(with: result) }
            return result == nil
        } remove: { [self] in
            shared.withLock { $0.barriers.remove(identity) }
        }
    }

    /// Accepts only what effects send from now on, and runs no effects of what others send.
    func close() { shared.withLock { $0.outbox.isClosing = true } }

    var isClosing: Bool { shared.withLock { $0.outbox.isClosing } }

    // MARK: For the writer

    func take(atMost bytes: Int) -> [ActionLogEntry] { shared.withLock { $0.outbox.take(atMost: bytes) } }

    /// The newest entry that the log is known to have.
    var newestPoint: ActionLogPoint { shared.withLock { $0.newestPoint } }

    /// The newest entry that the log has acknowledged and that has still to be reduced here, and where it is, if that is
    /// known; nil if there is none.
    var awaited: (number: UInt64, point: ActionLogPoint?)? { shared.withLock { $0.awaited } }

    /// The log has acknowledged everything up to an entry of this replica.
    ///
    /// - Parameter position: Its position, if that is known.
    func noteAppended(_ identity: ActionLogEntry.Identity, at position: UInt64?, within duration: Duration) {
        let waiters = changePhase { $0.noteAppended(identity, at: position, within: duration) }
        for waiter in waiters { waiter.resume() }
    }

    /// Writing has failed, and is tried again after some time.
    func retry(_ error: ActionLogError, isLoss: Bool, after duration: Duration) {
        wakeWriter(changePhase { $0.retry(error, isLoss: isLoss, after: duration) })
    }

    func noteProblem(_ error: ActionLogError) { shared.withLock { $0.problem = error } }

    /// What the log has.
    func note(_ status: ActionLogStatus) {
        shared.withLock { $0.note(status) }
    }

    // MARK: For the follower

    /// The last position that somebody waits for; nil if nobody does.
    var awaitedPosition: UInt64? { shared.withLock { $0.barriers.last } }

    /// The log does not have the entries at some positions any more, and they were not reduced here: nobody waits for them.
    func noteLost(_ positions: ClosedRange<UInt64>) {
        let waiters = shared.withLock { $0.barriers.take(within: positions) }
        let error = ActionLogError.lost(positions, in: coding.log)
        for waiter in waiters { waiter.resume(throwing: error) }
    }

    /// Everything up to a point has been reduced.
    ///
    /// - Parameter number: The newest entry of this replica among it; nil if there is none.
    func noteReduced(through point: ActionLogPoint, _ number: UInt64?) {
        let waiters = shared.withLock { $0.noteReduced(through: point, number) }
        for waiter in waiters { waiter.resume() }
    }

    /// Entries of this replica up to a number are in a state that was taken instead of reducing them: what came of them
    /// is not known.
    func noteMissed(through number: UInt64) {
        let senders = shared.withLock { $0.outbox.takeSenders(through: number) }
        for sender in senders { sender.hold?.drop() }
    }

    /// The number of the newest entry of this replica.
    var accepted: UInt64 { shared.withLock { $0.outbox.entries.accepted } }

    func noteReading(_ problem: ActionLogError?) {
        changePhase { $0.noteReading(problem) }
    }

    /// Has a connection be interrupted at the end.
    ///
    /// - Throws: ``ActionLogError/Code/closed`` if that has come.
    func watch(_ interruption: ActionLogInterruption, for owner: AnyObject) throws(ActionLogError) {
        let end = shared.withLock { shared in
            shared.interruptions[ObjectIdentifier(owner)] = interruption
            return shared.outbox.isWaiting ? nil : shared.outbox.entries.end
        }
        if let end { throw end }
    }

    /// How far the store is.
    var progress: Account.Progress { shared.withLock { $0.progress } }

    // MARK: The end

    /// Why the replica takes no more actions: it has ended, or waits.
    var failure: ActionLogError? { shared.withLock { $0.outbox.entries.end } }

    /// What went wrong last and may have passed.
    var problem: ActionLogError? { shared.withLock { $0.problem } }

    var phase: ReplicaPhase { shared.withLock { $0.outbox.phase } }

    /// Whether the state may be put into a snapshot.
    var mayKeepState: Bool { if case .ended = phase { false } else { true } }

    /// Takes no more actions. Those who wait get the error.
    ///
    /// - Parameter isWaiting: Whether the replica waits before an entry that its program cannot reduce.
    func end(_ error: ActionLogError, isWaiting: Bool = false) {
        let ended = changePhase { $0.end(error, isWaiting: isWaiting) }
        for sender in ended.senders { sender.hold?.drop() }
        for waiter in ended.waiters { waiter.resume(throwing: error) }
        if let lease = ended.lease {
            cancelEffects()
            writer.thread.run { [self] in writer.assumeIsolated { $0.release(lease) } }
        }
        if !isWaiting { interrupt() }
    }

    /// Ends what waits for the log.
    private func interrupt() {
        for interruption in shared.withLock({ Array($0.interruptions.values) }) { interruption.interrupt() }
    }

    // MARK: Figures

    /// How many actions are not known to be written and reduced, and how much has been.
    var pending: (actions: Int, settled: UInt64, isComplete: Bool) {
        shared.withLock { ($0.outbox.actions, $0.outbox.entries.settled, $0.outbox.entries.count == 0) }
    }

    var statistics: ReplicationStatistics {
        let now = ContinuousClock.now
        return shared.withLock { $0.statistics(at: now) }
    }
}
