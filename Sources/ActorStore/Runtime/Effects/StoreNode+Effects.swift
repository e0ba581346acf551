/// What a store keeps of its effects, made when the first one is asked for.
@usableFromInline
final class EffectRuntime: @unchecked Sendable {
    // Sound: touched only in the turn.

    /// Which effects run.
    var machine = EffectMachine()
    /// How many actions that reducers have asked to be sent wait in the mailbox; counted for children only, because the
    /// shutdown of a root looks until nothing more is reduced.
    var waitingReplies = 0
}

extension EffectRuntime? {
    /// The effects that are on hand.
    var jobs: [EffectJob] { self.map { Array($0.machine.registry.active.values) } ?? [] }

    /// Whether any are on hand, besides some.
    func hasEffects(except exceptions: HeldUpEffects) -> Bool {
        guard let self else { return false }
        return self.waitingReplies > 0 || !self.machine.registry.isEmpty(except: exceptions)
    }
}

// MARK: Taking on

extension StoreNode {
    /// Its effects. In the turn.
    var effects: EffectRuntime {
        if let effectRuntime { return effectRuntime }
        let runtime = EffectRuntime()
        if lifecycle.isEnded { runtime.machine.close() }
        effectRuntime = runtime
        return runtime
    }

    /// Takes on the effect of an action, in the turn of that action.
    ///
    /// What most effects are is dealt with here, where the types of actions are known, and the rest elsewhere.
    ///
    /// - Parameters:
    ///   - action: The action, which is kept as long as the effect runs, for the errors that come of it; nil if there
    ///     is none.
    ///   - tracker: That of other effects of the same action, which are awaited together.
    @inlinable
    func takeOn(
        _ effect: Effect<Action>,
        of action: @autoclosure () -> (any Sendable)? = nil,
        joining tracker: EffectTracker? = nil
    ) -> PendingTasks {
        switch effect.operation {
        case nil: return PendingTasks()
        case .run(let work)?: return takeOn(work.options, body: Self.body(of: work), of: action, joining: tracker)
        case .answer(let answer)?:
            (tracker ?? root.joining)?.give(answer)
            return PendingTasks()
        case let operation?: return takeOnAnything(operation, of: action, joining: tracker)
        }
    }

    /// Takes on a piece of work that is the whole effect of an action. In the turn.
    @usableFromInline
    func takeOn(
        _ options: EffectOptions,
        body: @escaping EffectJob.Body,
        of action: () -> (any Sendable)?,
        joining tracker: EffectTracker?
    ) -> PendingTasks {
        takeOn { $0.begin(options, body, joining: tracker ?? root.joining, of: action) }
    }

    @usableFromInline
    func takeOnAnything(
        _ operation: Effect<Action>.Operation,
        of action: () -> (any Sendable)?,
        joining tracker: EffectTracker?
    ) -> PendingTasks {
        let tracker = tracker ?? root.joining
        if case .send(let action) = operation, tracker == nil {
            postReply(action, nil)
            return PendingTasks()
        }
        return takeOn { $0.begin(operation, joining: tracker, of: action, body: Self.body) }
    }

    /// - Parameter begin: Begins effects; it returns their tracker.
    private func takeOn(_ begin: (inout EffectMachine) -> EffectTracker?) -> PendingTasks {
        let effects = effects
        let before = effects.machine.registry.lastNumber
        let cancelled = root.effectsCancelled(of: self)
        effects.machine.isEnding = cancelled == .onShutdown
        let tracker = begin(&effects.machine)
        switch cancelled {
        case .none: break
        case .onShutdown: effects.machine.cancelOnShutdown(after: before)
        case .all: effects.machine.cancelAll(after: before)
        }
        return PendingTasks(perform(effects.machine.takeOutput()), tracker: tracker)
    }

    /// Takes on effects that the reducer has asked for in this turn; see ``TreeRoot/takeOnEffects(at:of:_:)``.
    @inlinable
    func takeOn(
        _ effects: inout [(effect: Effect<Action>, placeInBatch: UInt32)],
        into pending: inout PendingTasks,
        of count: Int,
        _ action: (_ place: Int) -> any Sendable
    ) {
        if effects.isEmpty { return }
        let root = root
        let isInstrumented = root.extras.contains(.instruments)
        // One by one: what an effect cancels at its end may be the effect of a later action.
        for (effect, place) in effects {
            if isInstrumented { root.noteLaterActions(count - 1 - Int(place)) }
            pending.add(takeOn(effect, of: action(Int(place)), joining: count == 1 ? pending.tracker : nil))
        }
        if isInstrumented { root.noteLaterActions(0) }
        // The memory for one is kept, so that an action with an effect need not allocate it.
        effects.removeAll(keepingCapacity: effects.count == 1)
    }

    /// How a piece of work is done in the task of its job. It keeps of the work what it needs for that.
    @inlinable
    static func body(of work: EffectWork<Action>) -> EffectJob.Body {
        { [body = work.body, failure = work.failure] job in
            let send = Send<Action> { action, manner in
                (job.host as? Self)?.sendFeedback(action, from: job, manner) ?? job.dropStaleAction()
            }
            do {
                try await body(send)
                return nil
            } catch {
                // What a cancelled effect throws is the consequence of its cancellation, and no news to anybody.
                guard !job.isTaskCancelled else { return nil }
                guard let failure else { return error }
                if let action = failure(error, send) { send(action) }
                return nil
            }
        }
    }
}

