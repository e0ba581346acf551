import ActorStore
import Foundation

/// What stands between the turn of a store and the writer of its log: a lock around plain values.
final class DurableLog<State: Codable & Sendable, Action: Codable & Sendable>: Sendable {
    typealias Waiter = CheckedContinuation<Void, any Error>

    /// What was reduced last, until the next interceptor or reducer has done its part. In the turn.
    private struct Turn {
        /// Who has dispatched the action, until it has been reduced.
        var ticket: Ticket?
        var hold: EffectHold?
        /// The action as it will be written.
        var prepared: (payload: Data, header: EntryHeader, text: String)?
    }

    private struct Contents {
        var entries: PendingEntries<Waiter>
        var snapshots: SnapshotSchedule<Waiter>
        /// When the newest snapshot was saved, or the store has begun with it.
        var snapshotSince: ContinuousClock.Instant?
        var digests: DigestCheck<State>
        var held = HeldEffects<Action>()
        var account: LogAccount
        var turn = Turn()
        /// The actions that the log has not acknowledged, with the revisions that they have led to. The action itself
        /// is kept for the confirmed state alone.
        var unacknowledged: [(number: UInt64, revision: UInt64, action: Action?)] = []
        var committed: UInt64
        /// A snapshot that is to be written.
        var encoded: SnapshotCoding.Encoded?
        var interruption: ActionLogInterruption?
        var commits: UInt64 = 0
        var lastCommit = Duration.zero
        var longestCommit = Duration.zero
        var first: UInt64 = 1
        var problem: ActionLogError?
        var unconfirmed = 0
        var repeats: UInt64 = 0
    }

    let writer: LogWriter<State, Action>
    let configuration: DurabilityConfiguration
    let coding: EntryCoding
    let origin: String
    private let shared: LockedValue<Contents>
    private let store = LockedValue<WeakStore<State, Action>?>(nil)
    /// The state that the log has acknowledged; nil if nobody asked for it.
    let confirmed: Store<State, Action>?

    /// - Parameters:
    ///   - recovered: What the store begins with: its first entry has been appended.
    ///   - confirmed: A store of the same state, without effects.
    init(
        _ writer: LogWriter<State, Action>,
        _ recovered: LogAccount,
        snapshot: UInt64?,
        first: UInt64,
        confirmed: Store<State, Action>?
    ) {
        self.writer = writer
        self.confirmed = confirmed
        configuration = writer.configuration
        coding = writer.coding
        origin = writer.origin
        var interval: Duration?
        if case .interval(let duration) = configuration.level { interval = duration }
        var contents = Contents(
            entries: PendingEntries<Waiter>(
                after: recovered.point.identity?.number ?? 0,
                limit: configuration.pendingLimit,
                byteLimit: configuration.pendingByteLimit,
                interval: interval
            ),
            snapshots: SnapshotSchedule<Waiter>(configuration.snapshots, recovered: snapshot),
            digests: DigestCheck<State>(interval: configuration.digestInterval),
            account: recovered,
            committed: recovered.revision
        )
        contents.first = first
        if snapshot != nil { contents.snapshotSince = .now }
        shared = LockedValue(contents)
    }

    /// Names the store whose effects begin when their actions are settled.
    func begin(_ store: Store<State, Action>) { self.store.withLock { $0 = store.weak } }

    private func wakeWriter(_ wake: PendingEntries<Waiter>.Wake) {
        switch wake {
        case .no: break
        case .now: writer.thread.run { [self] in writer.assumeIsolated { $0.writeAll(of: self) } }
        case .after(let duration):
            writer.thread.run(after: duration) { [self] in
                wakeWriter(shared.withLock { $0.entries.intervalEnded() })
            }
        case .again(let duration):
            writer.thread.run(after: duration) { [self] in
                wakeWriter(shared.withLock { $0.entries.waitEnded() })
            }
        }
    }

    /// Has the writer go on, because there is something to do for it that is no entry.
    func wake() { wakeWriter(shared.withLock { $0.entries.wake() }) }

    // MARK: For the turn of the store

    /// Why no action is accepted now; nil if it is. From anywhere.
    func refusal() -> ActionLogError? {
        let (error, wake) = shared.withLock { shared -> (ActionLogError?, PendingEntries<Waiter>.Wake) in
            if let end = shared.entries.end { return (end, .no) }
            guard shared.entries.isFull else { return (nil, .no) }
            let error = ActionLogError(
                .overloaded,
                in: coding.log,
                "\(shared.entries.count) actions wait to be written, as many as may. Try again later."
            )
            return (error, shared.entries.wake())
        }
        wakeWriter(wake)
        return error
    }

