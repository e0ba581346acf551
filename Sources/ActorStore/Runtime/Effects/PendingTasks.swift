/// The effects of an action, of one store or of several on the way up a tree: the tasks to start when the turn is over,
/// and what the dispatcher awaits.
@usableFromInline
struct PendingTasks: Sendable {
    @usableFromInline var jobs: PendingJobs
    /// What the action's ``StoreTask`` holds on to; nil if there is nothing to wait for.
    @usableFromInline var tracker: EffectTracker?

    @inlinable
    init() { self.init(PendingJobs()) }

    @inlinable
    init(_ jobs: PendingJobs, tracker: EffectTracker? = nil) {
        self.jobs = jobs
        self.tracker = tracker
    }

    /// Whether there is anything to start.
    @inlinable var isNeeded: Bool { !jobs.isEmpty }

    /// Adds the effects that the action has in another store.
    @usableFromInline
    mutating func add(_ other: PendingTasks) {
        tracker = other.tracker ?? tracker
        if jobs.isEmpty { jobs = other.jobs } else { other.jobs.forEach { jobs.append($0) } }
    }
}

/// Effects whose tasks are to be started, in order.
@usableFromInline typealias PendingJobs = ShortList<EffectJob>

/// What a dispatcher learns of its action.
@usableFromInline typealias DispatchResult = Result<PendingTasks, StoreError>

extension PendingTasks {
    /// From where a task gets what its effect does not say.
    @usableFromInline
    enum Context: Sendable {
        /// The calling task, whose task-locals and priority it inherits.
        case inheriting
        /// Nowhere: of whose turn an action of `send` is a part is a matter of chance.
        case detached
        /// The task of the effect that it follows, whose task-locals it inherits. Not its priority, which can be one
        /// that it alone has asked for.
        case following(EffectJob)
    }

    /// Starts the tasks. Out of the turn.
    @usableFromInline
    func start(_ context: Context) { jobs.start(context) }
}

extension PendingJobs {
    /// Starts the tasks. Out of the turn.
    func start(_ context: PendingTasks.Context) {
        if isEmpty { return }
        var cancelled: [EffectJob] = []
        forEach { job in if job.startTask(context) { cancelled.append(job) } }
        if !cancelled.isEmpty { cancelled.cancelTasksInBackground() }
    }
}

// MARK: The task of an effect

extension EffectJob {
    /// Records in the turn which store is about to start its task.
    func prepare(for host: any StoreNode) {
        currentHost = host
        droppedFeedback = host.root.droppedFeedback
    }

    /// Takes the store out, because it no longer runs it.
    private func takeHost() -> (any StoreNode)? {
        lock.withLock {
            defer { currentHost = nil }
            return currentHost
        }
    }

    /// - Returns: Whether the task has still to be cancelled.
    fileprivate func startTask(_ context: PendingTasks.Context) -> Bool {
        guard let root = currentHost?.root else { preconditionFailure("The effect is started by no store.") }
        let configuration = root.configuration
        root.runningEffects.addRelaxed(1)
        let executor = options.executor ?? configuration.executor
        switch context {
        case .inheriting:
            // What a task inherits; its current priority can be that of one who waits for it.
            if canBeginOthers { priorityOfWhole = (Task.basePriority ?? Task.currentPriority).rawValue }
            return attach(makeTask(options.priority, executor))
        case .following(let job):
            priorityOfWhole = job.priorityOfWhole
            return attach(makeTask(options.priority ?? TaskPriority(rawValue: job.priorityOfWhole), executor))
        case .detached:
            if canBeginOthers { priorityOfWhole = (configuration.priority ?? .medium).rawValue }
            let priority = options.priority ?? configuration.priority
            // An executor that is nil costs a task more than none.
            guard let executor else { return attach(Task.detached(priority: priority) { await self.run() }) }
            return attach(Task.detached(executorPreference: executor, priority: priority) { await self.run() })
        }
    }

