/// Counts the effects that one action started, for those who await or cancel them through a ``StoreTask``.
@usableFromInline
final class EffectTracker: @unchecked Sendable {
    // Sound: all mutable state is read and written under `lock`. Exclusivity follows from it, and is not checked
    // again where each effect would pay for it.
    private let lock = Lock()
    private var cancelled = false
    /// Whether the effects count as well that come of the actions that these send.
    @usableFromInline let tracksFeedback: Bool
    /// Where the answer of the action goes; nil if it was not asked for one.
    private let pendingAnswer: PendingAnswer?
    @exclusivity(unchecked) private var outstanding = 1
    /// Most actions start one effect; more are kept in a table, by identity, because they can be those of several
    /// stores.
    @exclusivity(unchecked) private var first: EffectJob?
    @exclusivity(unchecked) private var others = ArrivalTable<ObjectIdentifier, EffectJob>()
    @exclusivity(unchecked) private var failure: (any Error)?
    @exclusivity(unchecked) private var startingAction: (any Sendable)?
    /// What the effects wait for, each with the effect that does.
    private var awaited: [(job: EffectJob, target: Awaited)] = []
    /// The effects, of any store, that wait for the end of these.
    private var awaiting: [EffectJob] = []
    @exclusivity(unchecked) private var waiters = SuspensionQueue<UnsafeContinuation<Void, any Error>>()

    @usableFromInline
    init(
        of action: (any Sendable)? = nil,
        tracksFeedback: Bool = false,
        answering pendingAnswer: PendingAnswer? = nil
    ) {
        startingAction = action
        self.tracksFeedback = tracksFeedback
        self.pendingAnswer = pendingAnswer
    }

    /// Takes the answer of the action, if it was asked for one. In the turn.
    @usableFromInline
    func give(_ answer: any Sendable) { pendingAnswer?.give(answer) }

    /// Takes no answer that comes later than now.
    func refuseAnswers() { _ = pendingAnswer?.take() }

    var isCancelled: Bool { lock.withLock { cancelled } }
    var isFinished: Bool { lock.withLock { outstanding == 0 } }

    /// The action that started the effects, as far as it is known.
    var action: (any Sendable)? { lock.withLock { startingAction } }

    /// Takes note of the action that will start the effects.
    @usableFromInline
    func note(_ action: any Sendable) { lock.withLock { startingAction = action } }

    /// Takes note of a piece of work that was asked for.
    func add(_ job: EffectJob) {
        let wasCancelled = lock.withLock {
            // In the order in which they were asked for, which is that in which they are cancelled.
            if first == nil, others.isEmpty { first = job } else { others[ObjectIdentifier(job)] = job }
            return cancelled
        }
        // It has no task yet.
        if wasCancelled { _ = job.cancel() }
    }

    /// Takes note that a task was started, or that the plan as a whole still goes on.
    func begin() { lock.withLock { outstanding += 1 } }

    /// Counts one more piece of work, unless all work has ended: a tracker ends once.
    ///
    /// - Returns: Whether it was counted.
    func beginIfUnfinished() -> Bool {
        lock.withLock {
            if outstanding > 0 { outstanding += 1 }
            return outstanding > 0
        }
    }

    /// Takes note that a piece of work will not be done, or was done.
    func remove(_ job: EffectJob) {
        // Released after the lock: it may be the last reference to values of the user.
        let removed = lock.withLock { take(job) }
        withExtendedLifetime(removed) {}
    }

    /// The counterpart of ``begin()``, and once more of creating the tracker.
    ///
    /// - Parameter failure: With which error a piece of work has ended, if it has.
    /// - Returns: Whether all has ended, and the caller has to call ``tellEnd()`` when it is out of the turn.
    @usableFromInline
    func end(failure: (any Error)? = nil) -> Bool {
        lock.withLock {
            if let failure, self.failure == nil { self.failure = failure }
            outstanding -= 1
            return outstanding == 0 && !(waiters.isEmpty && startingAction == nil)
        }
    }

    /// Resumes the tasks that wait for the end, which has come, and releases the action: a ``StoreTask`` may be kept
    /// for long, and by what the action holds. Out of the turn.
    @usableFromInline
    func tellEnd() {
        var action: (any Sendable)?
        let (waiters, failure) = lock.withLock {
            swap(&action, &startingAction)
            return (self.waiters.removeAll(), self.failure)
        }
        for waiter in waiters {
            if let failure { waiter.resume(throwing: failure) } else { waiter.resume() }
        }
    }

