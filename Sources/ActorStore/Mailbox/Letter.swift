/// One thing that a store has to do, in the order in which it was asked.
@usableFromInline
enum Letter<State: Sendable, Action: Sendable>: MailboxLetter {
    /// An action of which the sender wants to know no more.
    case action(Action)
    /// Actions that are one turn, with one notification.
    case batch([Action])
    /// An action whose dispatcher waits until it has been reduced.
    case dispatch(Action, UnsafeContinuation<DispatchResult, Never>)
    /// An action from an effect, which counts only if the effect has not been cancelled meanwhile.
    case feedback(Action, EffectHandle)
    /// An action that an effect has been asked to send; there is no one who could be told that it was dropped.
    case reply(Action)
    /// What somebody asks of another store of the tree.
    case forwarded(ForwardedLetter)
    /// The same for an effect of a child, which counts only if the child has not gone meanwhile.
    case childReply(Action, ReplyOrigin)
    /// Any of these with an action, in a store with instruments.
    case timed(TimedLetter<State, Action>)
    /// Anything else that must be done in a turn, such as a subscription.
    case task((StoreCore<State, Action>) -> Void)
    /// Was dropped before its turn came.
    case removed

    @inlinable var weight: Int {
        switch self {
        case .action, .dispatch, .feedback: 1
        case .batch(let actions): actions.count
        case .forwarded(let letter): letter.weight
        case .timed(let timed): timed.letter.weight
        case .reply, .childReply, .task, .removed: 0
        }
    }

    @inlinable var isRemoved: Bool {
        if case .removed = self { true } else { false }
    }

    /// Tells the one who waits for it, if there is one, that it will not be read.
    @usableFromInline
    func refuse(_ error: StoreError) {
        switch self {
        case .dispatch(_, let dispatcher): dispatcher.resume(returning: .failure(error))
        case .forwarded(let letter): letter.refuse(error)
        case .feedback(_, let effect): effect.endFeedback()
        case .timed(let timed): timed.letter.refuse(error)
        default: break
        }
    }
}

/// What a dispatcher learns of its action.
@usableFromInline
typealias DispatchResult = Result<EffectLaunch, StoreError>

/// Somebody who waits, and what is to be told.
@usableFromInline
enum Answer {
    case result(DispatchResult, to: UnsafeContinuation<DispatchResult, Never>)
    case other(() -> Void)

    @inlinable
    func give() {
        switch self {
        case .result(let result, let dispatcher): dispatcher.resume(returning: result)
        case .other(let tell): tell()
        }
    }
}
