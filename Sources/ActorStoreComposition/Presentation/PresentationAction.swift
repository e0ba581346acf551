import ActorStore

/// An action of a presented child, or the end of its presentation. See ``Presented``.
public enum PresentationAction<Action: Sendable>: Sendable {
    /// An action of the child.
    case presented(Action)
    /// Dismisses the child. The parent receives this while the child is still present; then the child becomes nil.
    case dismiss
}

extension PresentationAction: Equatable where Action: Equatable {}
extension PresentationAction: Hashable where Action: Hashable {}
extension PresentationAction: Encodable where Action: Encodable {}
extension PresentationAction: Decodable where Action: Decodable {}

/// The lifetime of a presented child.
public enum PresentationLifetime: Sendable {
    /// The child stays until it is dismissed, or its state is set to nil.
    case untilDismissed
    /// The child stays until one of its actions has been reduced, like an alert that is answered; unless its parent
    /// presents another child in that action.
    case oneAction
}
