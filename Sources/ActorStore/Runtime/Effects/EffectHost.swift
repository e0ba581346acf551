import Synchronization

/// A store that runs effects, with the type of its actions: a root or a child.
@usableFromInline
protocol EffectHost: EffectOwner {
    associatedtype Action: Sendable

    /// Puts an action into the mailbox that an effect has been asked to send. In the turn.
    func postReply(_ action: Action, _ origin: ReplyOrigin?)

    /// Puts an action into the mailbox that a running effect sends.
    ///
    /// - Parameter isDismissal: Whether it takes the child away whose effect that is.
    func postFeedback(_ action: Action, from handle: EffectHandle, isDismissal: Bool) -> SendOutcome

    /// Takes note that reducers were attached or detached. In the turn.
    func updateAttachments()
}

extension EffectHost {
    /// Takes on the effect of an action, in the turn of that action.
    ///
    /// What most effects are is dealt with here, where the types of actions are known, and the rest elsewhere.
    ///
    /// - Parameter tracker: the tracker of other effects of the same action, which are awaited together.
    @inlinable
    func takeOn(_ effect: Effect<Action>, joining tracker: EffectTracker? = nil) -> EffectLaunch {
        switch effect.operation {
        case nil: return EffectLaunch()
        case .run(let work)?: return takeOn(PlannedWork(work, body: Self.body(of: work)), joining: tracker)
        case let operation?: return takeOnAnything(operation, joining: tracker)
        }
    }

    @usableFromInline
    func takeOnAnything(_ operation: Effect<Action>.Operation, joining tracker: EffectTracker?) -> EffectLaunch {
        let tracker = tracker ?? root.joining
        if case .send(let action) = operation, tracker == nil {
            postReply(action, nil)
            return EffectLaunch()
        }
        return takeOn { $0.begin(operation, joining: tracker, body: Self.body) }
    }

    /// How a piece of work is done.
    @inlinable
    static func body(of work: EffectWork<Action>) -> EffectJob.Body {
        work.jobBody { job in
            Send { action, isDismissal in
                (job.owner as? Self)?.sendFeedback(action, from: job, isDismissal: isDismissal) ?? job.dropLateAction()
            }
        }
    }

    @usableFromInline
    func postReply(_ reply: EffectReply) {
        guard let action = reply.action as? Action else {
            preconditionFailure("An effect of \(Action.self) sends an action of another type.")
        }
        postReply(action, reply.origin)
    }

    /// Accepts an action from a running effect.
    @inlinable
    func sendFeedback(_ action: Action, from handle: EffectHandle, isDismissal: Bool) -> SendOutcome {
        if isDismissal && handle.isPresentationOver { return root.lateActions.drop() }
        guard handle.beginFeedback() else { return root.lateActions.drop() }
        let outcome = postFeedback(action, from: handle, isDismissal: isDismissal)
        if !outcome.isAccepted { loseFeedback(of: handle) }
        return outcome
    }
}

extension EffectOwner {
    /// Takes note that an action of an effect was reduced, or came too late. In the turn.
    @usableFromInline
    func endFeedback(of handle: EffectHandle) {
        if handle.tracker.tracksFeedback, let end = handle.tracker.end() { root.deferAnswer(.end(end)) }
        if handle.endFeedback() {
            effectAccount?.forget(handle)
            effectEnded()
            root.resumeEffectWaiters(of: self as? TreeNode)
        }
    }

    /// Reports an action of an effect for which there was no room in the mailbox, or that was displaced there.
    @usableFromInline
    func loseFeedback(of handle: EffectHandle) {
        root.inTurn { [self] in
            root.report(StoreError.overloaded, of: handle)
            endFeedback(of: handle)
        }
    }
}

extension StoreCore: EffectHost {
    @usableFromInline var root: TreeRoot { self }
    @usableFromInline var hasEnded: Bool { lifecycle.isEnded }

    @usableFromInline
    func postReply(_ action: Action, _ origin: ReplyOrigin?) {
        let letter: Letter<State, Action> = origin.map { .childReply(action, $0) } ?? .reply(action)
        let timed = timed(letter)
        mailboxLock.withLock {
            noteOrigin()
            mailbox.append(timed)
        }
        _ = gate.announce()
    }

    @inlinable
    func postFeedback(_ action: Action, from handle: EffectHandle, isDismissal: Bool) -> SendOutcome {
        outcome(of: post(isDismissal ? .dismissal(action, handle) : .feedback(action, handle), whenClosed: true))
    }

    /// Reduces an action for which somebody waits, with all that comes of it.
    @usableFromInline
    func reduceSent(_ action: Action, joining tracker: EffectTracker) {
        joining = tracker
        reduceSent(action)
        joining = nil
    }

    @usableFromInline
    func effectEnded() {}

    @usableFromInline
    func updateAttachments() { updateFlags() }

    @usableFromInline
    func isLate(_ origin: ReplyOrigin) -> Bool { isTooLate(origin) }

    /// Takes note that an action was reduced for which somebody waits, or will not be. In the turn.
    @usableFromInline
    func end(_ origin: ReplyOrigin) {
        if let end = origin.end() { deferAnswer(.end(end)) }
    }
}
