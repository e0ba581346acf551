/// The work that a turn leaves for after it has been passed on: everything that is not needed to decide what the state
/// is, because it takes long or can run user code.
@usableFromInline
struct DeferredWork: @unchecked Sendable {
    // Sound: it is created in the turn, and performed once, by the thread that has passed the turn on, or by one task.
    // What it holds is either Sendable or accessed by nothing else from then on.

    /// The answers for dispatchers and other waiting tasks.
    @usableFromInline var answers = ShortList<Answer>()
    /// The waiting observers that have something new to receive.
    @usableFromInline var wakeUps = ShortList<Waiter>()
    /// The effects whose tasks are to be started.
    @usableFromInline var starts = PendingJobs()
    /// The effects whose tasks are to be cancelled.
    @usableFromInline var cancellations: [EffectJob] = []
    /// Values of the engine that are released after the turn has been passed on.
    @usableFromInline var retired = ShortList<AnyObject>()

    /// The work of a background task.
    @usableFromInline var background: BackgroundWork?

    init() {}

    /// The number of wake-ups above which a background task does them.
    @usableFromInline static var manyWakeUps: Int { 64 }

    /// Performs the work. The caller has passed the turn on.
    ///
    /// - Parameter root: The tree whose turn has left the work.
    @usableFromInline
    func perform(for root: TreeRoot) {
        answers.forEach { $0.give() }
        if wakeUps.count > Self.manyWakeUps {
            root.runInBackground { [wakeUps] in for waiter in wakeUps { waiter.resume() } }
        } else {
            wakeUps.forEach { $0.resume() }
        }
        // Before the cancellations, because an effect is started before it is cancelled.
        starts.start(.detached)
        root.cancelTasks(of: cancellations)
        if let background { root.runInBackground { background.perform() } }
    }
}

/// The work of a background task after the turn has been passed on. An object that the task empties, so that the thread
/// that owned the turn holds nothing of its contents, and releases none of them.
@usableFromInline
final class BackgroundWork: @unchecked Sendable {
    // Sound: it is filled in the turn, and performed once, by one task.

    /// Calls of user code because of something that happened in the turn.
    fileprivate var calls = ShortList<() -> Void>()
    /// Values that users provided, such as closures, and that are released because the store has ended. The caller that
    /// ends the store may hold locks that their deinitialisers take.
    fileprivate var abandoned = ShortList<AnyObject>()

    fileprivate func perform() {
        for call in calls { call() }
        calls = ShortList()
        abandoned = ShortList()
    }
}

/// The deferred work of a tree's turns, until the turn is passed on. Created when there is something to defer.
@usableFromInline
final class DeferredWorkList: @unchecked Sendable {
    // Sound: accessed only by the owner of the turn.
    @exclusivity(unchecked) @usableFromInline var work = DeferredWork()
    @exclusivity(unchecked) @usableFromInline var isEmpty = true
    /// Whether anything waits for the work. Releases alone are not awaited.
    @exclusivity(unchecked) @usableFromInline var isAwaited = false
    private let executor: (any TaskExecutor)?

    /// Creates an empty list.
    ///
    /// - Parameter executor: The executor of the tree's background tasks.
    @usableFromInline
    init(executor: (any TaskExecutor)?) { self.executor = executor }

    @inlinable
    func add(_ change: (inout DeferredWork) -> Void) {
        isEmpty = false
        isAwaited = true
        change(&work)
    }

    /// Releases a value after the turn has been passed on.
    @inlinable
    func retire<Value>(_ value: consuming Value) {
        // A value that refers to nothing can be released anywhere.
        if _isPOD(Value.self) { return }
        let retired = Retired(value)
        isEmpty = false
        work.retired.append(retired)
        if work.retired.count >= Self.manyRetired { releaseRetired() }
    }

    /// The number of values at which a background task releases them at once: the turn of a long batch must not keep a
    /// former state for each of its actions.
    @usableFromInline static var manyRetired: Int { 256 }