    /// Marks what was begun and what was not as cancelled. Only the first call does anything: what is asked for later
    /// is marked when it comes.
    ///
    /// - Returns: Those whose tasks have still to be cancelled, by ``EffectJob/cancelTask()``.
    /// - Complexity: O(*n* log *n*) with *n* pieces of work, and O(1) when it has been cancelled before.
    func cancel() -> [EffectJob] {
        let running: [EffectJob] = lock.withLock {
            guard !cancelled else { return [] }
            cancelled = true
            return (first.map { [$0] } ?? []) + others.inOrder
        }
        return running.filter { $0.cancel() }
    }

    /// Cancels what was begun and what was not. The tasks are cancelled by a background task, because their
    /// cancellation handlers are user code.
    func cancelInBackground() { cancel().cancelTasksInBackground() }

    /// Waits until all is done, whether the calling task is cancelled or not.
    func waitUntilFinished(isolation: isolated (any Actor)? = #isolation) async { try? await waitDespiteCancellation() }

    /// The same. Throws the first error that no one made an action of.
    private func waitDespiteCancellation(isolation: isolated (any Actor)? = #isolation) async throws {
        try await withUnsafeThrowingContinuation { continuation in
            let immediately: Result<Void, any Error>? = lock.withLock {
                if outcome == nil { _ = waiters.append(continuation) }
                return outcome
            }
            if let immediately { continuation.resume(with: immediately) }
        }
    }

    /// What an effect can wait for.
    private enum Awaited {
        case effects(EffectTracker)
        /// The effect shuts down a store of a tree, and is not one of that store, or of those below it.
        case shutdown(EffectWaiter, TreeRoot)

        var tracker: EffectTracker? { if case .effects(let tracker) = self { tracker } else { nil } }
        var shutdown: EffectWaiter? { if case .shutdown(let waiter, _) = self { waiter } else { nil } }
    }

    /// Waits until all is done. Throws the first error that no one made an action of, or a `CancellationError` if the
    /// calling task is cancelled first.
    ///
    /// - Parameter despiteCancellation: Whether it goes on waiting if the calling task is cancelled.
    func finish(despiteCancellation: Bool = false, isolation: isolated (any Actor)? = #isolation) async throws {
        if let outcome = lock.withLock({ outcome }) { return try outcome.get() }
        // An effect that is over waits for nothing, also if a task that it has started does.
        guard let effect = EffectJob.current, !effect.isOver else { return try await waitForEnd(despiteCancellation) }
        let waiting = Array(effect.andAwaiters)
        for job in waiting { job.tracker.beginAwaiting(self, by: job) }
        defer {
            for job in waiting { job.tracker.endAwaiting(self, by: job) }
            // A shutdown waits again for effects that have given up waiting for its caller.
            if lock.withLock({ outcome == nil }) { Self.resumeShutdowns(ofEffectsHeldUpBy: waiting) }
        }
        // Looked at after it was noted, so that of two that come to wait for each other one sees the other.
        if awaits(anyOf: Set(waiting.map { ObjectIdentifier($0.tracker) })) { throw StoreError.awaitsItself }
        // What is waited for may wait for a shutdown, which cannot wait for those that wait here.
        Self.resumeShutdowns(ofEffectsHeldUpBy: waiting)
        try await waitForEnd(despiteCancellation)
    }

    private static func resumeShutdowns(ofEffectsHeldUpBy jobs: [EffectJob]) {
        for root in stores(ofEffectsHeldUpBy: jobs) { root.inTurn { root.resumeShutdowns(awaitedBy: jobs) } }
    }

    /// Has trees look again at shutdowns that did not wait for others because these waited for an effect, which is
    /// over.
    func resumeShutdowns(heldUpBy job: EffectJob) {
        let targets = lock.withLock { awaited.filter { $0.job === job }.map(\.target) }
        if targets.isEmpty { return }
        for case .shutdown(let waiter, let root) in targets { root.inTurn { root.resumeAfterCaller(waiter) } }
        Self.resumeShutdowns(ofEffectsHeldUpBy: [job])
    }

    /// Records that an effect shuts down a store of a tree, and is not one of that store, or of those below it. In the
    /// turn of the tree.
    func beginAwaiting(_ waiter: EffectWaiter, in root: TreeRoot, by job: EffectJob) {
        lock.withLock { awaited.append((job, .shutdown(waiter, root))) }
        job.beginAwaitingOthers()
    }

    /// Forgets one such shutdown. In the turn of the tree.
    func endAwaiting(_ waiter: EffectWaiter, by job: EffectJob) {
        removeAwaited(by: job) { $0.shutdown === waiter }
    }

    private func beginAwaiting(_ other: EffectTracker, by job: EffectJob) {
        other.lock.withLock { other.awaiting.append(job) }
        lock.withLock { awaited.append((job, .effects(other))) }
        job.beginAwaitingOthers()
    }

    private func endAwaiting(_ other: EffectTracker, by job: EffectJob) {
        other.lock.withLock {
            if let index = other.awaiting.firstIndex(where: { $0 === job }) { other.awaiting.remove(at: index) }
        }
        removeAwaited(by: job) { $0.tracker === other }
    }

    private func removeAwaited(by job: EffectJob, where isTarget: (Awaited) -> Bool) {
        let wasAwaiting = lock.withLock {
            guard let index = awaited.firstIndex(where: { $0.job === job && isTarget($0.target) }) else { return false }
            awaited.remove(at: index)
            return true
        }
        if wasAwaiting { job.endAwaitingOthers() }
    }

    /// The trees whose effects cannot end before these do, because they wait for them, directly or by way of others.
    static func stores(ofEffectsHeldUpBy jobs: [EffectJob]) -> [TreeRoot] {
        var seen: Set<ObjectIdentifier> = []
        var trees: [TreeRoot] = []
        var pending = jobs
        while let job = pending.popLast() {
            guard seen.insert(ObjectIdentifier(job)).inserted else { continue }
            if let root = job.host?.root, seen.insert(ObjectIdentifier(root)).inserted {
                trees.append(root)
            }
            if let awaiter = job.awaiter { pending.append(awaiter) }
            pending += job.tracker.lock.withLock { job.tracker.awaiting }
        }
        return trees
    }

    /// The effects, of any store, that wait for the end of these.
    var effectsAwaitingEnd: [EffectJob] {
        // What is over waits for nothing, also if a task that it has started does.
        lock.withLock { awaiting.isEmpty ? [] : awaiting.filter { !$0.isOver } }
    }

    /// Whether this is one of others, or has effects that wait for one of them, directly or by way of others.
    private func awaits(anyOf others: Set<ObjectIdentifier>) -> Bool {
        var seen: Set<ObjectIdentifier> = []
        var pending = [self]
        while let tracker = pending.popLast() {
            guard seen.insert(ObjectIdentifier(tracker)).inserted else { continue }
            if others.contains(ObjectIdentifier(tracker)) { return true }
            pending += tracker.lock.withLock {
                // What is over waits for nothing, also if a task that it has started does.
                tracker.awaited.filter { !$0.job.isOver }.compactMap(\.target.tracker)
            }
        }
        return false
    }

    private func waitForEnd(_ despiteCancellation: Bool, isolation: isolated (any Actor)? = #isolation) async throws {
        if despiteCancellation { return try await waitDespiteCancellation() }
        let ticket = Ticket()
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                let immediately: Result<Void, any Error>? = lock.withLock {
                    if let outcome { return outcome }
                    if ticket.isCancelled { return .failure(CancellationError()) }
                    ticket.key = waiters.append(continuation)
                    return nil
                }
                if let immediately { continuation.resume(with: immediately) }
            }
        } onCancel: {
            let waiter = lock.withLock {
                ticket.isCancelled = true
                return ticket.key.flatMap { waiters.remove($0) }
            }
            waiter?.resume(throwing: CancellationError())
        }
    }

    /// How all has ended, if it has. Under the lock.
    private var outcome: Result<Void, any Error>? {
        outstanding > 0 ? nil : failure.map { .failure($0) } ?? .success(())
    }

    /// Under the lock.
    private func take(_ job: EffectJob) -> EffectJob? {
        guard first === job else {
            return others.isEmpty ? nil : others.removeValue(forKey: ObjectIdentifier(job))
        }
        defer { first = nil }
        return first
    }

    /// One call of ``finish(isolation:)``.
    private final class Ticket: @unchecked Sendable {
        // Sound: both are read and written under the tracker's lock.
        var key: UInt64?
        var isCancelled = false
    }
}

extension [EffectJob] {
    /// Cancels the tasks of effects that have been marked as cancelled, in a background task of the store that runs
    /// them.
    func cancelTasksInBackground() {
        for job in self {
            // Without a store it has come to its end.
            if let root = job.host?.root { return root.cancelTasks(of: self) }
        }
    }
}

/// Holds the answer to a request until the dispatch of the request returns.
@usableFromInline
final class PendingAnswer: @unchecked Sendable {
    // Sound: both variables are touched only under `lock`. What they hold is released after it.
    private let lock = Lock()
    private var value: (any Sendable)?
    private var isTaken = false

    @usableFromInline
    init() {}

    /// Keeps the answer, unless there is one: that of the store which was asked comes before those of its parents.
    func give(_ answer: any Sendable) {
        lock.withLock { if value == nil && !isTaken { value = answer } }
    }

    /// Takes the answer out. The effects of the request, which may run for long, keep this object, and must not keep
    /// what was answered, or what actions of theirs are answered.
    @usableFromInline
    func take() -> (any Sendable)? {
        lock.withLock {
            defer { value = nil }
            isTaken = true
            return value
        }
    }
}
