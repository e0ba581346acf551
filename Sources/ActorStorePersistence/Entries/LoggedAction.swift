import ActorStore
import Foundation

/// What happens in the store of a log.
enum LoggedAction<State: Sendable, Action: Sendable>: Sendable {
    /// Somebody here wants an action to be reduced.
    case local(Action, LocalSender)
    /// Something else is to be in the log.
    case note(EntryHeader)
    /// An action has been settled, and its effects begin.
    case begin(number: UInt64)
    /// An entry has come by the log.
    case entry(ActionLogEntry, EntryHeader, Action?)
    /// A state takes the place of what there is: what is between was not seen.
    case install(LoggedState<State>)
}

/// Who wants an action to be reduced, with its bytes.
struct LocalSender: Sendable {
    /// The bytes of the action, or why there are none.
    let encoded: Result<Data, ActionLogError>
    /// For whoever waits for the action.
    var ticket: Ticket?
    /// Names the action.
    var id: String?
    /// The revision that it is meant for.
    var expected: UInt64?
    /// The lease that it is sent under.
    var lease: UInt64?
    /// Whether it is an effect, which may still send while the store is shut down.
    var isEffect = false
}

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

    /// What the reducer has answered.
    enum Answer: Sendable {
        /// It has not reduced the action here.
        case none
        /// It has, with this answer, or without one.
        case given((any Sendable)?)
    }

    private struct Contents {
        var outcome = Outcome.none
        var answer = Answer.none
    }

    /// Names the action.
    let id: String?
    /// The revision that it is meant for.
    let expected: UInt64?
    private let stored = LockedValue(Contents())

    init(id: String? = nil, expected: UInt64? = nil) {
        self.id = id
        self.expected = expected
    }

    var outcome: Outcome {
        get { stored.withLock { $0.outcome } }
        set { stored.withLock { $0.outcome = newValue } }
    }

    var answer: Answer {
        get { stored.withLock { $0.answer } }
        set { stored.withLock { $0.answer = newValue } }
    }
}
