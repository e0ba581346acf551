/// The effects of an action, of one store or of several on the way up a tree: the tasks to start when the turn is over, and
/// what the dispatcher awaits.
@usableFromInline
struct EffectLaunch: Sendable {
    @usableFromInline var jobs: EffectStarts
    /// What the action's ``StoreTask`` holds on to; nil if there is nothing to wait for.
    @usableFromInline var tracker: EffectTracker?

    @inlinable
    init() { self.init(EffectStarts()) }

    @inlinable
    init(_ jobs: EffectStarts, tracker: EffectTracker? = nil) {
        self.jobs = jobs
        self.tracker = tracker
    }

    /// Whether there is anything to start.
    @inlinable var isNeeded: Bool { !jobs.isEmpty }

    /// Adds the effects that the action has in another store.
    @usableFromInline
    mutating func add(_ other: EffectLaunch) {
        tracker = other.tracker ?? tracker
        if jobs.isEmpty { jobs = other.jobs } else { other.jobs.forEach { jobs.append($0) } }
    }
}

/// Effects whose tasks are to be started, in order.
@usableFromInline typealias EffectStarts = ShortList<EffectJob>

/// What a dispatcher learns of its action.
@usableFromInline typealias DispatchResult = Result<EffectLaunch, StoreError>

extension EffectLaunch {
    /// From where a task gets what its effect does not say.
    @usableFromInline
    enum Context: Sendable {
        /// The calling task, whose task-locals and priority it inherits.
        case inheriting
        /// Nowhere: of whose turn an action of `send` is a part is a matter of chance.
        case detached
        /// The task of the effect that it follows, whose task-locals it inherits. Not its priority, which can be one that it
        /// alone has asked for.
        case following(EffectJob)
    }

    /// Starts the tasks. Out of the turn.
    @usableFromInline
    func start(_ context: Context) { jobs.start(context) }
}

extension EffectStarts {
    /// Starts the tasks. Out of the turn.
    func start(_ context: EffectLaunch.Context) {
        if isEmpty { return }
        var cancelled: [EffectJob] = []
        forEach { job in if job.startTask(context) { cancelled.append(job) } }
        if !cancelled.isEmpty { cancelled.cancelTasksInBackground() }
    }
}

extension EffectJob {
    /// - Returns: Whether the task has still to be cancelled.
    fileprivate func startTask(_ context: EffectLaunch.Context) -> Bool {
        guard let root = hostBeforeStart?.root else { preconditionFailure("The effect is started by no store.") }
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
}
