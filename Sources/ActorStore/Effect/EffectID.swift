/// The identity of an effect: any hashable value. Two are equal if their values are of the same type and equal.
public struct EffectID: Hashable, Sendable, CustomStringConvertible {
    /// The value.
    public let value: any Hashable & Sendable

    /// Makes an identity of a value; one that is an identity already stays what it is.
    public init(_ value: any Hashable & Sendable) {
        self.value = (value as? EffectID)?.value ?? value
    }

    /// Whether both have values of the same type that are equal.
    public static func == (left: EffectID, right: EffectID) -> Bool {
        AnyHashable(left.value) == AnyHashable(right.value)
    }

    /// Feeds the value to `hasher`.
    public func hash(into hasher: inout Hasher) {
        AnyHashable(value).hash(into: &hasher)
    }

    /// The value in plain text, without what is ``Redactable`` in it.
    public var description: String { ValueDescription.text(of: value) }
}
