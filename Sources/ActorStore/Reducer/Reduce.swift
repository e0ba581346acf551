/// A reducer made of a closure.
///
/// ```swift
/// let counter = Reduce<Int, Step> { count, step in count += step.size }
/// ```
public struct Reduce<State: Sendable, Action: Sendable>: Reducer {
    @usableFromInline let closure: @Sendable (inout State, Action) -> Effect<Action>

    /// Creates a reducer that changes the state as `reduce` does and asks for the effects that it returns.
    @inlinable
    public init(_ reduce: @escaping @Sendable (_ state: inout State, _ action: Action) -> Effect<Action>) {
        closure = reduce
    }

    /// Creates a reducer that changes the state as `reduce` does, without effects.
    @inlinable
    public init(_ reduce: @escaping @Sendable (_ state: inout State, _ action: Action) -> Void) {
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
}
