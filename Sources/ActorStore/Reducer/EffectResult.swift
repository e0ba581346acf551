/// What a closure of a reducer returns if it returns effects. Only ``Effect`` is that; it is there for the compiler to
/// tell such closures from those that return nothing: see ``Reduce``.
public protocol EffectResult<Action>: SendableMetatype {
    /// What the effects send.
    associatedtype Action: Sendable

    /// The effects.
    var effect: Effect<Action> { get }
}

extension Effect: EffectResult {
    /// This one.
    @inlinable public var effect: Effect { self }
}
