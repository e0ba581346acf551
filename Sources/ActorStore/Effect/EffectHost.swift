import Synchronization

/// A store that runs effects: a root or a child.
protocol EffectHost: AnyObject, Sendable {
    associatedtype Action: Sendable

    /// The tree that the store is part of.
    var root: TreeRoot { get }
    /// Which effects run. In the turn.
    var effects: EffectMachine<Action> { get set }

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
    /// Takes on the effect of an action, in the turn of that action.
    ///
    /// - Parameter tracker: the tracker of other effects of the same action, which are awaited together.
    func takeOn(_ effect: Effect<Action>, joining tracker: EffectTracker? = nil) -> EffectLaunch<Action> {
        var launch = EffectLaunch<Action>()
        guard let operation = effect.operation else { return launch }
        launch.tracker = effects.begin(operation, joining: tracker)
        launch.starts = collectEffects()
        return launch
    }

    /// Posts the actions that effects want sent.
    ///
    /// - Returns: the tasks that effects want started.
    private func collectEffects() -> [EffectStart<Action>] {
        let replies = effects.takeReplies()
        if !replies.isEmpty { postReplies(replies) }
        for failure in effects.takeFailures() { root.failures.report(failure) }
        return effects.takeStarts()
    }

    /// Whether the child that asked for an action to be sent has gone since, so that the action no longer counts.
    func isTooLate(_ origin: ReplyOrigin) -> Bool {
        guard !effects.take(origin) else { return false }
        root.lateActions.add(1, ordering: .relaxed)
        return true
    }

    /// Starts the tasks of effects that nobody dispatched: they inherit neither task-locals nor a priority, because
    /// whose turn an action of `send` is reduced in is a matter of chance.
    func startTasksDetached(_ starts: [EffectStart<Action>]) {
        for start in starts {
            root.runningEffects.add(1, ordering: .relaxed)
            let task = Task.detached(
                executorPreference: root.configuration.executor,
                priority: start.work.priority ?? root.configuration.priority
            ) { [run = EffectRun(host: self, start: start)] in await run() }
            start.handle.attach(task)
        }
    }

    /// Starts the tasks of effects in the context of the calling task, whose task-locals and priority they inherit.
    func startTasksInheriting(_ starts: [EffectStart<Action>]) {
        for start in starts {
            root.runningEffects.add(1, ordering: .relaxed)
            let task = Task(
                executorPreference: root.configuration.executor,
                priority: start.work.priority
            ) { [run = EffectRun(host: self, start: start)] in await run() }
            start.handle.attach(task)
        }
    }

    /// Accepts an action from a running effect.
    fileprivate func sendFeedback(_ action: Action, from handle: EffectHandle) -> SendOutcome {
        guard handle.isRunning else {
            root.lateActions.add(1, ordering: .relaxed)
            return .dropped
        }
        let outcome = postFeedback(action, from: handle)
        if !outcome.isAccepted {
            root.inTurn { [root] in root.report(StoreError.overloaded, of: handle) }
        }
        return outcome
    }

    /// Does what is to be done when an effect's task has come to its end, in a turn.
    fileprivate nonisolated(nonsending) func finish(_ start: EffectStart<Action>, failure: (any Error)?) async {
        let next = await root.perform { [self, root] in
            root.runningEffects.subtract(1, ordering: .relaxed)
            if let failure { root.report(failure, of: start.handle) }
            effects.end(start)
            let next = collectEffects()
            effectEnded()
            root.resumeEffectWaiters()
            return next
        }
        startTasksInheriting(next)
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

    func postReplies(_ replies: [EffectReply<Action>]) {
        mailboxLock.withLock { for reply in replies { mailbox.append(Letter(reply)) } }
        _ = gate.announce()
    }

    func postFeedback(_ action: Action, from handle: EffectHandle) -> SendOutcome {
        outcome(of: post(.feedback(action, handle), whenClosed: true))
    }

    func effectEnded() {}

    func updateAttachments() { updateFlags() }

    @usableFromInline
    func isLate(_ origin: ReplyOrigin) -> Bool { isTooLate(origin) }

    @usableFromInline
    func take(_ effect: Effect<Action>) -> EffectLaunch<Action> { takeOn(effect) }

    @usableFromInline
    func startDetached(_ launch: EffectLaunch<Action>) { startTasksDetached(launch.starts) }

    func startInheriting(_ starts: [EffectStart<Action>]) { startTasksInheriting(starts) }
}

extension Letter {
    fileprivate init(_ reply: EffectReply<Action>) {
        self = reply.origin.map { .childReply(reply.action, $0) } ?? .reply(reply.action)
    }
}

/// The task of one piece of effect work. It does not keep the store alive.
struct EffectRun<Host: EffectHost>: Sendable {
    private weak let host: Host?
    private let start: EffectStart<Host.Action>

    init(host: Host, start: EffectStart<Host.Action>) {
        self.host = host
        self.start = start
    }

    nonisolated func callAsFunction() async {
        let failure = await runBody()
        start.handle.end()
        if let host { await host.finish(start, failure: failure) }
        start.handle.tracker.end(failure: failure)
    }

    /// - Returns: the error that it threw and that no one made an action of.
    private func runBody() async -> (any Error)? {
        let handle = start.handle
        guard !handle.isCancelled else { return nil }
        let send = Send<Host.Action> { [weak host] action in
            host?.sendFeedback(action, from: handle) ?? .refused(.shutDown)
        }
        do {
            try await EffectHandle.$current.withValue(handle) { try await start.work.body(send) }
            return nil
        } catch {
            // What a cancelled effect throws is the consequence of its cancellation, and no news to anybody.
            guard !handle.isCancelled else { return nil }
            guard let failure = start.work.failure else { return error }
            if let action = failure(error) { send(action) }
            return nil
        }
    }
}
