/// Tracks the effects of one action, which a ``StoreTask`` awaits or cancels.
@usableFromInline
final class EffectTracker: @unchecked Sendable {
    // Sound: all mutable state is read and written under `lock`. Exclusivity follows from it, and is not checked again,
    // which every effect would pay for.
    private let lock = Lock()
    private var cancelled = false
    /// Whether effects of the actions that these effects send are tracked as well.
    @usableFromInline let tracksFeedback: Bool
    /// Receives the answer to the action; nil if the dispatch requested none.
    private let pendingAnswer: PendingAnswer?
    @exclusivity(unchecked) private var outstanding = 1
    /// Most actions start one effect. Others are kept in a table, by identity, because they can belong to several
    /// stores.
    @exclusivity(unchecked) private var first: EffectJob?
    @exclusivity(unchecked) private var others = ArrivalTable<ObjectIdentifier, EffectJob>()
    @exclusivity(unchecked) private var failure: (any Error)?
    @exclusivity(unchecked) private var startingAction: (any Sendable)?
    /// What the effects wait for, each with the waiting effect.
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

    /// Receives the answer to the action, if one was requested. Called within the turn.
    @usableFromInline
    func give(_ answer: any Sendable) { pendingAnswer?.give(answer) }

    /// Ignores all later answers.
    func refuseAnswers() { _ = pendingAnswer?.take() }

    var isCancelled: Bool { lock.withLock { cancelled } }
    var isFinished: Bool { lock.withLock { outstanding == 0 } }

    /// The action that started the effects; nil if it is unknown or all effects have ended.
    var action: (any Sendable)? { lock.withLock { startingAction } }

    /// Records the action that will start the effects.
    @usableFromInline
    func note(_ action: any Sendable) { lock.withLock { startingAction = action } }

    /// Adds a job.
    func add(_ job: EffectJob) {
        let wasCancelled = lock.withLock {
            // In the order of registration, in which they are cancelled.
            if first == nil, others.isEmpty { first = job } else { others[ObjectIdentifier(job)] = job }
            return cancelled
        }
        // Ignored: it has no task yet.
        if wasCancelled { _ = job.cancel() }
    }

    /// Counts a started task, or the plan as a whole while it continues.
    func begin() { lock.withLock { outstanding += 1 } }

    /// Counts one more job, unless all have ended: a tracker ends only once.
    ///
    /// - Returns: `true` if it was counted.
    func beginIfUnfinished() -> Bool {
        lock.withLock {
            if outstanding > 0 { outstanding += 1 }
            return outstanding > 0
        }
    }

    /// Removes a job that has ended or will not run.
    func remove(_ job: EffectJob) {
        // Released after the lock: it may be the last reference to user values.
        let removed = lock.withLock { take(job) }
        withExtendedLifetime(removed) {}
    }

    /// Ends what ``begin()`` counted. The initializer counts one as well.
    ///
    /// - Parameter failure: The error that a job has ended with; nil if it ended without an error.
    /// - Returns: `true` if everything has ended and the caller must call ``tellEnd()`` outside the turn.
    @usableFromInline
    func end(failure: (any Error)? = nil) -> Bool {
        lock.withLock {
            if let failure, self.failure == nil { self.failure = failure }
            outstanding -= 1
            return outstanding == 0 && !(waiters.isEmpty && startingAction == nil)
        }
    }

    /// Resumes the waiting tasks after the end, and releases the action: a ``StoreTask`` may be retained for long, even
    /// by what the action contains. Called outside the turn.
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

    /// Marks all jobs as cancelled, whether they have begun or not. Only the first call has an effect; jobs that are
    /// added later are marked as they are added.
    ///
    /// - Returns: The jobs whose tasks must be cancelled by ``EffectJob/cancelTask()``.
    /// - Complexity: O(*n* log *n*), where *n* is the number of jobs; O(1) if it has been cancelled before.
    func cancel() -> [EffectJob] {
        let running: [EffectJob] = lock.withLock {
            guard !cancelled else { return [] }
            cancelled = true
            return (first.map { [$0] } ?? []) + others.inOrder
        }
        return running.filter { $0.cancel() }
    }

    /// Cancels all jobs, whether they have begun or not. A background task cancels their tasks, because cancellation
    /// handlers are user code.
    func cancelInBackground() { cancel().cancelTasksInBackground() }

    /// Waits until everything has ended, even if the calling task is cancelled.
    func waitUntilFinished(isolation: isolated (any Actor)? = #isolation) async { try? await waitDespiteCancellation() }

    /// Waits until everything has ended, even if the calling task is cancelled. Throws the first unhandled error.
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
        /// The shutdown of a store, requested by the effect. The effect belongs neither to that store nor to one of its
        /// children.
        case shutdown(EffectWaiter, TreeRoot)

        var tracker: EffectTracker? { if case .effects(let tracker) = self { tracker } else { nil } }
        var shutdown: EffectWaiter? { if case .shutdown(let waiter, _) = self { waiter } else { nil } }
    }

