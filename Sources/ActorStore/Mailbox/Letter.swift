/// One thing that a store has to do, in the order in which it was asked.
@usableFromInline
enum Letter<State: Sendable, Action: Sendable>: MailboxLetter {
    /// An action of which the sender wants to know no more.
    case action(Action)
    /// Actions that are one turn, with one notification.
    case batch([Action])
    /// An action whose dispatcher waits until it has been reduced.
    case dispatch(Action, UnsafeContinuation<DispatchResult<Action>, Never>)
    /// An action from an effect, which counts only if the effect has not been cancelled meanwhile.
    case feedback(Action, EffectHandle)
    /// An action that an effect has been asked to send; there is no one who could be told that it was dropped.
    case reply(Action)
    /// Anything else that must be done in a turn, such as a subscription.
    case task((StoreCore<State, Action>) -> Void)
    /// Was dropped before its turn came.
    case removed

    @inlinable var weight: Int {
        switch self {
        case .action, .dispatch, .feedback: 1
        case .batch(let actions): actions.count
        case .reply, .task, .removed: 0
        }
    }

    @inlinable var isRemoved: Bool {
        if case .removed = self { true } else { false }
    }
}

/// What a dispatcher learns of its action.
@usableFromInline
typealias DispatchResult<Action: Sendable> = Result<EffectLaunch<Action>, StoreError>

/// What a dispatcher who waits is to be told.
@usableFromInline
struct Answer<Action: Sendable> {
    @usableFromInline let dispatcher: UnsafeContinuation<DispatchResult<Action>, Never>
    @usableFromInline let result: DispatchResult<Action>

    @inlinable
    init(dispatcher: UnsafeContinuation<DispatchResult<Action>, Never>, result: DispatchResult<Action>) {
        self.dispatcher = dispatcher
        self.result = result
    }

    @inlinable
    func give() { dispatcher.resume(returning: result) }
}
