/// A reducer that calls a closure.
///
/// ```swift
/// let counter = Reduce<Int, Step> { count, step in count += step.size }
/// ```
public struct Reduce<State: Sendable, Action: Sendable>: Reducer {
    @usableFromInline let closure: @Sendable (inout State, Action) -> Effect<Action>

    // The compiler chooses one of three initializers for each closure. A closure without a `return` fits every result
    // type until its body is checked, so the overload for effects is disfavoured. A closure of a single expression also
    // fits one without a result, so a generic overload for effects comes before that, and the overload without a result
    // takes an optional closure, which ranks slightly lower than an exact match.

    /// Creates a reducer from a closure that returns effects.
    ///
    /// - Parameter reduce: A closure that changes the state and returns the effects to run.
    @inlinable
    @_disfavoredOverload
    public init(_ reduce: @escaping @Sendable (_ state: inout State, _ action: Action) -> Effect<Action>) {
        closure = reduce
    }

    /// Creates a reducer from a closure that returns effects.
    ///
    /// - Parameter reduce: A closure that changes the state and returns the effects to run.
    @inlinable
    public init<Result: EffectResult<Action>>(
        _ reduce: @escaping @Sendable (_ state: inout State, _ action: Action) -> Result
    ) {
        closure = { state, action in reduce(&state, action).effect }
    }

    /// Creates a reducer from a closure without effects.
    ///
    /// - Parameter reduce: A closure that changes the state; nil for a reducer that does nothing.
    @inlinable
    public init(_ reduce: (@Sendable (_ state: inout State, _ action: Action) -> Void)?) {
        // The stored closure is not optional, so that the compiler can inline it into its caller.
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
    ///
    /// - Parameters:
    ///   - state: The state to change.
    ///   - action: The action to handle.
    /// - Returns: The effects to run.
    @inlinable
    public func reduce(into state: inout State, action: Action) -> Effect<Action> {
        closure(&state, action)
    }

    /// Returns the closure in the form in which stores run it.
    ///
    /// - Returns: The prepared reducer.
    @inlinable
    public func prepared() -> PreparedReducer<State, Action> { PreparedReducer(closure) }
}

/// The result of a reducer's closure that returns effects. Only ``Effect`` conforms to it. The compiler uses it to
/// distinguish such closures from those that return nothing; see ``Reduce``.
public protocol EffectResult<Action>: SendableMetatype {
    /// The actions that the effects send.
    associatedtype Action: Sendable

    /// The effects.
    var effect: Effect<Action> { get }
}

extension Effect: EffectResult {
    /// This effect.
    @inlinable public var effect: Effect { self }
}
