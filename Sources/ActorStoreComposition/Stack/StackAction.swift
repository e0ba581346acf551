import ActorStore

/// An action of a child in a ``StackState``, or an action that changes the stack.
public enum StackAction<Element: Sendable, Action: Sendable>: Sendable {
    /// An action of a child.
    case element(id: StackElementID, action: Action)
    /// Pushes a child. The parent's reducer runs after the child has been pushed.
    case push(Element)
    /// Removes a child, and all above it. The parent's reducer runs while they are still in the stack.
    case popFrom(id: StackElementID)
}

extension StackAction: Equatable where Element: Equatable, Action: Equatable {}
extension StackAction: Hashable where Element: Hashable, Action: Hashable {}
extension StackAction: Encodable where Element: Encodable, Action: Encodable {}
extension StackAction: Decodable where Element: Decodable, Action: Decodable {}

/// The identity of a child in a ``StackState``.
public struct StackElementID: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// The number of children that were pushed before it.
    public let number: UInt64

    /// Creates the identity of the child that was pushed after `number` others; for tests.
    public init(number: UInt64) { self.number = number }

    /// Returns whether the left child was pushed before the right one.
    public static func < (left: StackElementID, right: StackElementID) -> Bool { left.number < right.number }

    /// The number, after a `#`.
    public var description: String { "#\(number)" }
}