    /// Waits until everything has ended. Throws the first unhandled error, or a `CancellationError` if the calling task
    /// is cancelled first.
    ///
    /// - Parameter despiteCancellation: Whether to continue waiting if the calling task is cancelled.
    func finish(despiteCancellation: Bool = false, isolation: isolated (any Actor)? = #isolation) async throws {
        if let outcome = lock.withLock({ outcome }) { return try outcome.get() }
        // An effect whose body has returned waits for nothing, even if a task that it started does.
        guard let effect = EffectJob.current, !effect.isOver else { return try await waitForEnd(despiteCancellation) }
        let waiting = Array(effect.andAwaiters)
        for job in waiting { job.tracker.beginAwaiting(self, by: job) }
        defer {
            for job in waiting { job.tracker.endAwaiting(self, by: job) }
            // Shutdowns wait again for effects that no longer wait for their callers.
            if lock.withLock({ outcome == nil }) { Self.resumeShutdowns(ofEffectsHeldUpBy: waiting) }
        }
        // Checked after it has been recorded, so that of two trackers that come to wait for each other, one sees the
        // other.
        if awaits(anyOf: Set(waiting.map { ObjectIdentifier($0.tracker) })) { throw StoreError.awaitsItself }
        // The awaited effects may wait for a shutdown, which cannot wait for those that wait here.
        Self.resumeShutdowns(ofEffectsHeldUpBy: waiting)
        try await waitForEnd(despiteCancellation)
    }

    private static func resumeShutdowns(ofEffectsHeldUpBy jobs: [EffectJob]) {
        for root in stores(ofEffectsHeldUpBy: jobs) { root.inTurn { root.resumeShutdowns(awaitedBy: jobs) } }
    }

    /// Makes trees check again the shutdowns that did not wait for certain effects because these waited for `job`,
    /// whose body has returned.
    func resumeShutdowns(heldUpBy job: EffectJob) {
        let targets = lock.withLock { awaited.filter { $0.job === job }.map(\.target) }
        if targets.isEmpty { return }
        for case .shutdown(let waiter, let root) in targets { root.inTurn { root.resumeAfterCaller(waiter) } }
        Self.resumeShutdowns(ofEffectsHeldUpBy: [job])
    }

    /// Records that an effect shuts down a store of a tree, and belongs neither to that store nor to one of its
    /// children. Called within the turn of the tree.
    func beginAwaiting(_ waiter: EffectWaiter, in root: TreeRoot, by job: EffectJob) {
        lock.withLock { awaited.append((job, .shutdown(waiter, root))) }
        job.beginAwaitingOthers()
    }

    /// Removes one such shutdown. Called within the turn of the tree.
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

    /// Returns the trees whose effects cannot end before these, because they wait for them, directly or through others.
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
        // An effect whose body has returned waits for nothing, even if a task that it started does.
        lock.withLock { awaiting.isEmpty ? [] : awaiting.filter { !$0.isOver } }
    }

    /// Returns whether this is one of `others`, or has effects that wait for one of them, directly or through others.
    private func awaits(anyOf others: Set<ObjectIdentifier>) -> Bool {
        var seen: Set<ObjectIdentifier> = []
        var pending = [self]
        while let tracker = pending.popLast() {
            guard seen.insert(ObjectIdentifier(tracker)).inserted else { continue }
            if others.contains(ObjectIdentifier(tracker)) { return true }
            pending += tracker.lock.withLock {
                // An effect whose body has returned waits for nothing, even if a task that it started does.
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

    /// The outcome; nil if effects have not ended. Read under the lock.
    private var outcome: Result<Void, any Error>? {
        outstanding > 0 ? nil : failure.map { .failure($0) } ?? .success(())
    }

    /// Removes and returns a job. Called under the lock.
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
    /// Cancels the tasks of effects that are marked as cancelled, in a background task of their store.
    func cancelTasksInBackground() {
        for job in self {
            // An effect without a store has ended.
            if let root = job.host?.root { return root.cancelTasks(of: self) }
        }
    }
}

/// Holds the answer to a request until the dispatch of the request returns.
@usableFromInline
final class PendingAnswer: @unchecked Sendable {
    // Sound: both variables are touched only under `lock`. Their contents are released after it.
    private let lock = Lock()
    private var value: (any Sendable)?
    private var isTaken = false

    @usableFromInline
    init() {}

    /// Stores the answer unless there is one: the answer of the requested store takes precedence over those of its
    /// parents.
    func give(_ answer: any Sendable) {
        lock.withLock { if value == nil && !isTaken { value = answer } }
    }

    /// Removes and returns the answer, and ignores later ones. The effects of the request, which may run for long,
    /// retain this object. They must retain neither the answer nor the answers to their own actions.
    @usableFromInline
    func take() -> (any Sendable)? {
        lock.withLock {
            defer { value = nil }
            isTaken = true
            return value
        }
    }
}
