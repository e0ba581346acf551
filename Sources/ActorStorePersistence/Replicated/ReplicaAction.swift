import ActorStore
import Foundation

/// What happens in the store of a replica.
enum ReplicaAction<State: Sendable, Action: Sendable>: Sendable {
    /// An action of this replica is to go into the log.
    case local(Action, LocalSender)
    /// An entry has come by the log.
    case entry(ReplicatedEntry<Action>)
    /// A state takes the place of what there is: what is between was not seen.
    indirect case install(LoggedState<State>)
}

/// An entry of the log, on its way to the store.
struct ReplicatedEntry<Action: Sendable>: Sendable {
    let identity: ActionLogEntry.Identity
    let header: EntryHeader
    /// The action, if it is to be reduced.
    let action: Action?
    /// How many bytes the entry has.
    let size: Int
}

/// Who sends an action of this replica.
struct LocalSender: Sendable {
    /// For whoever waits for the action.
    var ticket: Ticket?
    /// The bytes of the action, if it has been encoded.
    var payload: Data?
    /// The lease that it is sent under.
    var lease: UInt64?
    /// Whether it is an effect, which may still send while the store is shut down.
    var isEffect = false
}

extension ReplicaAction {
    /// What users' actions become on their way to the log, and the actions that come by it.
    static var local: CasePath<ReplicaAction, Action> {
        CasePath(embed: { .local($0, LocalSender()) }) { action in
            if case .entry(let entry) = action { entry.action } else { nil }
        }
    }
}
