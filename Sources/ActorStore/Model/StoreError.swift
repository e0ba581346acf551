/// Why a store did not do what it was asked.
public enum StoreError: Error, Sendable, Equatable {
    /// The store has been shut down, or is about to be: it takes no more actions.
    case shutDown
    /// An interceptor did not let the action through; `by` is its name.
    case rejected(by: String)
    /// The mailbox is full, or the action had to give way to a newer one; see ``MailboxCapacity``.
    case overloaded
    /// The store's first state could not be loaded: it takes no actions. Only a store that loads it throws this.
    case notReady
    /// The task was cancelled while it waited for the store to accept the action, which will not be reduced.
    case cancelled
    /// An effect waits for the end of effects that it is one of, or that wait for it, or for the end of its own store:
    /// that would never come.
    case awaitsItself
    /// A request was reduced, and no reducer has answered it.
    case unanswered
    /// The state is what a journal or a log of actions has made of it, and was to be changed by something that is no
    /// action; see ``Store/withIsolation(_:isolation:_:)``.
    case notReplayable
}

extension StoreError: CustomStringConvertible {
    /// Says what happened and what can be done about it.
    public var description: String {
        switch self {
        case .shutDown: "The store has been shut down and takes no more actions."
        case .rejected(let name): "The interceptor \"\(name)\" did not let the action through."
        case .overloaded:
            "The store's mailbox is full. Send less, or raise its capacity or choose another policy in the configuration."
        case .notReady: "The store's first state could not be loaded, so that it takes no actions; its errors say why."
        case .cancelled: "The task was cancelled before the store accepted its action, which was not reduced."
        case .awaitsItself:
            "An effect waits for the end of its own store, or of effects that wait for it. Let it send an action, or not wait."
        case .unanswered:
            "The request was reduced, and no reducer answered it. Add a RequestReducer for its type, or return Effect.answer."
        case .notReplayable:
            "The store is recovered from its actions, and what is to change it is no action. Dispatch an action, or ask a request."
        }
    }
}
