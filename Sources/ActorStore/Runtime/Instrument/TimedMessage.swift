import Synchronization

/// A message to a store with instruments, which want to know how long it has waited.
@usableFromInline
final class TimedMessage<State: Sendable, Action: Sendable> {
    @usableFromInline let message: Message<State, Action>
    @usableFromInline let arrival: Duration

    init(_ message: Message<State, Action>, arrival: Duration) {
        self.message = message
        self.arrival = arrival
    }
}

extension StoreCore {
    /// The message, with the time at which it comes if the store has instruments.
    @inlinable
    func timed(_ message: Message<State, Action>) -> Message<State, Action> {
        guard let panel = instrumentPanel.load() else { return message }
        return timed(message, by: panel)
    }

    @usableFromInline
    func timed(_ message: Message<State, Action>, by panel: InstrumentPanel) -> Message<State, Action> {
        guard panel.hasInstruments else { return message }
        return .timed(TimedMessage(message, arrival: panel.now()))
    }

    /// Puts a message into the mailbox of a store with instruments, which are told if there is no room; otherwise like
    /// ``post(_:whenClosed:)``.
    ///
    /// - Parameter node: the store that it is for, if that is known not to be the root.
    @usableFromInline
    func post(
        _ message: Message<State, Action>,
        whenClosed: Bool,
        of node: (any StoreNode)? = nil,
        tracing panel: InstrumentPanel
    ) -> Mailbox<Message<State, Action>>.Admission {
        let timed = timed(message, by: panel)
        let admission: Mailbox<Message<State, Action>>.Admission = mailboxLock.withLock {
            noteOrigin()
            return node?.isRefusing == true ? .closed : mailbox.offer(timed, whenClosed: whenClosed)
        }
        switch admission {
        case .dropped, .full:
            panel.drop(message, of: node?.name)
        case .accepted, .acceptedInPlaceOfOthers, .closed:
            break
        }
        if gate.announce() { drainIfAllowed() }
        return admission
    }
}

extension InstrumentPanel {
    /// Tells that a message will not be read.
    ///
    /// - Parameter name: the store that it was for, if that is known not to be the root.
    func drop<State: Sendable, Action: Sendable>(
        _ message: Message<State, Action>,
        of name: String? = nil,
        because reason: DroppedAction.Reason = .overload
    ) {
        drop(message.weight, of: name, message.action, because: reason)
    }
}

extension Message {
    /// Its action, if it is one of the root's own.
    fileprivate var action: Action? {
        switch self {
        case .action(let action), .reply(let action): action
        case .dispatch(let action, _, _), .feedback(let action, _), .dismissal(let action, _): action
        case .childReply(let action, _): action
        case .timed(let timed): timed.message.action
        case .batch, .forwarded, .task, .job, .removed: nil
        }
    }
}
