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

/// What a child of a ``StackState`` is found by.
public struct StackElementID: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// How many children of the stack came before it.
    public let number: UInt64

    /// The identity of the child before which `number` others came; for a test that knows.
    public init(number: UInt64) { self.number = number }

    /// Whether the left one was pushed before the right one.
    public static func < (left: StackElementID, right: StackElementID) -> Bool { left.number < right.number }

    /// The number.
    public var description: String { "#\(number)" }
}
