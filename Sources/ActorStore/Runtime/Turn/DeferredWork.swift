/// What a turn leaves to be done when it has been passed on: everything that is not needed to decide what the state is,
/// because it takes long, or can run code of users.
@usableFromInline
struct DeferredWork: @unchecked Sendable {
    // Sound: it is made in the turn, and performed once, by the thread that has passed the turn on, or by one task.
    // What it holds is either Sendable or touched by nobody else from then on.

    /// Dispatchers and others that wait for a result.
    @usableFromInline var answers = ShortList<Answer>()
    /// Observers that wait for something new.
    @usableFromInline var wakeUps = ShortList<Waiter>()
    /// Effects whose tasks are to be started.
    @usableFromInline var starts = PendingJobs()
    /// Effects whose tasks are to be cancelled.
    @usableFromInline var cancellations: [EffectJob] = []
    /// What the engine has held, and releases when the turn has been passed on.
    @usableFromInline var retired = ShortList<AnyObject>()

    /// What a background task does.
    @usableFromInline var background: BackgroundWork?

    init() {}

    /// With how many wake-ups they are left to a background task.
    @usableFromInline static var manyWakeUps: Int { 64 }

    /// Does it. The caller has passed the turn on.
    ///
    /// - Parameter root: The tree in whose turn it came up.
    @usableFromInline
    func perform(for root: TreeRoot) {
        answers.forEach { $0.give() }
        if wakeUps.count > Self.manyWakeUps {
            root.runInBackground { [wakeUps] in for waiter in wakeUps { waiter.resume() } }
        } else {
            wakeUps.forEach { $0.resume() }
        }
        // Before the cancellations: an effect is started before it is cancelled.
        starts.start(.detached)
        root.cancelTasks(of: cancellations)
        if let background { root.runInBackground { background.perform() } }
    }
}

/// What a background task does when the turn has been passed on. An object, which the task empties, so that the thread
/// that has had the turn holds nothing of its contents, and releases none of them.
@usableFromInline
final class BackgroundWork: @unchecked Sendable {
    // Sound: it is filled in the turn, and performed once, by one task.

    /// Code of users that is to be told of something that has happened in the turn.
    fileprivate var calls = ShortList<() -> Void>()
    /// What others have handed in, such as closures, and is released because the store has ended: the one who ends it
    /// may hold locks that their deinitialisers take.
    fileprivate var abandoned = ShortList<AnyObject>()

    fileprivate func perform() {
        for call in calls { call() }
        calls = ShortList()
        abandoned = ShortList()
    }
}

/// The deferred work of a tree's turns, until the turn is passed on. Made when there is something to defer.
@usableFromInline
final class DeferredWorkList: @unchecked Sendable {
    // Sound: touched only by the owner of the turn.
    @exclusivity(unchecked) @usableFromInline var work = DeferredWork()
    @exclusivity(unchecked) @usableFromInline var isEmpty = true
    /// Whether anybody waits for some of it. Releases alone are awaited by nobody.
    @exclusivity(unchecked) @usableFromInline var isAwaited = false
    private let executor: (any TaskExecutor)?

    /// - Parameter executor: Where a background task of the tree runs.
    @usableFromInline
    init(executor: (any TaskExecutor)?) { self.executor = executor }

    @inlinable
    func add(_ change: (inout DeferredWork) -> Void) {
        isEmpty = false
        isAwaited = true
        change(&work)
    }

    /// Has a value released when the turn has been passed on.
    @inlinable
    func retire<Value>(_ value: consuming Value) {
        // What refers to nothing can be released anywhere.
        if _isPOD(Value.self) { return }
        let retired = Retired(value)
        isEmpty = false
        work.retired.append(retired)
        if work.retired.count >= Self.manyRetired { releaseRetired() }
    }

    /// With how many values to release they are left to a background task at once: the turn of a long batch must not
    /// keep a former state for each of its actions.
    @usableFromInline static var manyRetired: Int { 256 }

    @usableFromInline
    func releaseRetired() {
        let background = BackgroundWork()
        swap(&background.abandoned, &work.retired)
        Task.detached(executorPreference: executor) { background.perform() }
    }

    /// Has a value released by a background task.
    func abandon<Value>(_ value: consuming Value) { background.abandoned.append(Retired(value)) }

    /// What a background task is to do.
    fileprivate var background: BackgroundWork {
        if let background = work.background { return background }
        let background = BackgroundWork()
        add { $0.background = background }
        return background
    }

