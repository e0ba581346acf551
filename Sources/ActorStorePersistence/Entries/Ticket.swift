import ActorStore

/// Tells whoever dispatches an action what became of it.
final class Ticket: Sendable {
    /// What became of the action.
    enum Outcome: Sendable {
        case none
        /// It has been accepted, as the entry with this number.
        case accepted(number: UInt64)
        /// It was reduced before, at the latest with this number.
        case repeated(number: UInt64)
        /// It will not be reduced.
        case refused(ActionLogError)
    }

    /// What the log has made of an action that went into it without being reduced before.
    struct Arrival: Sendable {
        let verdict: LogAccount.Verdict
        /// What the reducer has answered; nil if it has not.
        let answer: (any Sendable)?
    }

    /// Names the action.
    let id: String?
    /// The revision that it is meant for.
    let expected: UInt64?
    private let stored = LockedValue(Outcome.none)
    private let arrived = LockedValue<Arrival?>(nil)

    init(id: String? = nil, expected: UInt64? = nil) {
        self.id = id
        self.expected = expected
    }

    var outcome: Outcome {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }

    /// What came of the action when it was read from the log; nil until then.
    var arrival: Arrival? {
        get { arrived.withLock { $0 } }
        set { arrived.withLock { $0 = newValue } }
    }
}
