import ActorStore
import Foundation

/// What stands between the turn of a store and the writer of its log: a lock around plain values.
final class DurableLog<State: Codable & Sendable, Action: Codable & Sendable>: Sendable {
    typealias Waiter = CheckedContinuation<Void, any Error>
    typealias Account = DurableAccount<State, Action, Waiter>

    let writer: LogWriter<State, Action>
    let configuration: DurabilityConfiguration
    let coding: EntryCoding
    private let shared: LockedValue<Account>
    private let store = LockedValue<WeakStore<State, Action>?>(nil)
    /// Ends the calls of the writer's connection.
    private let interruption = LockedValue<ActionLogInterruption?>(nil)
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
        shared = LockedValue(
            Account(
                writer.origin,
                coding.log,
                configuration,
                recovered,
                snapshot: snapshot,
                first: first,
                keepsActions: confirmed != nil
            )
        )
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
        let (error, wake) = shared.withLock { $0.refusal() }
        wakeWriter(wake)
        return error
    }

    /// Says whose action is reduced next, and with nil that it has been.
    func setTicket(_ ticket: Ticket?, _ hold: EffectHold?) {
        shared.withLock { $0.setTicket(ticket, hold) }
    }

    /// Refuses the action that is on its way, and tells who has dispatched it.
    ///
    /// - Returns: Whether somebody was told.
    func refuse(_ error: ActionLogError) -> Bool {
        guard let ticket = shared.withLock({ $0.ticket }) else { return false }
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
            if let ticket = shared.withLock({ $0.ticket }) {
                header.id = ticket.id
                header.expected = ticket.expected
            }
            let text = try coding.text(of: header, for: payload)
            let verdict = shared.withLock { $0.prepare(payload, header, text) }
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
        let reduced = shared.withLock { $0.noteReduced(action, effect) }
        wakeWriter(reduced.wake)
        if reduced.makesSnapshot { _ = beginSnapshot(of: state) }
        if reduced.makesDigest { makeDigest(of: state) }
        let later: Effect<Action>
        switch reduced.effect {
        case .begins: return effect
        case .waits(let held): later = waiting(for: held)
        case .dropped: later = .none
        }
        guard let answer = effect.firstAnswer else { return later }
        return .merge(.answer(answer), later)
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
        let (beginning, account) = shared.withLock { ($0.snapshots.begin(at: $0.logged.revision), $0.logged) }
        guard beginning == .makes else { return beginning }
        let logged = LoggedState(state: state, account: account)
        let snapshots = SnapshotCoding(coding: coding)
        // Elsewhere, because it may take long.
        DispatchQueue.global(qos: .utility).async { [self] in
            do throws(ActionLogError) {
                let encoded = try snapshots.encode(logged)
                wakeWriter(shared.withLock { $0.write(encoded) })
            } catch {
                endSnapshot(error)
            }
        }
        return beginning
    }

    func endSnapshot(_ error: ActionLogError?) {
        let now = ContinuousClock.now
        let waiters = shared.withLock { $0.endSnapshot(error, at: now) }
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
        let revision = revision
        DispatchQueue.global(qos: .utility).async { [self] in
            defer { shared.withLock { $0.digests.finish() } }
            guard let digest = try? StateDigest(of: state) else { return }
            let header = EntryHeader(of: digest, at: revision, schema: coding.coding.version)
            guard let text = try? header.text else { return }
            wakeWriter(shared.withLock { $0.note(header, text) })
        }
    }

    // MARK: For those who wait

    /// Waits until everything that has been reduced so far is in the log, or everything up to a number.
    ///
    /// - Throws: Why nothing is written any more, or a `CancellationError` if the task is cancelled.
    func commit(through number: UInt64? = nil, isolation: isolated (any Actor)? = #isolation) async throws {
        let identity = shared.withLock { $0.entries.makeIdentity() }
        try await waitForEntry { waiter in
            shared.withLock { $0.entries.wait(for: number ?? $0.entries.accepted, waiter, identity) }
        } wake: {
            wakeWriter($0)
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
        shared.withLock { $0.take(atMost: bytes, hasOtherWork: hasOtherWork) }
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
        let acknowledged = shared.withLock { $0.noteAppended(through: number, within: duration) }
        // Before anybody learns of it.
        if !acknowledged.actions.isEmpty { confirmed?.send(contentsOf: acknowledged.actions) }
        begin(acknowledged.held)
        for waiter in acknowledged.waiters { waiter.resume() }
        return acknowledged.waiters.count
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
        wakeWriter(shared.withLock { $0.retry(error, after: duration) })
    }

    func noteProblem(_ error: ActionLogError) { shared.withLock { $0.problem = error } }

    func noteFirst(_ position: UInt64) { shared.withLock { $0.first = position } }

    /// Has the connection be interrupted when the time of a shutdown is over.
    func watch(_ interruption: ActionLogInterruption) { self.interruption.withLock { $0 = interruption } }

    func interrupt() {
        interruption.withLock { $0 }?.interrupt()
        writer.reader.interrupt()
    }

    /// Nothing is written any more, and no action accepted. Those who wait get the error; effects that were held back
    /// do not begin.
    func end(_ error: ActionLogError) {
        let (waiters, held) = shared.withLock { $0.end(error) }
        for waiter in waiters { waiter.resume(throwing: error) }
        for held in held { drop(held) }
    }

    // MARK: Figures

    /// How many actions the state is made of.
    var revision: UInt64 { shared.withLock { $0.logged.revision } }

    /// The revision of the newest snapshot in the log.
    var snapshotRevision: UInt64? { shared.withLock { $0.snapshots.saved } }

    var problem: ActionLogError? { shared.withLock { $0.problem } }

    var failure: ActionLogError? { shared.withLock { $0.entries.end } }

    var statistics: DurabilityStatistics {
        let now = ContinuousClock.now
        return shared.withLock { $0.statistics(at: now) }
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
