import Synchronization

// What effects send: from their tasks, and from the turn in which they were asked for.

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

    /// Has an action reduced when its turn has come, for an effect that waits for the result.
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

    /// Records in the turn that an action of an effect was reduced, or came too late.
    @usableFromInline
    func endFeedback(of job: EffectJob) {
        if job.tracker.tracksFeedback { root.end(job.tracker) }
        if job.endFeedback() {
            effectRuntime?.machine.forget(job)
            continueAfterEnd(of: job)
        }
    }

    /// Reports an action of an effect for which there was no room in the mailbox, or that was displaced there.
    @usableFromInline
    func loseFeedback(of job: EffectJob) {
        root.inTurn { [self] in
            root.report(StoreError.overloaded, of: job)
            endFeedback(of: job)
        }
    }

    /// Whether an action that a reducer has asked to be sent no longer counts, because the store has ended, or its
    /// effects are cancelled by a shutdown. In the turn.
    @usableFromInline
    func dropsReply() -> Bool {
        guard lifecycle.isEnded || root.effectsCancelled(of: self) == .all else { return false }
        root.droppedFeedback.add()
        return true
    }

    /// Whether an action that an effect was asked to send no longer counts, because it was cancelled since, or its
    /// child has gone. In the turn.
    func isTooLate(_ origin: ReplyOrigin) -> Bool {
        let effects = effects
        // What keys run when they are compared is code of users.
        if effects.machine.takingComparesKeys(of: origin) { root.endWriting() }
        if effects.machine.take(origin) {
            let (way, isDetached) = (origin.path.way, !origin.endsWithChild)
            return hasGoneUnseen(way, isDetached: isDetached, isDismissal: origin.dismissalDepth > 0)
        }
        root.droppedFeedback.add()
        return true
    }

    /// Whether the child has gone whose effect has sent an action, without the notice of the reducer that it is
    /// composed with: because code around that has replaced the state which it is in. Then the effects of all such
    /// children are cancelled. In the turn.
    @usableFromInline
    func hasGoneUnseen(_ job: EffectJob, isDismissal: Bool = false) -> Bool {
        hasGoneUnseen(job.way, isDetached: job.isDetached, isDismissal: isDismissal)
    }

    private func hasGoneUnseen(_ way: [ChildStep], isDetached: Bool, isDismissal: Bool) -> Bool {
        if way.isEmpty { return false }
        // What finds a child is code of users: key paths, case paths, and what compares identities.
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
    /// Whether the effect that sent an action has been cancelled since, or a group that it was a part of, so that the
    /// action no longer counts; or whether the child has gone that the action takes away, if it does. In the turn.
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

    /// Reduces an action. A tracker counts the effects that it starts, and those of later actions.
    @usableFromInline
    func reduceSent(_ action: Action, joining tracker: EffectTracker) {
        joining = tracker
        reduceSent(action)
        joining = nil
    }

    @usableFromInline
    func isStale(_ origin: ReplyOrigin) -> Bool { isTooLate(origin) }

    /// Records in the turn that a tracked action was reduced, or will not be.
    @usableFromInline
    func end(_ origin: ReplyOrigin) {
        if let tracker = origin.tracker { end(tracker) }
    }
}

/// Counts the actions of a tree that were sent by effects which had ended or been cancelled. Apart from the tree,
/// because what an effect leaves behind may outlive it, and counts all the same.
@usableFromInline
final class DroppedFeedback: Sendable {
    private let number = AtomicValue<Int>(0)
    /// Pairs: the load with the store. Nothing is handed over; it chooses between two true answers.
    private let isOver = AtomicValue<Bool>(false)
    private let registry = LazyReference<InstrumentRegistry>()

    var count: Int { number.loadRelaxed() }

    func add(_ more: Int = 1) {
        number.addRelaxed(more)
        registry.load()?.drop(more, because: .late)
    }

    /// From now on instruments are told.
    func tell(_ registry: InstrumentRegistry) { _ = self.registry.storeIfNil(registry) }

    /// Takes note that the tree has ended.
    func end() { isOver.storeReleasing(true) }

    /// Counts one.
    ///
    /// - Returns: what its sender is told.
    @usableFromInline
    func drop() -> SendOutcome {
        add()
        return isOver.loadAcquiring() ? .refused(.shutDown) : .dropped
    }
}
