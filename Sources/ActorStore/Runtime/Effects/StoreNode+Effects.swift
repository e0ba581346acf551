/// The effects of a store. Created for its first effect.
@usableFromInline
final class EffectRuntime: @unchecked Sendable {
    // Sound: touched only within the turn.

    /// Decides which effects run.
    var machine = EffectMachine()
    /// The number of actions in the mailbox that reducers have asked to be sent. Counted for children only, because the
    /// shutdown of a root drains its mailbox.
    var waitingReplies = 0
    /// The number of times that all effects were cancelled. Effects that are held back belong to such a time.
    var cancellations: UInt64 = 0
}

extension EffectRuntime? {
    /// The registered effects.
    var jobs: [EffectJob] { self.map { Array($0.machine.registry.active.values) } ?? [] }

    /// Returns whether any effects are registered besides `exceptions`.
    func hasEffects(except exceptions: HeldUpEffects) -> Bool {
        guard let self else { return false }
        return self.waitingReplies > 0 || !self.machine.registry.isEmpty(except: exceptions)
    }
}

// MARK: Starting effects

extension StoreNode {
    /// The effects of the store. Read within the turn.
    var effects: EffectRuntime {
        if let effectRuntime { return effectRuntime }
        let runtime = EffectRuntime()
        if lifecycle.isEnded { runtime.machine.close() }
        effectRuntime = runtime
        return runtime
    }

    /// Begins the effect of an action, within the turn of that action.
    ///
    /// The most frequent kinds of effects are handled here, where the type of the action is known, and the others
    /// elsewhere.
    ///
    /// - Parameters:
    ///   - action: The action, which is retained while the effect runs, for the errors of the effect; nil if no action
    ///     returned the effect.
    ///   - tracker: The tracker of other effects of the same action, which are awaited together.
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

    /// Begins an operation that is the whole effect of an action. Called within the turn.
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

    /// - Parameter begin: Begins effects, and returns their tracker.
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

    /// Begins effects that the reducer has returned within this turn; see ``TreeRoot/takeOnEffects(at:of:_:)``.
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
        // One by one: the effect of a later action may be cancelled by an effect before it.
        for (effect, place) in effects {
            if isInstrumented { root.noteLaterActions(count - 1 - Int(place)) }
            pending.add(takeOn(effect, of: action(Int(place)), joining: count == 1 ? pending.tracker : nil))
        }
        if isInstrumented { root.noteLaterActions(0) }
        // The memory for one effect is kept, so that an action with an effect need not allocate it.
        effects.removeAll(keepingCapacity: effects.count == 1)
    }

    /// Returns the body of an operation's job. It retains only what it needs of the operation.
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
                // An error of a cancelled effect results from its cancellation, and is not reported.
                guard !job.isTaskCancelled else { return nil }
                guard let failure else { return error }
                if let action = failure(error, send) { send(action) }
                return nil
            }
        }
    }
}

// MARK: Output of the machine

extension StoreNode {
    /// Performs the decisions of the machine, or defers them to the end of the turn. Called within the turn.
    ///
    /// - Returns: The jobs whose tasks are to be started.
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
    /// Ends an effect whose task has ended, and waits until a turn has recorded that. Then starts the effects that
    /// follow it, in the context of the calling task.
    func finish(_ job: EffectJob, failure: (any Error)?, isolation: isolated (any Actor)? = #isolation) async {
        let time = job.told?.now
        let next = await root.perform { [self] in PendingTasks(noteEnd(of: job, failure, at: time)) }
        next.start(.following(job))
    }

    /// Ends an effect whose task has ended, and that no other effect follows, within a turn.
    func end(_ job: EffectJob, failure: (any Error)?) {
        let time = job.told?.now
        root.inTurn { [self] in root.deferStart(PendingTasks(noteEnd(of: job, failure, at: time))) }
    }

    /// Ends an effect for everything that waits for it. Called within the turn.
    ///
    /// - Parameter time: The time of the end, for instruments; nil if they have not recorded its beginning.
    /// - Returns: The jobs that begin after it.
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

    /// Continues, within the turn, what waited for the end of an effect of this store: shutdowns, and the removal of
    /// the store itself if it has ended.
    ///
    /// - Parameter job: The effect; nil if it was an action that the reducer asked to be sent.
    func continueAfterEnd(of job: EffectJob?) {
        root.removeIfDone(self)
        root.resumeEffectWaiters(of: self, after: job)
    }
}

extension TreeRoot {
    /// Cancels all effects of a store of the tree. They end when their tasks end. Called within the turn.
    ///
    /// - Parameters:
    ///   - effects: The effects of the store.
    ///   - spared: The effects whose tasks continue.
    final func cancelEffects(_ effects: EffectRuntime?, sparing spared: [EffectJob] = []) {
        guard let effects else { return }
        effects.cancellations += 1
        effects.machine.cancelAll(sparing: spared)
        deferResults(of: effects.machine.takeOutput())
    }

    /// Cancels all effects of a store except those that have shut it down, and begins no more effects. Called within
    /// the turn.
    final func closeEffects(of node: TreeNode) {
        guard let effects = node.effectRuntime else { return }
        effects.machine.close(sparing: callersOfShutdowns(of: node))
        let output = effects.machine.takeOutput()
        // Discarded work retains closures of reducers. The thread that ends the store must not release them.
        output.releases.forEach { deferred.abandon($0) }
        deferResults(of: output)
    }

    /// Returns which effects are cancelled as they begin, because their store is being shut down. Called within the
    /// turn.
    final func effectsCancelled(of node: TreeNode) -> Lifecycle.CancelledEffects {
        extras.contains(.effectCancellation)
            ? max(lifecycle.cancelledEffects, node.lifecycle.cancelledEffects) : .none
    }

    /// Defers the notification of everything that waits for effects. Called within the turn.
    final func deferResults(of output: EffectOutput) {
        if !output.cancellations.isEmpty { deferred.add { $0.cancellations += output.cancellations } }
        output.ends.forEach { deferAnswer(.end($0)) }
        for gate in output.gates { deferAnswer(.other { gate.open() }) }
    }

    /// Records, within the turn, the end of something that a tracker counts.
    final func end(_ tracker: EffectTracker, failure: (any Error)? = nil) {
        if tracker.end(failure: failure) { deferAnswer(.end(tracker)) }
    }

    /// Publishes an error. Called within the turn.
    final func report(_ failure: StoreFailure) {
        guard let older = failures.report(failure) else { return }
        older.reportAsIssue()
        retire(older)
    }

    /// Publishes an error of an effect. Called within the turn.
    final func report(_ error: any Error, of job: EffectJob) {
        let origin = StoreFailure.Origin.effect(id: job.id, at: job.options.source)
        report(StoreFailure(error: error, origin: origin, action: job.tracker.action))
    }
}
