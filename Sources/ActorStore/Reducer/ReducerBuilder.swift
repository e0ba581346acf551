/// A result builder that composes reducers.
///
/// It supports `if`, `if`/`else`, `switch` and `for`. Conditions are evaluated when the builder runs, and not for each
/// action.
@resultBuilder
public enum ReducerBuilder<State: Sendable, Action: Sendable> {
    /// Prepares a reducer.
    @inlinable
    public static func buildExpression(_ reducer: some Reducer<State, Action>) -> PreparedReducer<State, Action> {
        reducer.prepared()
    }

    /// Returns a reducer that does nothing.
    @inlinable
    public static func buildBlock() -> some Reducer<State, Action> { EmptyReducer() }

    /// Returns the first reducer of a block.
    @inlinable
    public static func buildPartialBlock<R: Reducer<State, Action>>(first: R) -> R { first }

    /// Returns a reducer that runs the accumulated reducers, then the next one.
    @inlinable
    public static func buildPartialBlock(
        accumulated: some Reducer<State, Action>,
        next: some Reducer<State, Action>
    ) -> some Reducer<State, Action> {
        ReducerPair(first: accumulated, second: next)
    }

    /// Returns the reducer of an `if` without `else`.
    @inlinable
    public static func buildOptional<R: Reducer<State, Action>>(_ reducer: R?) -> some Reducer<State, Action> {
        reducer?.prepared() ?? EmptyReducer().prepared()
    }

    /// Returns the reducer of the first branch.
    @inlinable
    public static func buildEither(first: some Reducer<State, Action>) -> PreparedReducer<State, Action> {
        first.prepared()
    }

    /// Returns the reducer of the second branch.
    @inlinable
    public static func buildEither(second: some Reducer<State, Action>) -> PreparedReducer<State, Action> {
        second.prepared()
    }

    /// Returns a reducer that runs the reducers of a loop in order.
    @inlinable
    public static func buildArray(_ reducers: [some Reducer<State, Action>]) -> PreparedReducer<State, Action> {
        let reducers = reducers.map { $0.prepared() }
        return PreparedReducer { state, action in
            var effects = Effect<Action>.Merging()
            for reducer in reducers { effects.add(reducer.reduce(into: &state, action: action)) }
            return effects.merged
        }
    }
}

/// Two reducers that run in order. A dedicated type, because a closure of two reducers would cost each level of a
/// composed reducer about 60 instructions more.
@usableFromInline
package struct ReducerPair<First: Reducer, Second: Reducer>: Reducer
where First.State == Second.State, First.Action == Second.Action {
    @usableFromInline let first: First
    @usableFromInline let second: Second

    @inlinable
    package init(first: First, second: Second) {
        self.first = first
        self.second = second
    }

    /// Runs both reducers in order, and merges their effects.
    @inlinable
    package func reduce(into state: inout First.State, action: First.Action) -> Effect<First.Action> {
        let effect = first.reduce(into: &state, action: action)
        return effect.merged(with: second.reduce(into: &state, action: action))
    }

    /// Returns both reducers with their bodies evaluated once.
    @inlinable
    package func prepared() -> PreparedReducer<First.State, First.Action> {
        let pair = ReducerPair<PreparedReducer<First.State, First.Action>, PreparedReducer<First.State, First.Action>>(
            first: first.prepared(),
            second: second.prepared()
        )
        return PreparedReducer { state, action in pair.reduce(into: &state, action: action) }
    }
}

/// A reducer that runs several reducers in order for each action.
///
/// ```swift
/// let app = Combine {
///     Accounting()
///     Reduce { state, action in state.lastAction = action }
/// }
/// ```
///
/// Each reducer receives the state as the previous one left it. Their effects are merged.
public struct Combine<State: Sendable, Action: Sendable>: Reducer {
    @usableFromInline let content: PreparedReducer<State, Action>

    /// Creates a reducer that runs several reducers in order.
    ///
    /// - Parameter content: A builder that returns the reducers.
    @inlinable
    public init(@ReducerBuilder<State, Action> content: () -> some Reducer<State, Action>) {
        self.content = content().prepared()
    }

    /// Runs the reducers in order, and merges their effects.
    ///
    /// - Parameters:
    ///   - state: The state to change.
    ///   - action: The action to handle.
    /// - Returns: The merged effects.
    @inlinable
    public func reduce(into state: inout State, action: Action) -> Effect<Action> {
        content.reduce(into: &state, action: action)
    }

    /// Returns the reducers with their bodies evaluated once.
    ///
    /// - Returns: The prepared reducer.
    @inlinable
    public func prepared() -> PreparedReducer<State, Action> { content }
}

/// A reducer that does nothing.
public struct EmptyReducer<State: Sendable, Action: Sendable>: Reducer {
    /// Creates a reducer that does nothing.
    @inlinable
    public init() {}

    /// Leaves the state unchanged.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - action: The action, which is ignored.
    /// - Returns: An empty effect.
    @inlinable
    public func reduce(into state: inout State, action: Action) -> Effect<Action> { .none }
}