    /// A task that inherits the task-locals of the calling one, and its priority unless one is given.
    private func makeTask(_ priority: TaskPriority?, _ executor: (any TaskExecutor)?) -> Task<Void, Never> {
        guard let executor else { return Task(priority: priority) { await self.run() } }
        return Task(executorPreference: executor, priority: priority) { await self.run() }
    }

    /// Notes the task that does the work, which may have been cancelled, or even have ended, before it came to this.
    ///
    /// - Returns: Whether the task has still to be cancelled, by ``cancelTask()``.
    private func attach(_ task: Task<Void, Never>) -> Bool {
        self.task = task
        // Pairs with `cancel` and `spare`.
        return EffectWord(bits: word.bitwiseOrAcquiringAndReleasing(EffectWord.attached).oldValue).isTaskCancelled
    }

    /// What its task does. The task's closure calls it directly: each closure in between would cost every effect a
    /// frame.
    func run(isolation: isolated (any Actor)? = #isolation) async {
        var failure: (any Error)?
        if wait == nil ? !isCancelled : await endOfWait(), !isGroup, let work {
            effectBodies.addRelaxed(1)
            failure = await CurrentEffect.$effect.withValue(self) { await work(self) }
            effectBodies.subtractRelaxed(1)
        }
        await finish(failure)
    }

    /// - Returns: Whether the work is to be done, after what it had to wait for.
    private func endOfWait(isolation: isolated (any Actor)? = #isolation) async -> Bool {
        if !isCancelled, let wait { await wait() }
        // A group waits until the turn in which its members begin, and can give way or be cancelled until then.
        return !isGroup && endWaiting()
    }

    /// Brings the end of the work before the store's turn, which is where it ends for all that wait for it.
    private func finish(_ failure: (any Error)?, isolation: isolated (any Actor)? = #isolation) async {
        if !isGroup {
            // A task that the body has started may still wait for others. That no longer holds any effect up.
            if endBody() { tracker.resumeShutdowns(heldUpBy: self) }
            // With everything that its closures hold.
            takeContent()
        }
        guard let host = takeHost() else { return }
        if canBeginOthers {
            await host.finish(self, failure: failure)
        } else {
            host.end(self, failure: failure)
        }
    }
}

/// What a piece of work waits for before it begins.
enum EffectWait: Sendable {
    case time(@Sendable () async throws -> Void)
    case gate(AsyncGate)

    /// Waits for a time that counts from now on, and not from when the task comes to it.
    static func time(_ duration: Duration, _ clock: any Clock<Duration>) -> EffectWait {
        func wait<C: Clock<Duration>>(on clock: C) -> EffectWait {
            let end = clock.now.advanced(by: duration.boundedWait)
            return .time { try await clock.sleep(until: end, tolerance: nil) }
        }
        return wait(on: clock)
    }

    /// Returns when it is over, or the task is cancelled.
    func callAsFunction(isolation: isolated (any Actor)? = #isolation) async {
        switch self {
        case .time(let sleep): try? await sleep()
        case .gate(let gate): await gate.wait()
        }
    }
}

/// Lets the task of an effect begin that has to wait its turn in a queue of effects.
final class AsyncGate: @unchecked Sendable {
    // Sound: both variables are touched only under `lock`.
    private let lock = Lock()
    private var isOpen = false
    private var waiter: UnsafeContinuation<Void, Never>?

    /// Returns when it is open, or the task is cancelled.
    func wait(isolation: isolated (any Actor)? = #isolation) async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isOpen = lock.withLock {
                    if !self.isOpen { waiter = continuation }
                    return self.isOpen
                }
                if isOpen { continuation.resume() }
            }
        } onCancel: {
            open()
        }
    }

    func open() {
        let waiter = lock.withLock {
            isOpen = true
            defer { self.waiter = nil }
            return self.waiter
        }
        waiter?.resume()
    }
}
