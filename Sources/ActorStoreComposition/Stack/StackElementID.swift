import ActorStore

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
