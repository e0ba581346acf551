import Synchronization

/// What a store keeps of its effects, made when the first one is asked for.
@usableFromInline
final class EffectAccount: @unchecked Sendable {
    // Sound: touched only in the turn.

    /// Which effects run.
    var machine = EffectMachine()

    /// Takes an effect off the account that has ended, and whose last action was reduced.
    func forget(_ handle: EffectHandle) { machine.forget(handle) }

    /// How many actions that reducers have asked to be sent wait in the mailbox; counted for children only, because the
    /// shutdown of a root looks until nothing more is reduced.
    var waitingReplies = 0

    /// Whether nothing is on hand besides some pieces of work.
    func isEmpty(except exceptions: HeldUpEffects) -> Bool {
        waitingReplies == 0 && machine.registry.isEmpty(except: exceptions)
    }
}

/// A store that runs effects, for those who know none of its actions.
@usableFromInline
protocol EffectOwner: AnyObject, Sendable {
    /// The tree that the store is part of.
    var root: TreeRoot { get }
    /// Its effects, if there ever were any. Set once, in the turn, and before the first of them begins.
    var effectAccount: EffectAccount? { get set }
    /// Whether its life is over. In the turn.
    var hasEnded: Bool { get }

    /// Takes note that an effect has ended. In the turn.
    func effectEnded()

    /// Puts an action into the mailbox that an effect has been asked to send. In the turn.
    func postReply(_ reply: EffectReply)
}

extension EffectOwner {
    /// Its effects. In the turn.
    var effects: EffectAccount {
        if let effectAccount { return effectAccount }
        let account = EffectAccount()
        if hasEnded { account.machine.close() }
        effectAccount = account
        return account
    }

    /// Takes on a piece of work that is the whole effect of an action. In the turn.
    @usableFromInline
    func takeOn(_ work: PlannedWork, joining tracker: EffectTracker?) -> EffectLaunch {
        takeOn { $0.begin(work, joining: tracker ?? root.joining) }
    }

    /// Takes on effects. In the turn.
    ///
    /// - Parameter begin: Begins them; it returns their tracker.
    func takeOn(_ begin: (inout EffectMachine) -> EffectTracker?) -> EffectLaunch {
        let effects = effects
        let root = root
        let before = effects.machine.registry.lastNumber
        let tracker = begin(&effects.machine)
        if root.mustCancelEffects(of: self) { effects.machine.cancelAll(after: before) }
        return EffectLaunch(collect(from: effects, root), tracker: tracker)
    }

    /// Cancels all effects; they end when their tasks have ended. In the turn.
    ///
    /// - Parameter spared: Those whose tasks go on.
    func cancelAllEffects(sparing spared: [EffectHandle] = []) {
        guard let effectAccount else { return }
        effectAccount.machine.cancelAll(sparing: spared)
        root.deferCancellations(of: effectAccount.machine.takeCancellations())
    }

    /// Cancels all effects but those that have shut the store down, and begins nothing more. In the turn.
    func closeEffects() {
        guard let effectAccount else { return }
        effectAccount.machine.close(sparing: root.callersOfShutdowns(of: self as? TreeNode))
        // Work that will not be done holds closures of reducers, which the one who ends the store knows nothing of.
        for object in effectAccount.machine.takeReleases() { root.deferred.abandon(object) }
        deferWork(of: effectAccount, root)
    }

    /// Posts the actions that effects want sent, and defers what else they want done.
    ///
    /// - Returns: the tasks that effects want started.
    private func collect(from effects: EffectAccount, _ root: TreeRoot) -> EffectStarts {
        for reply in effects.machine.takeReplies() { postReply(reply) }
        for failure in effects.machine.takeFailures() { root.report(failure) }
        deferWork(of: effects, root)
        let starts = effects.machine.takeStarts()
        if root.isInstrumented { root.tellBeginnings(of: starts, of: self) }
        return starts
    }

    /// Whether an action that a reducer has asked to be sent no longer counts, because the store has ended, or its effects
    /// are cancelled by a shutdown. In the turn.
    @usableFromInline
    func dropsReply() -> Bool {
        guard hasEnded || root.mustCancelEffects(of: self) else { return false }
        root.lateActions.add()
        return true
    }

    /// Whether the child that asked for an action to be sent has gone since, so that the action no longer counts.
    func isTooLate(_ origin: ReplyOrigin) -> Bool {
        guard !effects.machine.take(origin) else { return false }
        root.lateActions.add()
        return true
    }

    /// Starts the tasks of effects that nobody dispatched: they inherit neither task-locals nor a priority, because
    /// whose turn an action of `send` is reduced in is a matter of chance.
    @usableFromInline
    func startTasksDetached(_ launch: EffectLaunch) {
        let defaultPriority = root.configuration.priority
        startTasks(launch, of: defaultPriority ?? .medium) { job, executor in
            let priority = job.priority ?? defaultPriority
            guard let executor else { return Task.detached(priority: priority) { await job.run() } }
            return Task.detached(executorPreference: executor, priority: priority) { await job.run() }
        }
    }