    /// Says whose action is reduced next, and with nil that it has been.
    func setTicket(_ ticket: Ticket?, _ hold: EffectHold?) {
        shared.withLock { $0.turn = Turn(ticket: ticket, hold: hold) }
    }

    /// Refuses the action that is on its way, and tells who has dispatched it.
    ///
    /// - Returns: Whether somebody was told.
    func refuse(_ error: ActionLogError) -> Bool {
        guard let ticket = shared.withLock({ $0.turn.ticket }) else { return false }
        ticket.outcome = .refused(error)
        return true
    }

    /// Decides about an action, and encodes it.
    ///
    /// - Returns: Whether it is to be reduced.
    /// - Throws: Why not, if nobody has been told.
    func prepare(_ action: Action) throws(ActionLogError) -> Bool {
        do throws(ActionLogError) {
            let payload = try coding.encode(action)
            var header = coding.header
            if let ticket = shared.withLock({ $0.turn.ticket }) {
                header.id = ticket.id
                header.expected = ticket.expected
            }
            let text = try coding.text(of: header, for: payload)
            let verdict = shared.withLock { shared in
                shared.turn.prepared = (payload, header, text)
                let verdict = shared.account.verdict(on: header)
                if verdict == .repeated {
                    shared.repeats += 1
                    shared.turn.ticket?.outcome = .repeated(number: shared.entries.accepted)
                }
                return verdict
            }
            switch verdict {
            case .repeated: return false
            case .unexpected(let revision): throw ActionLogError.unexpectedRevision(revision, in: coding.log)
            case .reduced, .passed, .fenced: return true
            }
        } catch {
            if refuse(error) { return false }
            throw error
        }
    }

    /// Takes an action that has just been reduced, and has led to this state.
    ///
    /// - Returns: What of its effect begins now.
    func append(_ action: Action, _ state: State, _ effect: Effect<Action>) -> Effect<Action> {
        var capture = false, digest = false
        let (wake, held) = shared.withLock { shared in
            guard let (payload, header, text) = shared.turn.prepared else {
                fatalError("An action was reduced that did not pass through the interceptor which writes it.")
            }
            shared.turn.prepared = nil
            let identity = ActionLogEntry.Identity(origin: origin, number: shared.entries.accepted + 1)
            _ = shared.account.admit(header, of: identity)
            shared.unacknowledged.append(
                (identity.number, shared.account.revision, confirmed == nil ? nil : action)
            )
            let entry = ActionLogEntry(identity, header: text, payload: payload)
            let wake = shared.entries.append(entry)
            capture = shared.snapshots.noteAction(at: shared.account.revision, bytes: entry.size)
            digest = shared.digests.isDue(at: shared.account.revision)
            // The next action of the same turn, which an interceptor may have made, is nobody's.
            let (ticket, hold) = (shared.turn.ticket, shared.turn.hold)
            shared.turn = Turn()
            ticket?.outcome = .accepted(number: identity.number)
            guard configuration.effects == .afterCommit, !effect.isAnswerOnly else {
                return (wake, nil as HeldEffects<Action>.Held?)
            }
            hold?.hold()
            let held = HeldEffects<Action>.Held(
                number: identity.number,
                action: action,
                effect: effect,
                hold: hold,
                beginning: Promise()
            )
            shared.held.append(held)
            return (wake, held)
        }
        wakeWriter(wake)
        if capture { _ = beginSnapshot(of: state) }
        if digest { makeDigest(of: state) }
        guard let held else { return effect }
        guard let answer = effect.firstAnswer else { return waiting(for: held) }
        return .merge(.answer(answer), waiting(for: held))
    }

    /// Keeps the store from ending before an effect has begun.
    private func waiting(for held: HeldEffects<Action>.Held) -> Effect<Action> {
        .run { [self] _ in
            await withTaskCancellationHandler {
                await held.beginning.wait()
            } onCancel: {
                drop(held.number)
            }
        }
    }

    private func drop(_ number: UInt64) {
        if let held = shared.withLock({ $0.held.remove(number) }) { drop(held) }
    }

    // MARK: Snapshots and digests

