import ActorStore
import Foundation

/// The connection between the turn of a store and the writer of its log: a lock around plain values.
final class DurableLog<State: Codable & Sendable, Action: Codable & Sendable>: Sendable {
    typealias Waiter = DurableAccount.Waiter

    /// What is accessed under the lock.
    struct Shared {
        var account: DurableAccount
        /// The effects of unacknowledged actions.
        var held = HeldEffects<Action>()
        /// The unacknowledged actions, as many as in the account, if there is a confirmed state; otherwise empty.
        var actions: [Action] = []
    }

    let writer: LogWriter<State, Action>
    let configuration: DurabilityConfiguration
    let coding: EntryCoding
    private let shared: LockedValue<Shared>
    let phases: PhaseStore<Shared, DurabilityPhase>
    private let store = LockedValue<WeakStore<State, Action>?>(nil)
    /// Interrupts the calls of the writer's connection.
    private let interruption = LockedValue<ActionLogInterruption?>(nil)
    /// The number of actions that were refused because too many were waiting.
    let overloads = LockedValue<UInt64>(0)
    /// The state that the log has acknowledged; nil if it is not kept.
    let confirmed: Store<State, Action>?

    /// Creates the shared part of a durable store.
    ///
    /// - Parameters:
    ///   - recovered: The recovered account, which includes the first entry of this store.
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
        let account = DurableAccount(
            writer.origin,
            coding.log,
            configuration,
            recovered,
            snapshot: snapshot,
            first: first
        )
        let shared = LockedValue(Shared(account: account))
        self.shared = shared
        phases = PhaseStore("durability", of: shared) { $0.account.phase }
    }

    private func withAccount<Result>(_ body: (inout DurableAccount) -> Result) -> Result {
        shared.withLock { body(&$0.account) }
    }

    /// Sets the store that starts the effects of settled actions.
    func begin(_ store: Store<State, Action>) { self.store.withLock { $0 = store.weak } }

    private func wakeWriter(_ wake: PendingEntries<Waiter>.Wake) {
        switch wake {
        case .no: break
        case .now: writer.thread.run { [self] in writer.assumeIsolated { $0.writeAll(of: self) } }
        case .after(let duration):
            // Weak: a released store does not wait for the end of the interval; see `StoreRelease`.
            writer.thread.run(after: duration) { [weak self] in
                guard let self else { return }
                wakeWriter(withAccount { $0.entries.intervalEnded() })
            }
        case .again(let duration):
            writer.thread.run(after: duration) { [self] in
                wakeWriter(withAccount { $0.entries.waitEnded() })
            }
        }
    }

    /// Wakes the writer for work that is not an entry.
    func wake() { wakeWriter(withAccount { $0.entries.wake() }) }

    // MARK: Calls of the store's turn

    /// Returns why no action is accepted now; nil if actions are accepted. Call it from anywhere.
    func refusal() -> ActionLogError? {
        let (error, wake) = withAccount { $0.refusal() }
        wakeWriter(wake)
        return error
    }

    /// Whether actions are refused for the moment, because too many are waiting.
    var isFull: Bool { failure == nil && refusal() != nil }

    /// Writes all entries at once from now on: a shutdown waits for them, and for the effects that wait for them.
    func endInterval() { wakeWriter(withAccount { $0.entries.endInterval() }) }

    /// Sets the ticket of the next action to be reduced; nil after it was reduced.
    func setTicket(_ ticket: Ticket?) {
        wakeWriter(withAccount { $0.setTicket(ticket) })
    }

    /// Refuses the current action, and reports that to its dispatch.
    ///
    /// - Returns: Whether the action has a ticket to report to.
    func refuse(_ error: ActionLogError) -> Bool {
        guard let ticket = withAccount({ $0.ticket }) else { return false }
        ticket.settle(.refused(error))
        return true
    }

    /// Fails the performance whose effects have sent the current action, if there is one.
    func failPerformance() {
        if let failure { store.withLock { $0 }?.effectHold?.fail(failure) }
    }

    /// Encodes an action, and decides whether it is reduced.
    ///
    /// - Returns: Whether the action is to be reduced.
    /// - Throws: The reason for a refusal, if the action has no ticket.
    func prepare(_ action: Action) throws(ActionLogError) -> Bool {
        do throws(ActionLogError) {
            let payload = try coding.encode(action)
            var header = coding.header
            if let ticket = withAccount({ $0.ticket }) {
                // The name is that of the first part, also of one that was refused.
                header.id = ticket.isRefused ? nil : ticket.id
                header.expected = ticket.expected
            }
            // Not the expected revision, which is compared here: after the loss of an entry, a recovery would refuse
            // what follows.
            var written = header
            written.expected = nil
            let text = try coding.text(of: written, for: payload)
            let verdict = withAccount { $0.prepare(payload, header, text) }
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

    /// Records a reduced action with the resulting state.
    ///
    /// - Returns: The part of its effect that starts now.
    func append(_ action: Action, _ state: State, _ effect: Effect<Action>) -> Effect<Action> {
        // Also of an action that an effect has sent, if its performer waits for that.
        let origin = effect.isAnswerOnly ? nil : store.withLock { $0 }?.heldOrigin
        let reduced = noteReduced(action, effect, origin)
        wakeWriter(reduced.wake)
        if reduced.makesSnapshot { _ = beginSnapshot(of: state) }
        if reduced.makesDigest { makeDigest(of: state) }
        let later: Effect<Action>
        switch reduced.effect {
        case .begins: return effect
        case .waits(let beginning): later = waiting(for: beginning, reduced.number)
        case .dropped(let end):
            origin?.hold?.fail(end)
            later = .none
        }
        guard let answer = effect.firstAnswer else { return later }
        return .merge(.answer(answer), later)
    }

    /// Records a reduced action, and keeps its effect if that waits.
    private func noteReduced(
        _ action: Action,
        _ effect: Effect<Action>,
        _ origin: (hold: EffectHold?, cancellations: UInt64)?
    ) -> DurableAccount.Reduced {
        let (hasEffect, isAwaited) = (!effect.isAnswerOnly, origin?.hold?.tracksFeedback == true)
        return shared.withLock { shared in
            let reduced = shared.account.noteReduced(hasEffect: hasEffect, isAwaited: isAwaited)
            if confirmed != nil { shared.actions.append(action) }
            guard case .waits(let beginning) = reduced.effect else { return reduced }
            // Under the lock, so that the writer does not take the effect before it counts. This calls nothing else.
            origin?.hold?.hold()
            let held = HeldEffects<Action>.Held(
                number: reduced.number,
                action: action,
                effect: effect,
                hold: origin?.hold,
                beginning: beginning,
                cancellation: HeldCancellation(cancellations: origin?.cancellations ?? 0)
            )
            shared.held.append(held)
            return reduced
        }
    }

    /// Keeps the store from ending before an effect has started.
    private func waiting(for beginning: Promise<Void>, _ number: UInt64) -> Effect<Action> {
        let note = UnusedNote { [self] in cancel(number) }
        return .run { [self] _ in
            note.use()
            await withTaskCancellationHandler {
                await beginning.wait()
            } onCancel: {
                cancel(number)
            }
        }
    }

    private func cancel(_ number: UInt64) {
        if let held = shared.withLock({ $0.held.cancel(number) }) { drop(held) }
    }

    // MARK: Snapshots and digests

    /// Begins a snapshot of a state that matches the account: within the turn, or while no turn runs.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - least: The revision from which a snapshot in the log is sufficient; nil for that of the state.
    func beginSnapshot(of state: State, unlessSavedFrom least: UInt64? = nil) -> SnapshotSchedule<Waiter>.Beginning {
        let (beginning, account) = withAccount {
            ($0.snapshots.begin(at: $0.logged.revision, unlessSavedFrom: least), $0.logged)
        }
        guard beginning == .makes else { return beginning }
        let logged = LoggedState(state: state, account: account)
        let snapshots = SnapshotCoding(coding: coding)
        // Encoding may take long, so it runs on another thread.
        DispatchQueue.global(qos: .utility).async { [self] in
            do throws(ActionLogError) {
                let encoded = try snapshots.encode(logged)
                wakeWriter(withAccount { $0.write(encoded) })
            } catch {
                endSnapshot(error)
            }
        }
        return beginning
    }

    func endSnapshot(_ error: ActionLogError?) {
        let now = ContinuousClock.now
        let waiters = withAccount { $0.endSnapshot(error, at: now) }
        for waiter in waiters {
            if let error { waiter.resume(throwing: error) } else { waiter.resume() }
        }
    }

    /// Waits for the end of the running snapshot, if there is one.
    func snapshotEnd(isolation: isolated (any Actor)? = #isolation) async throws {
        try await withCheckedThrowingContinuation { waiter in
            if !withAccount({ $0.snapshots.wait(waiter) }) { waiter.resume() }
        }
    }

    /// Begins a compaction. Until it ends, actions without room also delete what it is to delete: it waits for them.
    ///
    /// - Parameter count: The number of snapshots to keep.
    func beginCompaction(keeping count: Int) { withAccount { $0.compactions.append(count) } }

    /// Ends a compaction.
    func endCompaction(keeping count: Int) {
        withAccount { account in
            if let index = account.compactions.firstIndex(of: count) { account.compactions.remove(at: index) }
        }
    }

    /// The least number of snapshots that a running compaction keeps; nil without one.
    var compaction: Int? { withAccount { $0.compactions.min() } }

    /// Writes the digest of a state, for later recoveries.
    private func makeDigest(of state: State) {
        let revision = revision
        DispatchQueue.global(qos: .utility).async { [self] in
            defer { withAccount { $0.digests.finish() } }
            guard let digest = try? StateDigest(of: state) else { return }
            let header = EntryHeader(of: digest, at: revision, schema: coding.coding.version)
            guard let text = try? header.text else { return }
            wakeWriter(withAccount { $0.note(header, text) })
        }
    }

    // MARK: Waiting

    /// Waits until the log has everything that was reduced so far, or everything up to a number.
    ///
    /// - Throws: The reason why nothing is written any more, or a `CancellationError` if the task is cancelled.
    func commit(through number: UInt64? = nil, isolation: isolated (any Actor)? = #isolation) async throws {
        let (number, identity) = withAccount { (number ?? $0.entries.accepted, $0.entries.makeIdentity()) }
        try await waitForEntry { waiter in
            withAccount { $0.entries.wait(for: number, waiter, identity) }
        } wake: {
            wakeWriter($0)
        } remove: { [self] in
            withAccount { $0.entries.removeWaiter(identity, for: number) }
        }
    }

    /// Waits until the log has everything that was reduced so far.
    ///
    /// - Returns: False if the log has ended, or the task is cancelled.
    func commitAll() async -> Bool { (try? await commit()) != nil && failure == nil }

    /// Waits as the level demands before an action is acknowledged. Waits at every level if so many actions are pending
    /// that others would soon be refused.
    func acknowledge(_ number: UInt64, isolation: isolated (any Actor)? = #isolation) async throws {
        let (end, isBusy) = withAccount { ($0.entries.end, $0.entries.isBusy) }
        if configuration.level == .everyAction || isBusy { return try await commit(through: number) }
        if let end { throw end }
    }

    // MARK: Calls of the writer

    /// Returns the next work of the writer.
    func take(atMost bytes: Int, hasOtherWork: Bool) -> (entries: [ActionLogEntry], encoded: SnapshotCoding.Encoded?) {
        withAccount { $0.take(atMost: bytes, hasOtherWork: hasOtherWork) }
    }

    /// The number of the newest entry that the log is known to have.
    var appended: UInt64 { withAccount { $0.entries.appended } }

    /// Returns the entries up to a number that the log is not known to have.
    func unappended(through number: UInt64) -> [ActionLogEntry] {
        withAccount { $0.entries.unappended(through: number) }
    }

    /// The number of entries that the writer has not taken yet.
    var untaken: Int { withAccount { $0.entries.untaken } }

    /// Records that the log has everything up to a number.
    ///
    /// - Returns: The number of resumed waiters.
    @discardableResult
    func noteAppended(through number: UInt64, within duration: Duration) -> Int {
        let actions = shared.withLock { shared in
            let count = shared.account.noteAppended(through: number, within: duration)
            // Without a confirmed state, the actions are not kept.
            let actions = Array(shared.actions.prefix(count))
            shared.actions.removeFirst(actions.count)
            return actions
        }
        // Before anything is settled, so that a caller that then reads the confirmed state does not wait.
        if !actions.isEmpty { confirmed?.send(contentsOf: actions) }
        let (waiters, held) = shared.withLock {
            ($0.account.entries.settle(through: number), $0.held.take(through: number))
        }
        begin(held)
        for waiter in waiters { waiter.resume() }
        return waiters.count
    }

    private func begin(_ effects: [HeldEffects<Action>.Held]) {
        guard !effects.isEmpty else { return }
        let store = store.withLock { $0 }
        for held in effects {
            let hasBegun = store?.begin(
                held.effect,
                of: held.action,
                holding: held.hold,
                cancelled: held.cancellation
            ) { held.beginning.settle(()) }
            if hasBegun != true { drop(held) }
        }
    }

    private func drop(_ held: HeldEffects<Action>.Held, _ failure: ActionLogError? = nil) {
        held.hold?.drop(failure)
        held.beginning.settle(())
    }

    /// Records that a write has failed, and will be retried after a delay.
    func retry(_ error: ActionLogError, after duration: Duration) {
        wakeWriter(phases.change { $0.account.retry(error, after: duration) })
    }

    /// Records that nothing is retried any more.
    func noteRecovery() { phases.change { $0.account.noteRecovery() } }

    func noteProblem(_ error: ActionLogError) { withAccount { $0.problem = error } }

    /// Records that a shutdown asks whether the log still has the newest snapshot, unless an earlier one has
    /// the answer.
    func askForSnapshot() { withAccount { if $0.snapshotCheck != .answered { $0.snapshotCheck = .asking } } }

    /// Records that the log has answered.
    func noteSnapshotAnswer() { withAccount { $0.snapshotCheck = .answered } }

    func noteLostSnapshot(newest revision: UInt64?) { withAccount { $0.noteLostSnapshot(newest: revision) } }

    func noteFirst(_ position: UInt64) { withAccount { $0.first = position } }

    /// Records a new connection: its settings for the statistics, and its interruption for a shutdown whose time is
    /// over.
    func watch(_ connection: any ActionLogConnection) {
        interruption.withLock { $0 = connection.interruption }
        let settings = connection.settings
        withAccount { $0.settings = settings }
    }

    func interrupt() {
        interruption.withLock { $0 }?.interrupt()
        writer.reader.interrupt()
    }

    /// Ends the acceptance and the writing of actions. Waiters receive the error, also those for held effects, which do
    /// not start.
    func end(_ error: ActionLogError) {
        let (waiters, held) = phases.change { ($0.account.end(error), $0.held.take(through: .max)) }
        for waiter in waiters { waiter.resume(throwing: error) }
        for held in held { drop(held, error) }
    }

    // MARK: Figures

    /// The number of actions that the state results from.
    var revision: UInt64 { withAccount { $0.logged.revision } }

    /// The revision of the newest snapshot in the log by a program with the same reducer.
    var snapshotRevision: UInt64? { withAccount { $0.snapshots.saved } }

    /// The reason why the newest snapshot was not written; nil if it was.
    var snapshotProblem: ActionLogError? { withAccount { $0.snapshotProblem } }

    var failure: ActionLogError? { withAccount { $0.entries.end } }

    var statistics: DurabilityStatistics {
        let now = ContinuousClock.now
        return withAccount { $0.statistics(at: now) }
    }
}

extension ActionLogError {
    /// The error when an action expects another revision.
    static func unexpectedRevision(_ revision: UInt64, in log: String) -> ActionLogError {
        ActionLogError(
            .unexpectedRevision,
            in: log,
            "The state has revision \(revision), but the action expects another one. Read the state again."
        )
    }
}