    /// Starts the tasks of effects in the context of the calling task, whose task-locals and priority they inherit.
    @usableFromInline
    func startTasksInheriting(_ launch: EffectLaunch) {
        startTasks(launch, of: Task.currentPriority) { job, executor in
            guard let executor else { return Task(priority: job.priority) { await job.run() } }
            return Task(executorPreference: executor, priority: job.priority) { await job.run() }
        }
    }

    /// Starts the tasks of what follows an effect in the task of that, whose task-locals they inherit. They do not inherit
    /// its priority, which can be one that it alone has asked for.
    private func startTasks(_ launch: EffectLaunch, following job: EffectJob) {
        let wholePriority = TaskPriority(rawValue: job.priorityOfWhole)
        startTasks(launch, of: wholePriority) { job, executor in
            let priority = job.priority ?? wholePriority
            guard let executor else { return Task(priority: priority) { await job.run() } }
            return Task(executorPreference: executor, priority: priority) { await job.run() }
        }
    }

    /// - Parameters:
    ///   - wholePriority: The priority of the effect as a whole, which what follows the jobs will have. Asked for only if
    ///     something can follow.
    ///   - makeTask: Makes the task that runs a job. The executor is nil if there is no preference, because one that is nil
    ///     costs a task more than none.
    @inline(__always)
    private func startTasks(
        _ launch: EffectLaunch,
        of wholePriority: @autoclosure () -> TaskPriority,
        _ makeTask: (EffectJob, (any TaskExecutor)?) -> Task<Void, Never>
    ) {
        let root = root
        let defaultExecutor = root.configuration.executor
        var cancelled: [EffectHandle] = []
        launch.jobs.forEach { job in
            root.runningEffects.addRelaxed(1)
            job.prepare(for: self, of: root)
            if job.canBeginOthers { job.priorityOfWhole = wholePriority().rawValue }
            if job.attach(makeTask(job, job.executor ?? defaultExecutor)) { cancelled.append(job) }
        }
        root.cancelTasks(of: cancelled)
    }

    /// Ends an effect whose task has come to its end, and waits until that has been done in a turn; then starts what
    /// follows, in the context of the calling task.
    nonisolated(nonsending) func finish(_ job: EffectJob, failure: (any Error)?) async {
        let next = await root.perform { [self] in EffectLaunch(noteEnd(of: job, failure)) }
        startTasks(next, following: job)
    }

    /// Ends an effect whose task has come to its end, and after which nothing begins, in a turn.
    func end(_ job: EffectJob, failure: (any Error)?) {
        root.inTurn { [self] in root.deferStart(EffectLaunch(noteEnd(of: job, failure)), of: self) }
    }

    /// The end of an effect, for all that wait for it. In the turn.
    ///
    /// - Returns: The tasks of those that begin after it.
    private func noteEnd(of job: EffectJob, _ failure: (any Error)?) -> EffectStarts {
        let root = root
        root.runningEffects.subtractRelaxed(1)
        // In this order, so that an instrument that records the end finds the error.
        if let failure { root.report(failure, of: job) }
        job.told?.end(isCancelled: job.isTaskCancelled, failure: failure)
        let effects = effects
        effects.machine.end(job, failure: failure)
        let next = collect(from: effects, root)
        effectEnded()
        root.resumeEffectWaiters(of: self as? TreeNode)
        return next
    }

    private func deferWork(of effects: EffectAccount, _ root: TreeRoot) {
        root.deferCancellations(of: effects.machine.takeCancellations())
        for end in effects.machine.takeEnds() { root.deferAnswer(.end(end)) }
        for admission in effects.machine.takeAdmissions() { root.deferAnswer(.other { admission.open() }) }
        for object in effects.machine.takeReleases() { root.deferred.add { $0.retired.append(object) } }
    }
}

extension TreeRoot {
    /// Publishes an error. In the turn.
    final func report(_ failure: StoreFailure) {
        guard let older = failures.report(failure) else { return }
        older.reportAsIssue()
        retire(older)
    }

    /// Publishes an error of an effect. In the turn.
    final func report(_ error: any Error, of handle: EffectHandle) {
        report(StoreFailure(error, of: handle))
    }

    /// Whether the effect that sent an action has been cancelled since, so that the action no longer counts; or whether the
    /// child has gone that the action takes away, if it does.
    @usableFromInline
    final func isLate(_ handle: EffectHandle, isDismissal: Bool = false) -> Bool {
        guard handle.isCancelled || isDismissal && handle.isPresentationOver else { return false }
        lateActions.add()
        return true
    }
}

extension StoreFailure {
    /// An error of an effect.
    init(_ error: any Error, of handle: EffectHandle) {
        self.init(error: error, origin: .effect(id: handle.id, at: handle.source), action: handle.tracker.action)
    }
}