    /// Makes a snapshot of a state that the account goes with: in the turn, or while there is none.
    func beginSnapshot(of state: State) -> SnapshotSchedule<Waiter>.Beginning {
        let (beginning, account) = shared.withLock { ($0.snapshots.begin(at: $0.account.revision), $0.account) }
        guard beginning == .makes else { return beginning }
        let logged = LoggedState(state: state, account: account)
        let snapshots = SnapshotCoding(coding: coding)
        // Elsewhere, because it may take long.
        DispatchQueue.global(qos: .utility).async { [self] in
            do throws(ActionLogError) {
                let encoded = try snapshots.encode(logged)
                let wake = shared.withLock { shared in
                    shared.encoded = encoded
                    return shared.entries.wake()
                }
                wakeWriter(wake)
            } catch {
                endSnapshot(error)
            }
        }
        return beginning
    }

    func endSnapshot(_ error: ActionLogError?) {
        let waiters = shared.withLock { shared in
            if let error { shared.problem = error } else { shared.snapshotSince = .now }
            return shared.snapshots.finish(isSaved: error == nil)
        }
        for waiter in waiters {
            if let error { waiter.resume(throwing: error) } else { waiter.resume() }
        }
    }

    /// Waits for the end of the snapshot that is being made, if there is one.
    func snapshotEnd(isolation: isolated (any Actor)? = #isolation) async throws {
        try await withCheckedThrowingContinuation { waiter in
            if !shared.withLock({ $0.snapshots.wait(waiter) }) { waiter.resume() }
        }
    }

    /// Has the digest of a state be written, for recoveries to come.
    private func makeDigest(of state: State) {
        let revision = shared.withLock { $0.account.revision }
        DispatchQueue.global(qos: .utility).async { [self] in
            guard let digest = try? StateDigest(of: state) else { return }
            var header = EntryHeader(.digest)
            header.revision = revision
            header.digest = digest
            guard let text = try? header.text else { return }
            let wake = shared.withLock { shared -> PendingEntries<Waiter>.Wake in
                guard shared.entries.end == nil else { return .no }
                let identity = ActionLogEntry.Identity(origin: origin, number: shared.entries.accepted + 1)
                _ = shared.account.admit(header, of: identity)
                return shared.entries.append(ActionLogEntry(identity, header: text, payload: Data()))
            }
            wakeWriter(wake)
        }
    }

    // MARK: For those who wait

    /// Waits until everything that has been reduced so far is in the log, or everything up to a number.
    ///
    /// - Throws: Why nothing is written any more, or a `CancellationError` if the task is cancelled.
    func commit(through number: UInt64? = nil, isolation: isolated (any Actor)? = #isolation) async throws {
        let identity = shared.withLock { $0.entries.makeIdentity() }
        try await waitCancellably { [self] waiter in
            let wait = shared.withLock { shared in
                shared.entries.wait(for: number ?? shared.entries.accepted, waiter, identity)
            }
            switch wait {
            case .waits(let wake):
                wakeWriter(wake)
                return true
            case .over(let error):
                if let error { waiter.resume(throwing: error) } else { waiter.resume() }
                return false
            }
        } remove: { [self] in
            shared.withLock { $0.entries.removeWaiter(identity) }
        }
    }

    /// Waits as long as the level asks for it before an action is acknowledged, and in any case if so much waits that
    /// others would soon be refused: whoever can wait should.
    func acknowledge(_ number: UInt64, isolation: isolated (any Actor)? = #isolation) async throws {
        let (end, isBusy) = shared.withLock { ($0.entries.end, $0.entries.isBusy) }
        if configuration.level == .everyAction || isBusy { return try await commit(through: number) }
        if let end { throw end }
    }

    // MARK: For the writer

    /// What the writer is to do next.
    func take(atMost bytes: Int, hasOtherWork: Bool) -> (entries: [ActionLogEntry], encoded: SnapshotCoding.Encoded?) {
        shared.withLock { shared in
            let encoded = shared.encoded
            shared.encoded = nil
            return (shared.entries.take(atMost: bytes, hasOtherWork: hasOtherWork || encoded != nil), encoded)
        }
    }

    /// The number of the newest entry that the log is known to have.
    var appended: UInt64 { shared.withLock { $0.entries.appended } }

    /// The entries up to a number that the log is not known to have.
    func unappended(through number: UInt64) -> [ActionLogEntry] {
        shared.withLock { $0.entries.unappended(through: number) }
    }

    /// How many entries wait to be taken by the writer.
    var untaken: Int { shared.withLock { $0.entries.untaken } }