    /// Takes all out.
    @usableFromInline
    func take() -> DeferredWork {
        var taken = DeferredWork()
        swap(&taken, &work)
        isEmpty = true
        isAwaited = false
        return taken
    }

    /// Puts back what was taken out, because the turn could not be passed on.
    @usableFromInline
    func putBack(_ taken: DeferredWork) {
        work = taken
        isEmpty = false
        isAwaited = true
    }
}

extension Promise {
    /// Gives the value, unless somebody was first; the task that waits goes on when the turn has been passed on. In the
    /// turn.
    @usableFromInline
    func settle(_ value: Value, deferringTo deferred: DeferredWorkList) {
        guard let waiter = take(value) else { return }
        deferred.add { $0.answers.append(.other { waiter.resume(returning: value) }) }
    }
}

/// Holds a value until it is released.
@usableFromInline
final class Retired<Value> {
    @usableFromInline let value: Value

    @inlinable
    init(_ value: consuming Value) { self.value = value }
}

extension TreeRoot {
    /// The work that this turn leaves to be done. In the turn.
    @usableFromInline final var deferred: DeferredWorkList {
        lazyDeferred.load() ?? lazyDeferred.storeIfNil(DeferredWorkList(executor: configuration.executor))
    }

    /// Whether anything waits until the turn is passed on. In the turn.
    @inlinable final var hasDeferredWork: Bool {
        guard let list = lazyDeferred.load() else { return false }
        return !list.isEmpty
    }

    /// Whether anybody waits for something that is done when the turn is passed on. In the turn.
    @inlinable final var hasAwaitedWork: Bool { lazyDeferred.load()?.isAwaited ?? false }

    // Apart, so that callers in other modules need not know how to take the work apart.
    @usableFromInline
    final func endTurnWithWorkUnlessPending() -> Bool {
        performDeferredWork { parkIfSuspended() || gate.endUnlessPending() }
    }

    /// Parks the turn if an observer suspends the store; see ``endTurnUnlessPending()``.
    @usableFromInline
    final func passOnByParking() -> Bool {
        guard sharedSuspension.load()?.isHeld == true else { return false }
        return performDeferredWork { parkIfSuspended() }
    }

    /// Does the deferred work when the turn has been passed on. The caller owns the turn and does not write.
    ///
    /// - Parameter passOn: Passes the turn on, and returns whether it did.
    /// - Returns: The same.
    @discardableResult
    final func performDeferredWork(after passOn: () -> Bool) -> Bool {
        guard let work = takeDeferredWork() else { return passOn() }
        guard passOn() else {
            deferred.putBack(work)
            return false
        }
        work.perform(for: self)
        return true
    }

    /// Takes out what is to be done when the turn has been passed on. In the turn.
    final func takeDeferredWork() -> DeferredWork? {
        guard let list = lazyDeferred.load(), !list.isEmpty else { return nil }
        return list.take()
    }

    /// Has the tasks of effects started that nobody awaits. In the turn.
    @usableFromInline
    final func deferStart(_ pending: PendingTasks) {
        if pending.isNeeded { deferred.add { work in pending.jobs.forEach { work.starts.append($0) } } }
    }

    /// Has an answer given. In the turn.
    @usableFromInline
    final func deferAnswer(_ answer: Answer) { deferred.add { $0.answers.append(answer) } }

    /// Has a value released when the turn has been passed on. In the turn.
    @inlinable
    final func retire<Value>(_ value: Value) {
        if !_isPOD(Value.self) { deferred.retire(value) }
    }

    /// Has user code called. In the turn.
    final func deferCall(_ call: @escaping () -> Void) { deferred.background.calls.append(call) }

    /// Runs something in a task of the store's own.
    final func runInBackground(_ body: @escaping @Sendable () -> Void) {
        Task.detached(executorPreference: configuration.executor, priority: configuration.priority) { body() }
    }

    /// Cancels the tasks of effects, never on the calling thread: their cancellation handlers are user code, which may
    /// take long, or wait for a lock that the caller holds. Of a high priority, because effects that go on until they
    /// are cancelled must not keep it waiting.
    final func cancelTasks(of jobs: [EffectJob]) {
        // Some at a time, so that a handler that blocks holds up few others.
        for start in stride(from: 0, to: jobs.count, by: 64) {
            let some = jobs[start..<min(start + 64, jobs.count)]
            Task.detached(executorPreference: configuration.executor, priority: .high) {
                for job in some { job.cancelTask() }
            }
        }
    }
}