// MARK: What the machine has decided

extension StoreNode {
    /// Does what the machine has decided, or has it done when the turn is over. In the turn.
    ///
    /// - Returns: The work whose tasks are to be started.
    private func perform(_ output: consuming EffectOutput) -> PendingJobs {
        let root = root
        for reply in output.replies {
            guard let action = reply.action as? Action else {
                preconditionFailure("An effect of \(Action.self) sends an action of another type.")
            }
            postReply(action, reply.origin)
        }
        for failure in output.failures { root.report(failure) }
        output.releases.forEach { object in root.deferred.add { $0.retired.append(object) } }
        root.deferResults(of: output)
        output.starts.forEach { $0.prepare(for: self) }
        if root.extras.contains(.instruments) { root.tellBeginnings(of: output.starts, of: self) }
        return output.starts
    }
}

// MARK: Ends

extension StoreNode {
    /// Ends an effect whose task has come to its end, and waits until that has been done in a turn; then starts what
    /// follows, in the context of the calling task.
    func finish(_ job: EffectJob, failure: (any Error)?, isolation: isolated (any Actor)? = #isolation) async {
        let time = job.told?.now
        let next = await root.perform { [self] in PendingTasks(noteEnd(of: job, failure, at: time)) }
        next.start(.following(job))
    }

    /// Ends an effect whose task has come to its end, and after which nothing begins, in a turn.
    func end(_ job: EffectJob, failure: (any Error)?) {
        let time = job.told?.now
        root.inTurn { [self] in root.deferStart(PendingTasks(noteEnd(of: job, failure, at: time))) }
    }

    /// The end of an effect, for all that wait for it. In the turn.
    ///
    /// - Parameter time: When it ended, for instruments; nil if they were not told of its beginning.
    /// - Returns: Those that begin after it.
    private func noteEnd(of job: EffectJob, _ failure: (any Error)?, at time: Duration?) -> PendingJobs {
        let root = root
        root.runningEffects.subtractRelaxed(1)
        // In this order, so that an instrument that records the end finds the error.
        if let failure { root.report(failure, of: job) }
        if let time { job.told?.end(at: time, isCancelled: job.isTaskCancelled, failure: failure) }
        let effects = effects
        effects.machine.end(job, failure: failure)
        let next = perform(effects.machine.takeOutput())
        continueAfterEnd(of: job)
        return next
    }

    /// Ends in the turn what waited for the end of an effect of this store: the store itself, if it has ended, and
    /// shutdowns.
    ///
    /// - Parameter job: The effect; nil if it was an action that the reducer had asked to be sent.
    func continueAfterEnd(of job: EffectJob?) {
        root.removeIfDone(self)
        root.resumeEffectWaiters(of: self, after: job)
    }
}

extension TreeRoot {
    /// Cancels all effects of a store of the tree; they end when their tasks have ended. In the turn.
    ///
    /// - Parameters:
    ///   - effects: Those of the store.
    ///   - spared: Those whose tasks go on.
    final func cancelEffects(_ effects: EffectRuntime?, sparing spared: [EffectJob] = []) {
        guard let effects else { return }
        effects.machine.cancelAll(sparing: spared)
        deferResults(of: effects.machine.takeOutput())
    }

    /// Cancels all effects of a store but those that have shut it down, and begins nothing more. In the turn.
    ///
    final func closeEffects(of node: TreeNode) {
        guard let effects = node.effectRuntime else { return }
        effects.machine.close(sparing: callersOfShutdowns(of: node))
        let output = effects.machine.takeOutput()
        // Work that will not be done holds closures of reducers, which the one who ends the store knows nothing of.
        output.releases.forEach { deferred.abandon($0) }
        deferResults(of: output)
    }

    /// Which effects are cancelled when they are about to begin, because their store is being shut down. In the turn.
    final func effectsCancelled(of node: TreeNode) -> Lifecycle.CancelledEffects {
        extras.contains(.effectCancellation)
            ? max(lifecycle.cancelledEffects, node.lifecycle.cancelledEffects) : .none
    }

    /// Has those told that wait for effects. In the turn.
    final func deferResults(of output: EffectOutput) {
        if !output.cancellations.isEmpty { deferred.add { $0.cancellations += output.cancellations } }
        output.ends.forEach { deferAnswer(.end($0)) }
        for gate in output.gates { deferAnswer(.other { gate.open() }) }
    }

    /// Records in the turn that something that a tracker counts has ended.
    final func end(_ tracker: EffectTracker, failure: (any Error)? = nil) {
        if tracker.end(failure: failure) { deferAnswer(.end(tracker)) }
    }

    /// Publishes an error. In the turn.
    final func report(_ failure: StoreFailure) {
        guard let older = failures.report(failure) else { return }
        older.reportAsIssue()
        retire(older)
    }

    /// Publishes an error of an effect. In the turn.
    final func report(_ error: any Error, of job: EffectJob) {
        let origin = StoreFailure.Origin.effect(id: job.id, at: job.options.source)
        report(StoreFailure(error: error, origin: origin, action: job.tracker.action))
    }
}
