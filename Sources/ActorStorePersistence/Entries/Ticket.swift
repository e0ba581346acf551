import ActorStore

/// Carries the outcome of an action to the caller that dispatched it.
final class Ticket: Sendable {
    /// The outcome of an action in this store.
    enum Outcome: Sendable {
        case none
        /// The action was accepted as the entry with this number.
        case accepted(number: UInt64)
        /// The action was reduced before, at the latest with this number.
        case repeated(number: UInt64)
        /// The action will not be reduced.
        case refused(ActionLogError)
    }

    /// The outcome of an action that was appended before it was reduced.
    struct Arrival: Sendable {
        let verdict: LogAccount.Verdict
        /// The reducer's answer; nil if there is no answer.
        let answer: (any Sendable)?
    }

    /// The name of the action.
    let id: String?
    /// The revision that the action expects.
    let expected: UInt64?
    private let stored = LockedValue<(outcome: Outcome, arrival: Arrival?)>((.none, nil))

    init(id: String? = nil, expected: UInt64? = nil) {
        self.id = id
        self.expected = expected
    }

    var outcome: Outcome {
        get { stored.withLock { $0.outcome } }
        set { stored.withLock { $0.outcome = newValue } }
    }

    /// Records the outcome of the action, or of a part of it. The refusal of an earlier part remains.
    func settle(_ outcome: Outcome) {
        stored.withLock { stored in
            if case .refused = stored.outcome { return }
            stored.outcome = outcome
        }
    }

    /// Whether the action, or a part of it, was refused.
    var isRefused: Bool { if case .refused = outcome { true } else { false } }

    /// The outcome when the action was read from the log; nil until then.
    var arrival: Arrival? {
        get { stored.withLock { $0.arrival } }
        set { stored.withLock { $0.arrival = newValue } }
    }
}
