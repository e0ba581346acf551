import Synchronization

/// A letter to a store with instruments, which want to know how long it has waited.
@usableFromInline
final class TimedLetter<State: Sendable, Action: Sendable> {
    @usableFromInline let letter: Letter<State, Action>
    @usableFromInline let arrival: Duration

    init(_ letter: Letter<State, Action>, arrival: Duration) {
        self.letter = letter
        self.arrival = arrival
    }
}

extension StoreCore {
    /// The letter, with the time at which it comes if the store has instruments.
    @inlinable
    func timed(_ letter: Letter<State, Action>) -> Letter<State, Action> {
        guard let panel = instrumentPanel.load() else { return letter }
        return timed(letter, by: panel)
    }

    @usableFromInline
    func timed(_ letter: Letter<State, Action>, by panel: InstrumentPanel) -> Letter<State, Action> {
        guard panel.isActive.loadRelaxed() else { return letter }
        return .timed(TimedLetter(letter, arrival: panel.clock.now()))
    }

    /// Puts a letter into the mailbox of a store with instruments, which are told if there is no room; otherwise like
    /// ``post(_:whenClosed:)``.
    ///
    /// - Parameter node: the store that it is for, if that is known not to be the root.
    @usableFromInline
    func post(
        _ letter: Letter<State, Action>,
        whenClosed: Bool,
        of node: (any StoreNode)? = nil,
        telling panel: InstrumentPanel
    ) -> Mailbox<Letter<State, Action>>.Admission {
        let timed = timed(letter, by: panel)
        let admission: Mailbox<Letter<State, Action>>.Admission = mailboxLock.withLock {
            noteOrigin()
            return node?.isRefusing == true ? .closed : mailbox.offer(timed, whenClosed: whenClosed)
        }
        switch admission {
        case .dropped, .full:
            panel.drop(letter, of: node?.name)
        case .accepted, .acceptedInPlaceOfOthers, .closed:
            break
        }
        if gate.announce() { drainIfAllowed() }
        return admission
    }
}

extension InstrumentPanel {
    /// Tells that there was no room for a letter.
    ///
    /// - Parameter name: the store that it was for, if that is known not to be the root.
    func drop<State: Sendable, Action: Sendable>(_ letter: Letter<State, Action>, of name: String? = nil) {
        drop(letter.weight, of: name, letter.action, because: .overload)
    }
}

extension Letter {
    /// Its action, if it is one of the root's own.
    fileprivate var action: Action? {
        switch self {
        case .action(let action), .reply(let action): action
        case .dispatch(let action, _, _), .feedback(let action, _), .dismissal(let action, _): action
        case .childReply(let action, _): action
        case .timed(let timed): timed.letter.action
        case .batch, .forwarded, .task, .job, .removed: nil
        }
    }
}
