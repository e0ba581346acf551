import Synchronization

/// A store that runs effects: a root or a child.
protocol EffectHost: AnyObject, Sendable {
    associatedtype Action: Sendable

    /// The tree that the store is part of.
    var root: TreeRoot { get }
    /// Its effects, if there were any. In the turn.
    var effectAccount: EffectAccount<Action>? { get set }
    /// Whether its life is over. In the turn.
    var hasEnded: Bool { get }

    /// Puts actions into the mailbox that effects have been asked to send. In the turn.
    func postReplies(_ replies: [EffectReply<Action>])

    /// Puts an action into the mailbox that a running effect sends.
    func postFeedback(_ action: Action, from handle: EffectHandle) -> SendOutcome

    /// Takes note that an effect has ended. In the turn.
    func effectEnded()

    /// Takes note that reducers were attached or detached. In the turn.
    func updateAttachments()
}

extension EffectHost {
    /// Its effects. In the turn.
    var effects: EffectAccount<Action> {
        if let effectAccount { return effectAccount }
        let account = EffectAccount<Action>()
        if hasEnded { account.close() } else if !root.lifecycle.isOpen { account.ends.awaitEach() }
        effectAccount = account
        return account
    }

    /// Takes on the effect of an action, in the turn of that action.
    ///
    /// - Parameter tracker: the tracker of other effects of the same action, which are awaited together.
    func takeOn(_ effect: Effect<Action>, joining tracker: EffectTracker? = nil) -> EffectLaunch<Action> {
        var launch = EffectLaunch<Action>()
        guard let operation = effect.operation else { return launch }
        let effects = effects
        effects.settle()
        launch.tracker = effects.machine.begin(operation, joining: tracker ?? root.joining)
        launch.starts = collect(from: effects)
        return launch
    }

    /// Posts the actions that effects want sent.
    ///
    /// - Returns: the tasks that effects want started.
    private func collect(from effects: EffectAccount<Action>) -> [EffectJob<Action>] {
        let replies = effects.machine.takeReplies()
        if !replies.isEmpty { postReplies(replies) }
        for failure in effects.machine.takeFailures() { root.failures.report(failure) }
        let starts = effects.machine.takeStarts()
        for job in starts { job.ends = effects.ends }
        return starts
    }

    /// Whether the child that asked for an action to be sent has gone since, so that the action no longer counts.
    ///
    /// The caller says when it has been reduced, by ``endReply(_:)``.
    func isTooLate(_ origin: ReplyOrigin) -> Bool {
        guard !effects.machine.take(origin) else { return false }
        root.lateActions.add(1, ordering: .relaxed)
        return true
    }

    /// Starts the tasks of effects that nobody dispatched: they inherit neither task-locals nor a priority, because
    /// whose turn an action of `send` is reduced in is a matter of chance.
    func startTasksDetached(_ jobs: [EffectJob<Action>]) {
        for job in jobs {
            job.attach(
                Task.detached(
                    executorPreference: executor(of: job),
                    priority: job.priority ?? root.configuration.priority
                ) {
                    [run = makeRun(job)] in await run()
                }
            )
        }
    }

    /// Starts the tasks of effects in the context of the calling task, whose task-locals and priority they inherit.
    func startTasksInheriting(_ jobs: [EffectJob<Action>]) {
        for job in jobs {
            job.attach(
                Task(executorPreference: executor(of: job), priority: job.priority) {
                    [run = makeRun(job)] in await run()
                }
            )
        }
    }

    private func executor(of job: EffectJob<Action>) -> (any TaskExecutor)? {
        job.work?.executor ?? root.configuration.executor
    }

    private func makeRun(_ job: EffectJob<Action>) -> EffectRun<Self> {
        root.runningEffects.add(1, ordering: .relaxed)
        return EffectRun(host: self, job: job)
    }

    /// Accepts an action from a running effect.
    func sendFeedback(_ action: Action, from handle: EffectHandle) -> SendOutcome {
        guard handle.beginFeedback() else {
            root.lateActions.add(1, ordering: .relaxed)
            return .dropped
        }
        let outcome = postFeedback(action, from: handle)
        if !outcome.isAccepted {
            handle.endFeedback()
            root.inTurn { [root] in root.report(StoreError.overloaded, of: handle) }
        }
        return outcome
    }

    /// Does what is to be done in a turn when an effect's task has come to its end.
    nonisolated(nonsending) func finish(_ job: EffectJob<Action>, failure: (any Error)?) async {
        let next = await root.perform { [self, root] in
            if let failure { root.report(failure, of: job) }
            let effects = effects
            effects.machine.end(job)
            let next = collect(from: effects)
            effectsEnded()
            return next
        }
        startTasksInheriting(next)
    }

    /// Takes those effects off the account that have ended, in a turn.
    func settleSoon() {
        root.inTurn { [self] in
            effects.settle()
            effectsEnded()
        }
    }

    private func effectsEnded() {
        effectEnded()
        root.resumeEffectWaiters()
    }
}

extension TreeRoot {
    /// Publishes an error of an effect. In the turn.
    final func report(_ error: any Error, of handle: EffectHandle) {
        failures.report(StoreFailure(error: error, origin: .effect(id: handle.id, at: handle.source)))
    }

    /// Whether the effect that sent an action has been cancelled since, so that the action no longer counts.
    @usableFromInline
    final func isLate(_ handle: EffectHandle) -> Bool {
        guard handle.isCancelled else { return false }
        lateActions.add(1, ordering: .relaxed)
        return true
    }
}

extension StoreCore: EffectHost {
    var root: TreeRoot { self }
    var hasEnded: Bool { lifecycle.isEnded }

    func postReplies(_ replies: [EffectReply<Action>]) {
        mailboxLock.withLock { for reply in replies { mailbox.append(Letter(reply)) } }
        _ = gate.announce()
    }

    func postFeedback(_ action: Action, from handle: EffectHandle) -> SendOutcome {
        outcome(of: post(.feedback(action, handle), whenClosed: true))
    }

    /// Takes note that an action of an effect was reduced, or came too late. In the turn.
    @usableFromInline
    func endFeedback(of handle: EffectHandle) {
        if handle.endFeedback() { effectAccount?.forget(handle) }
    }

    /// Reduces an action for which somebody waits, with all that comes of it.
    @usableFromInline
    func reduceSent(_ action: Action, joining tracker: EffectTracker) {
        joining = tracker
        reduceSent(action)
        joining = nil
    }

    func effectEnded() {}

    func updateAttachments() { updateFlags() }

    @usableFromInline
    func isLate(_ origin: ReplyOrigin) -> Bool { isTooLate(origin) }

    @usableFromInline
    func take(_ effect: Effect<Action>) -> EffectLaunch<Action> { takeOn(effect) }

    @usableFromInline
    func startDetached(_ launch: EffectLaunch<Action>) { startTasksDetached(launch.starts) }

    func startInheriting(_ starts: [EffectJob<Action>]) { startTasksInheriting(starts) }
}

extension Letter {
    fileprivate init(_ reply: EffectReply<Action>) {
        self = reply.origin.map { .childReply(reply.action, $0) } ?? .reply(reply.action)
    }
}
