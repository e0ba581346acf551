/// A reducer made of a closure.
///
/// ```swift
/// let counter = Reduce<Int, Step> { count, step in count += step.size }
/// ```
public struct Reduce<State: Sendable, Action: Sendable>: Reducer {
    @usableFromInline let closure: @Sendable (inout State, Action) -> Effect<Action>

    // Three initializers of which the compiler has to choose the right one for every closure. One without a `return`
    // fits each result there is, until it is too late: so the one of effects is disfavoured. But a closure that is but
    // one expression fits one without a result, too: so effects are taken generically before that, and the closure
    // without a result is optional, which is a little worse than what fits as it is.

    /// Creates a reducer that changes the state as `reduce` does and asks for the effects that it returns.
    @inlinable
    @_disfavoredOverload
    public init(_ reduce: @escaping @Sendable (_ state: inout State, _ action: Action) -> Effect<Action>) {
        closure = reduce
    }

    /// Creates a reducer that changes the state as `reduce` does and asks for the effects that it returns.
    @inlinable
    public init<Result: EffectResult<Action>>(
        _ reduce: @escaping @Sendable (_ state: inout State, _ action: Action) -> Result
    ) {
        closure = { state, action in reduce(&state, action).effect }
    }

    /// Creates a reducer that changes the state as `reduce` does, without effects; nil leaves it alone.
    @inlinable
    public init(_ reduce: (@Sendable (_ state: inout State, _ action: Action) -> Void)?) {
        // Without the optional in what is kept, so that the compiler can make the closure part of what calls it.
        guard let reduce else {
            closure = { _, _ in .none }
            return
        }
        closure = { state, action in
            reduce(&state, action)
            return .none
        }
    }

    /// Calls the closure.
    @inlinable
    public func reduce(into state: inout State, action: Action) -> Effect<Action> {
        closure(&state, action)
    }

    /// The closure itself.
    @inlinable
    public func prepared() -> PreparedReducer<State, Action> { PreparedReducer(closure) }
}

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
