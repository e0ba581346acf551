import ActorStore
import Foundation

/// The actions of the store of a replica.
enum ReplicaAction<State: Sendable, Action: Sendable>: Sendable {
    /// Appends an action of this replica to the log.
    case local(Action, LocalSender)
    /// Reduces an entry of the log.
    case entry(ReplicatedEntry<Action>)
    /// Replaces the state; the entries in between are skipped.
    indirect case install(LoggedState<State>)
}

/// An entry of the log for the store.
struct ReplicatedEntry<Action: Sendable>: Sendable {
    let position: UInt64
    let identity: ActionLogEntry.Identity
    let header: EntryHeader
    /// The action, if it is to be reduced.
    let action: Action?
    /// The number of bytes of the entry.
    let size: Int
}

/// The sender of an action of this replica.
struct LocalSender: Sendable {
    /// The ticket of a caller that waits for the action.
    var ticket: Ticket?
    /// The encoded action, if it is encoded already.
    var payload: Data?
    /// The token of the lease under which the action is sent.
    var lease: UInt64?
    /// Whether the sender is an effect, which may still send during a shutdown.
    var isEffect = false
}

extension ReplicaAction {
    /// The case path between users' actions and those of the replica's store.
    static var local: CasePath<ReplicaAction, Action> {
        CasePath(embed: { .local($0, LocalSender()) }) { action in
            if case .entry(let entry) = action { entry.action } else { nil }
        }
    }
}
