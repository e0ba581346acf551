import Synchronization

extension StoreCore {
    /// Takes on the effect of an action, in the turn of that action.
    @usableFromInline
    func take(_ effect: Effect<Action>) -> EffectLaunch<Action> {
        var launch = EffectLaunch<Action>()
        guard let operation = effect.operation else { return launch }
        launch.tracker = effects.begin(operation)
        launch.starts = collectEffects()
        return launch
    }

    /// Puts the actions that effects want sent into the mailbox.
    ///
    /// - Returns: the tasks that effects want started.
    func collectEffects() -> [EffectStart<Action>] {
        let actions = effects.takeActions()
        if !actions.isEmpty {
            mailboxLock.withLock { for action in actions { mailbox.append(.reply(action)) } }
            _ = gate.announce()
        }
        return effects.takeStarts()
    }

    /// Starts the tasks of effects that nobody dispatched: they inherit neither task-locals nor a priority, because
    /// whose turn an action of `send` is reduced in is a matter of chance.
    @usableFromInline
    func startDetached(_ launch: EffectLaunch<Action>) {
        for start in launch.starts {
            runningEffects.add(1, ordering: .relaxed)
            let task = Task.detached(
                executorPreference: configuration.executor,
                priority: start.work.priority ?? configuration.priority
            ) { [run = EffectRun(core: self, start: start)] in await run() }
            start.handle.attach(task)
        }
    }

    /// Starts the tasks of effects in the context of the calling task, whose task-locals and priority they inherit.
    func startInheriting(_ starts: [EffectStart<Action>]) {
        for start in starts {
            runningEffects.add(1, ordering: .relaxed)
            let task = Task(
                executorPreference: configuration.executor,
                priority: start.work.priority
            ) { [run = EffectRun(core: self, start: start)] in await run() }
            start.handle.attach(task)
        }
    }

    /// Accepts an action from a running effect.
    func sendFeedback(_ action: Action, from handle: EffectHandle) -> SendOutcome {
        guard handle.isRunning else {
            lateActions.add(1, ordering: .relaxed)
            return .dropped
        }
        let outcome = outcome(of: post(.feedback(action, handle), whenClosed: true))
        if !outcome.isAccepted { submit { $0.report(StoreError.overloaded, of: handle) } }
        return outcome
    }

    /// Does what is to be done when an effect's task has come to its end, in a turn.
    nonisolated(nonsending) func finish(_ start: EffectStart<Action>, failure: (any Error)?) async {
        let next = await perform { core in
            core.runningEffects.subtract(1, ordering: .relaxed)
            if let failure {
                core.report(failure, of: start.handle)
            }
            core.effects.end(start)
            let next = core.collectEffects()
            core.resumeEffectWaiters()
            return next
        }
        startInheriting(next)
    }

    /// Publishes an error of an effect.
    func report(_ error: any Error, of handle: EffectHandle) {
        failures.report(StoreFailure(error: error, origin: .effect(id: handle.id, at: handle.source)))
    }
}

/// The task of one piece of effect work. It does not keep the store alive.
struct EffectRun<State: Sendable, Action: Sendable>: Sendable {
    private weak let core: StoreCore<State, Action>?
    private let start: EffectStart<Action>

    init(core: StoreCore<State, Action>, start: EffectStart<Action>) {
        self.core = core
        self.start = start
    }

    nonisolated func callAsFunction() async {
        let failure = await runBody()
        start.handle.end()
        if let core { await core.finish(start, failure: failure) }
        start.handle.tracker.end(failure: failure)
    }

    /// - Returns: the error that it threw and that no one made an action of.
    private func runBody() async -> (any Error)? {
        let handle = start.handle
        guard !handle.isCancelled else { return nil }
        let send = Send<Action> { [weak core] action in
            core?.sendFeedback(action, from: handle) ?? .refused(.shutDown)
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
