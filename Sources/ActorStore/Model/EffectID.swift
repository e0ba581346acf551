/// The identity of an effect: any hashable value.
///
/// Two are equal if their values are of the same type and equal: `7` is not the identity that `7 as UInt32` is. An
/// optional that has a value is the identity that its value is.
public struct EffectID: Hashable, Sendable, CustomStringConvertible {
    private let identity: ExactIdentity

    /// The value.
    public var value: any Hashable & Sendable { identity.value }

    /// Makes an identity of a value; one that is an identity already stays what it is.
    public init(_ value: any Hashable & Sendable) {
        identity = ExactIdentity(unwrapping: value)
    }

    /// The value in plain text, without what is ``Redactable`` in it.
    public var description: String { ValueDescription.text(of: value) }
}

extension EffectID: IdentityWrapper {
    var wrappedIdentity: (any Hashable & Sendable)? { value }
}
