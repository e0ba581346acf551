/// The effects of an action, of one store or of several up the tree: the tasks to start after the turn, and what the
/// dispatcher awaits.
@usableFromInline
struct PendingTasks: Sendable {
    @usableFromInline var jobs: PendingJobs
    /// What the action's ``StoreTask`` retains; nil if there is nothing to wait for.
    @usableFromInline var tracker: EffectTracker?

    @inlinable
    init() { self.init(PendingJobs()) }

    @inlinable
    init(_ jobs: PendingJobs, tracker: EffectTracker? = nil) {
        self.jobs = jobs
        self.tracker = tracker
    }

    /// Whether there are tasks to start.
    @inlinable var isNeeded: Bool { !jobs.isEmpty }

    /// Adds the action's effects in another store.
    @usableFromInline
    mutating func add(_ other: PendingTasks) {
        tracker = other.tracker ?? tracker
        if jobs.isEmpty { jobs = other.jobs } else { other.jobs.forEach { jobs.append($0) } }
    }
}

/// Effects whose tasks are to be started, in order.
@usableFromInline typealias PendingJobs = ShortList<EffectJob>

/// The result of an action for its dispatcher.
@usableFromInline typealias DispatchResult = Result<PendingTasks, StoreError>

extension PendingTasks {
    /// The source of what a task inherits unless its effect sets it.
    @usableFromInline
    enum Context: Sendable {
        /// The calling task: its task-locals and priority are inherited.
        case inheriting
        /// No source: which thread's turn reduces an action of `send` is not deterministic.
        case detached
        /// The task of the effect that it follows: its task-locals are inherited. Its priority is not, because that
        /// effect may have set its own.
        case following(EffectJob)
    }

    /// Starts the tasks. Called outside the turn.
    @usableFromInline
    func start(_ context: Context) { jobs.start(context) }
}

extension PendingJobs {
    /// Starts the tasks. Called outside the turn.
    func start(_ context: PendingTasks.Context) {
        if isEmpty { return }
        var cancelled: [EffectJob] = []
        forEach { job in if job.startTask(context) { cancelled.append(job) } }
        if !cancelled.isEmpty { cancelled.cancelTasksInBackground() }
    }
}

// MARK: The task of an effect

extension EffectJob {
    /// Records, within the turn, which store will start the task.
    func prepare(for host: any StoreNode) {
        currentHost = host
        droppedFeedback = host.root.droppedFeedback
    }

    /// Removes and returns the store, which no longer runs this.
    private func takeHost() -> (any StoreNode)? {
        lock.withLock {
            defer { currentHost = nil }
            return currentHost
        }
    }

    /// - Returns: `true` if the task must be cancelled.
    fileprivate func startTask(_ context: PendingTasks.Context) -> Bool {
        guard let root = currentHost?.root else { preconditionFailure("An effect is started without a store.") }
        let configuration = root.configuration
        root.runningEffects.addRelaxed(1)
        let executor = options.executor ?? configuration.executor
        switch context {
        case .inheriting:
            // The priority that a task inherits; the current one can be escalated by a task that waits for this.
            if canBeginOthers { priorityOfWhole = (Task.basePriority ?? Task.currentPriority).rawValue }
            return attach(makeTask(options.priority, executor))
        case .following(let job):
            priorityOfWhole = job.priorityOfWhole
            return attach(makeTask(options.priority ?? TaskPriority(rawValue: job.priorityOfWhole), executor))
        case .detached:
            if canBeginOthers { priorityOfWhole = (configuration.priority ?? .medium).rawValue }
            let priority = options.priority ?? configuration.priority
            // Passing a nil executor costs a task more than passing no executor.
            guard let executor else { return attach(Task.detached(priority: priority) { await self.run() }) }
            return attach(Task.detached(executorPreference: executor, priority: priority) { await self.run() })
        }
    }

    /// Creates a task that inherits the task-locals of the calling task, and its priority unless one is given.
    private func makeTask(_ priority: TaskPriority?, _ executor: (any TaskExecutor)?) -> Task<Void, Never> {
        guard let executor else { return Task(priority: priority) { await self.run() } }
        return Task(executorPreference: executor, priority: priority) { await self.run() }
    }

    /// Stores the task, which may have been cancelled, or even have ended, before this runs.
    ///
    /// - Returns: `true` if the task must be cancelled by ``cancelTask()``.
    private func attach(_ task: Task<Void, Never>) -> Bool {
        self.task = task
        // Pairs with `cancel` and `spare`.
        return EffectWord(bits: word.bitwiseOrAcquiringAndReleasing(EffectWord.attached).oldValue).isTaskCancelled
    }

    /// The body of the task. The task's closure calls it directly: each closure in between would add a frame to every
    /// effect.
    func run(isolation: isolated (any Actor)? = #isolation) async {
        var failure: (any Error)?
        if wait == nil ? !isCancelled : await endOfWait(), !isGroup, let work {
            effectBodies.addRelaxed(1)
            failure = await CurrentEffect.$effect.withValue(self) { await work(self) }
            effectBodies.subtractRelaxed(1)
        }
        await finish(failure)
    }

    /// - Returns: `true` if the work is to be done after its wait.
    private func endOfWait(isolation: isolated (any Actor)? = #isolation) async -> Bool {
        if !isCancelled, let wait { await wait() }
        // A group waits until the turn in which its members begin, and can yield or be cancelled until then.
        return !isGroup && endWaiting()
    }

    /// Ends the job within the store's turn, which is its end for everything that waits for it.
    private func finish(_ failure: (any Error)?, isolation: isolated (any Actor)? = #isolation) async {
        if !isGroup {
            // A task that the body has started may still wait for others. It no longer holds up any effect.
            if endBody() { tracker.resumeShutdowns(heldUpBy: self) }
            // Releases everything that the closures of the work have captured.
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

/// What a job waits for before it begins.
enum EffectWait: Sendable {
    case time(@Sendable () async throws -> Void)
    case gate(AsyncGate)

    /// Returns a wait that is timed from now, not from when the task reaches it.
    static func time(_ duration: Duration, _ clock: any Clock<Duration>) -> EffectWait {
        func wait<C: Clock<Duration>>(on clock: C) -> EffectWait {
            let end = clock.now.advanced(by: duration.boundedWait)
            return .time { try await clock.sleep(until: end, tolerance: nil) }
        }
        return wait(on: clock)
    }

    /// Returns when the wait is over, or the task is cancelled.
    func callAsFunction(isolation: isolated (any Actor)? = #isolation) async {
        switch self {
        case .time(let sleep): try? await sleep()
        case .gate(let gate): await gate.wait()
        }
    }
}

/// Suspends the task of an effect until the effect may leave its queue.
final class AsyncGate: @unchecked Sendable {
    // Sound: both variables are touched only under `lock`.
    private let lock = Lock()
    private var isOpen = false
    private var waiter: UnsafeContinuation<Void, Never>?

    /// Returns when the gate is open, or the task is cancelled.
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
