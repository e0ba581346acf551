import ActorStore

/// An action of a child in a ``StackState``, or one that changes the stack.
public enum StackAction<Element: Sendable, Action: Sendable>: Sendable {
    /// The child's own.
    case element(id: StackElementID, action: Action)
    /// A child comes to the top; its parent sees this when it is there.
    case push(Element)
    /// A child goes, and all above it; the parent sees this while they are still there.
    case popFrom(id: StackElementID)
}

extension StackAction: Equatable where Element: Equatable, Action: Equatable {}
extension StackAction: Hashable where Element: Hashable, Action: Hashable {}
extension StackAction: Encodable where Element: Encodable, Action: Encodable {}
extension StackAction: Decodable where Element: Decodable, Action: Decodable {}