    /// The log has everything up to a number.
    ///
    /// - Returns: How many have waited for that.
    @discardableResult
    func noteAppended(through number: UInt64, within duration: Duration) -> Int {
        let (waiters, held, actions) = shared.withLock { shared in
            shared.entries.noteAppended(through: number)
            shared.commits += 1
            shared.lastCommit = duration
            shared.longestCommit = max(shared.longestCommit, duration)
            let end = shared.unacknowledged.firstIndex { $0.number > number } ?? shared.unacknowledged.endIndex
            let acknowledged = shared.unacknowledged[..<end]
            shared.unacknowledged.removeFirst(end)
            shared.committed = acknowledged.last?.revision ?? shared.committed
            return (
                shared.entries.settle(through: number), shared.held.take(through: number),
                acknowledged.compactMap(\.action)
            )
        }
        // Before anybody learns of it.
        if !actions.isEmpty { confirmed?.send(contentsOf: actions) }
        begin(held)
        for waiter in waiters { waiter.resume() }
        return waiters.count
    }

    private func begin(_ effects: [HeldEffects<Action>.Held]) {
        guard !effects.isEmpty else { return }
        let store = store.withLock { $0 }
        for held in effects {
            let hasBegun = store?.begin(held.effect, of: held.action, holding: held.hold) { held.beginning.settle(()) }
            if hasBegun != true { drop(held) }
        }
    }

    private func drop(_ held: HeldEffects<Action>.Held) {
        held.hold?.drop()
        held.beginning.settle(())
    }

    /// Writing has failed, and is tried again after some time.
    func retry(_ error: ActionLogError, after duration: Duration) {
        let wake = shared.withLock { shared in
            shared.problem = error
            return shared.entries.retry(after: duration)
        }
        wakeWriter(wake)
    }

    func noteProblem(_ error: ActionLogError) { shared.withLock { $0.problem = error } }

    func noteFirst(_ position: UInt64) { shared.withLock { $0.first = position } }

    /// Has the connection be interrupted when the time of a shutdown is over.
    func watch(_ interruption: ActionLogInterruption) { shared.withLock { $0.interruption = interruption } }

    func interrupt() {
        shared.withLock { $0.interruption }?.interrupt()
        writer.reader.interrupt()
    }

    /// Nothing is written any more, and no action accepted. Those who wait get the error; effects that were held back
    /// do not begin.
    func end(_ error: ActionLogError) {
        let (waiters, snapshotWaiters, held) = shared.withLock { shared in
            if shared.entries.end == nil { shared.unconfirmed = shared.unacknowledged.count }
            shared.encoded = nil
            return (shared.entries.end(error), shared.snapshots.end(), shared.held.take(through: .max))
        }
        for waiter in waiters + snapshotWaiters { waiter.resume(throwing: error) }
        for held in held { drop(held) }
    }

    // MARK: Figures

    /// How many actions the state is made of.
    var revision: UInt64 { shared.withLock { $0.account.revision } }

    /// The revision of the newest snapshot in the log.
    var snapshotRevision: UInt64? { shared.withLock { $0.snapshots.saved } }

    var problem: ActionLogError? { shared.withLock { $0.problem } }

    var failure: ActionLogError? { shared.withLock { $0.entries.end } }

    var statistics: DurabilityStatistics {
        shared.withLock { shared in
            DurabilityStatistics(
                revision: shared.account.revision,
                committedRevision: shared.committed,
                pendingActions: shared.unacknowledged.count,
                pendingBytes: shared.entries.bytes,
                commits: shared.commits,
                lastCommitDuration: shared.lastCommit,
                longestCommitDuration: shared.longestCommit,
                snapshotRevision: shared.snapshots.saved,
                snapshotAge: shared.snapshotSince.map { .now - $0 },
                entries: shared.account.point.position + 1 - min(shared.first, shared.account.point.position + 1),
                repeats: shared.repeats,
                lastProblem: shared.problem,
                failure: shared.entries.end,
                unconfirmedActions: shared.unconfirmed
            )
        }
    }
}

extension ActionLogError {
    /// The action was meant for another revision.
    static func unexpectedRevision(_ revision: UInt64, in log: String) -> ActionLogError {
        ActionLogError(
            .unexpectedRevision,
            in: log,
            "The state is at revision \(revision), and not at the one that the action was meant for. Look at it anew."
        )
    }
}