    @usableFromInline
    func releaseRetired() {
        let background = BackgroundWork()
        swap(&background.abandoned, &work.retired)
        Task.detached(executorPreference: executor) { background.perform() }
    }

    /// Releases a value in a background task.
    func abandon<Value>(_ value: consuming Value) { background.abandoned.append(Retired(value)) }

    /// The work of a background task, created when needed.
    fileprivate var background: BackgroundWork {
        if let background = work.background { return background }
        let background = BackgroundWork()
        add { $0.background = background }
        return background
    }

    /// Removes and returns all work.
    @usableFromInline
    func take() -> DeferredWork {
        var taken = DeferredWork()
        swap(&taken, &work)
        isEmpty = true
        isAwaited = false
        return taken
    }

    /// Puts back work that was taken, because the turn could not be passed on.
    @usableFromInline
    func putBack(_ taken: DeferredWork) {
        work = taken
        isEmpty = false
        isAwaited = true
    }
}

extension Promise {
    /// Fulfils the promise, unless it already has a value. The waiting task resumes after the turn has been passed on.
    /// Called within the turn.
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
    /// The work that this turn defers. Used within the turn.
    @usableFromInline final var deferred: DeferredWorkList {
        lazyDeferred.load() ?? lazyDeferred.storeIfNil(DeferredWorkList(executor: configuration.executor))
    }

    /// Whether any work waits until the turn is passed on. Used within the turn.
    @inlinable final var hasDeferredWork: Bool {
        guard let list = lazyDeferred.load() else { return false }
        return !list.isEmpty
    }

    /// Whether anything waits for the deferred work. Used within the turn.
    @inlinable final var hasAwaitedWork: Bool { lazyDeferred.load()?.isAwaited ?? false }

    // Separate, so that callers in other modules contain no code that takes the work apart.
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

    /// Passes the turn on, and then performs the deferred work. The caller owns the turn and does not write.
    ///
    /// - Parameter passOn: Passes the turn on, and returns whether it did.
    /// - Returns: The result of `passOn`.
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

    /// Removes and returns the deferred work. Called within the turn.
    final func takeDeferredWork() -> DeferredWork? {
        guard let list = lazyDeferred.load(), !list.isEmpty else { return nil }
        return list.take()
    }

    /// Starts the tasks of effects that are not awaited, after the turn has been passed on. Called within the turn.
    @usableFromInline
    final func deferStart(_ pending: PendingTasks) {
        if pending.isNeeded { deferred.add { work in pending.jobs.forEach { work.starts.append($0) } } }
    }

    /// Gives an answer after the turn has been passed on. Called within the turn.
    @usableFromInline
    final func deferAnswer(_ answer: Answer) { deferred.add { $0.answers.append(answer) } }

    /// Releases a value after the turn has been passed on. Called within the turn.
    @inlinable
    final func retire<Value>(_ value: Value) {
        if !_isPOD(Value.self) { deferred.retire(value) }
    }

    /// Calls user code in a background task after the turn has been passed on. Called within the turn.
    final func deferCall(_ call: @escaping () -> Void) { deferred.background.calls.append(call) }

    /// Runs a closure in a background task of the store.
    final func runInBackground(_ body: @escaping @Sendable () -> Void) {
        Task.detached(executorPreference: configuration.executor, priority: configuration.priority) { body() }
    }

    /// Cancels the tasks of effects, never on the calling thread: their cancellation handlers are user code, which may
    /// take long, or wait for a lock that the caller holds. The priority is high, because effects that run until they
    /// are cancelled must not delay it.
    final func cancelTasks(of jobs: [EffectJob]) {
        // In groups, so that a handler that blocks delays few others.
        for start in stride(from: 0, to: jobs.count, by: 64) {
            let some = jobs[start..<min(start + 64, jobs.count)]
            Task.detached(executorPreference: configuration.executor, priority: .high) {
                for job in some { job.cancelTask() }
            }
        }
    }
}
