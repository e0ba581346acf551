import ActorStore

/// An action of a child that is presented, or the end of its presentation. See ``Presented``.
public enum PresentationAction<Action: Sendable>: Sendable {
    /// The child's own.
    case presented(Action)
    /// The child goes: its parent sees this while the child is still there, and then that becomes nil.
    case dismiss
}

extension PresentationAction: Equatable where Action: Equatable {}
extension PresentationAction: Hashable where Action: Hashable {}
extension PresentationAction: Encodable where Action: Encodable {}
extension PresentationAction: Decodable where Action: Decodable {}

/// How long a child is presented.
public enum PresentationLifetime: Sendable {
    /// Until it is dismissed, or its state set to nil.
    case untilDismissed
    /// Until one of its actions has been reduced, as an alert that is answered; unless its parent presents another one
    /// in that action.
    case oneAction
}
