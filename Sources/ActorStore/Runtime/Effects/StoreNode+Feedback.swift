import Synchronization

// Actions that effects send: from their tasks, and within the turn that began them.

extension StoreNode {
    /// Accepts an action from a running effect.
    @inlinable
    func sendFeedback(_ action: Action, from job: EffectJob, _ manner: SendManner) -> SendOutcome {
        let isDismissal = if case .dismissal = manner { true } else { false }
        if isDismissal && job.isPresentationOver { return root.droppedFeedback.drop() }
        guard job.beginFeedback() else { return root.droppedFeedback.drop() }
        if case .awaited(let result) = manner {
            awaitTurn(of: job, result) { [self] in reduceUnlessEnded(action) }
            return .accepted
        }
        let outcome = postFeedback(action, from: job, isDismissal: isDismissal)
        if !outcome.isAccepted { loseFeedback(of: job) }
        return outcome
    }

    /// Reduces an action within a turn, for an effect that waits for the result.
    @usableFromInline
    func awaitTurn(
        of job: EffectJob,
        _ result: Promise<Result<Void, StoreError>>,
        _ reduce: @escaping () -> DispatchResult
    ) {
        root.inTurn { [self] in
            defer { endFeedback(of: job) }
            root.joining = job.tracker.tracksFeedback ? job.tracker : nil
            let reduction = root.isStale(job) || hasGoneUnseen(job) ? .failure(.cancelled) : reduce()
            root.joining = nil
            if case .success(let pending) = reduction { root.deferStart(pending) }
            root.deferAnswer(.other { result.settle(reduction.map { _ in }) })
        }
    }

    /// Records, within the turn, that an action of an effect was reduced or dropped.
    @usableFromInline
    func endFeedback(of job: EffectJob) {
        if job.tracker.tracksFeedback { root.end(job.tracker) }
        if job.endFeedback() {
            effectRuntime?.machine.forget(job)
            continueAfterEnd(of: job)
        }
    }

    /// Reports an action of an effect that did not fit into the mailbox, or was displaced there.
    @usableFromInline
    func loseFeedback(of job: EffectJob) {
        root.inTurn { [self] in
            root.report(StoreError.overloaded, of: job)
            endFeedback(of: job)
        }
    }

    /// Returns whether an action that a reducer asked to be sent is dropped, because the store has ended, or because a
    /// shutdown cancels its effects. Called within the turn.
    @usableFromInline
    func dropsReply() -> Bool {
        guard lifecycle.isEnded || root.effectsCancelled(of: self) == .all else { return false }
        root.droppedFeedback.add()
        return true
    }

    /// Returns whether an action that an effect was asked to send is dropped, because it has been cancelled, or because
    /// its child has been removed. Called within the turn.
    func isTooLate(_ origin: ReplyOrigin) -> Bool {
        let effects = effects
        // Comparing keys runs user code.
        if effects.machine.takingComparesKeys(of: origin) { root.endWriting() }
        if effects.machine.take(origin) {
            let (way, isDetached) = (origin.path.way, !origin.endsWithChild)
            return hasGoneUnseen(way, isDetached: isDetached, isDismissal: origin.dismissalDepth > 0)
        }
        root.droppedFeedback.add()
        return true
    }

    /// Returns whether the child whose effect has sent an action was removed unnoticed by the reducer that composes it,
    /// because surrounding code has replaced the state that contained it. If so, the effects of all such children are
    /// cancelled. Called within the turn.
    @usableFromInline
    func hasGoneUnseen(_ job: EffectJob, isDismissal: Bool = false) -> Bool {
        hasGoneUnseen(job.way, isDetached: job.isDetached, isDismissal: isDismissal)
    }

    private func hasGoneUnseen(_ way: [ChildStep], isDetached: Bool, isDismissal: Bool) -> Bool {
        if way.isEmpty { return false }
        // Finding a child runs user code: key paths, case paths, and comparisons of identities.
        root.endWriting()
        var search = ChildSearch(in: lookedAtState)
        guard
            !isDetached && way.hasGone(by: &search) || isDismissal && way.presentationIsOver(by: &search)
        else { return false }
        root.droppedFeedback.add()
        effects.machine.cancelWork(ofChildrenMissingBy: &search)
        root.deferResults(of: effects.machine.takeOutput())
        return true
    }
}

extension TreeRoot {
    /// Returns whether an action is dropped because the effect that sent it, or a group of that effect, has been
    /// cancelled; or because the action dismisses a child that has been removed. Called within the turn.
    @usableFromInline
    final func isStale(_ job: EffectJob, isDismissal: Bool = false) -> Bool {
        guard
            job.hasLostActions || job.tracker.tracksFeedback && job.tracker.isCancelled
                || isDismissal && job.isPresentationOver
        else { return false }
        droppedFeedback.add()
        return true
    }
}

extension StoreCore: StoreNode {
    @usableFromInline var lookedAtState: Any { state }

    @usableFromInline
    func attachedReducersChanged() { extras.set(.attachedReducers, to: !attached.isEmpty) }

    @usableFromInline
    func postReply(_ action: Action, _ origin: ReplyOrigin?) {
        let message: Message<State, Action> = origin.map { .childReply(action, $0) } ?? .reply(action)
        let timed = timed(message)
        mailboxLock.withLock {
            noteOrigin()
            mailbox.append(timed)
        }
        _ = gate.announce()
    }

    @inlinable
    func postFeedback(_ action: Action, from job: EffectJob, isDismissal: Bool) -> SendOutcome {
        outcome(of: post(isDismissal ? .dismissal(action, job) : .feedback(action, job), whenClosed: true))
    }

    /// Reduces an action. The tracker also tracks the effects that it starts, and those of later actions.
    @usableFromInline
    func reduceSent(_ action: Action, joining tracker: EffectTracker) {
        joining = tracker
        reduceSent(action)
        joining = nil
    }

    @usableFromInline
    func isStale(_ origin: ReplyOrigin) -> Bool { isTooLate(origin) }

    /// Records, within the turn, that a tracked action was reduced or dropped.
    @usableFromInline
    func end(_ origin: ReplyOrigin) {
        if let tracker = origin.tracker { end(tracker) }
    }
}

/// Counts the actions of a tree that were sent by ended or cancelled effects. It is a separate object because what
/// effects leave behind, such as tasks, may outlive the tree, and its actions count as well.
@usableFromInline
final class DroppedFeedback: Sendable {
    private let number = AtomicValue<Int>(0)
    /// Pairs: the load with the store. No data is published by it; it chooses between two correct answers.
    private let isOver = AtomicValue<Bool>(false)
    private let registry = LazyReference<InstrumentRegistry>()

    var count: Int { number.loadRelaxed() }

    func add(_ more: Int = 1) {
        number.addRelaxed(more)
        registry.load()?.drop(more, because: .late)
    }

    /// Starts reporting to instruments.
    func tell(_ registry: InstrumentRegistry) { _ = self.registry.storeIfNil(registry) }

    /// Records the end of the tree.
    func end() { isOver.storeReleasing(true) }

    /// Counts one action.
    ///
    /// - Returns: The outcome for its sender.
    @usableFromInline
    func drop() -> SendOutcome {
        add()
        return isOver.loadAcquiring() ? .refused(.shutDown) : .dropped
    }
}
