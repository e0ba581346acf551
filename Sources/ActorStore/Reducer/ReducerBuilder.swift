/// Composes reducers that are written one below the other.
///
/// Supports `if`, `if`/`else`, `switch` and `for`; what is composed is decided when the builder runs, not for each
/// action.
@resultBuilder
public enum ReducerBuilder<State: Sendable, Action: Sendable> {
    /// One reducer, in the form in which it is run.
    @inlinable
    public static func buildExpression(_ reducer: some Reducer<State, Action>) -> PreparedReducer<State, Action> {
        reducer.prepared()
    }

    /// No reducer at all.
    @inlinable
    public static func buildBlock() -> some Reducer<State, Action> { EmptyReducer() }

    /// The first of several.
    @inlinable
    public static func buildPartialBlock<R: Reducer<State, Action>>(first: R) -> R { first }

    /// One more.
    @inlinable
    public static func buildPartialBlock(
        accumulated: some Reducer<State, Action>,
        next: some Reducer<State, Action>
    ) -> some Reducer<State, Action> {
        ReducerPair(first: accumulated, second: next)
    }

    /// An `if` without `else`.
    @inlinable
    public static func buildOptional<R: Reducer<State, Action>>(_ reducer: R?) -> some Reducer<State, Action> {
        reducer?.prepared() ?? EmptyReducer().prepared()
    }

    /// The first branch of a choice.
    @inlinable
    public static func buildEither(first: some Reducer<State, Action>) -> PreparedReducer<State, Action> {
        first.prepared()
    }

    /// The second branch of a choice.
    @inlinable
    public static func buildEither(second: some Reducer<State, Action>) -> PreparedReducer<State, Action> {
        second.prepared()
    }

    /// The passes of a loop.
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

/// Two reducers, one after the other. A type of its own, and no closure of two, which would cost each level of a
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

    /// Runs both in order, and merges their effects.
    @inlinable
    package func reduce(into state: inout First.State, action: First.Action) -> Effect<First.Action> {
        let effect = first.reduce(into: &state, action: action)
        return effect.merged(with: second.reduce(into: &state, action: action))
    }

    /// The same, with the bodies of both made once.
    @inlinable
    package func prepared() -> PreparedReducer<First.State, First.Action> {
        let pair = ReducerPair<PreparedReducer<First.State, First.Action>, PreparedReducer<First.State, First.Action>>(
            first: first.prepared(),
            second: second.prepared()
        )
        return PreparedReducer { state, action in pair.reduce(into: &state, action: action) }
    }
}

/// Reducers that all see each action, in the order in which they are written.
///
/// ```swift
/// let app = Combine {
///     Accounting()
///     Reduce { state, action in state.lastAction = action }
/// }
/// ```
///
/// Each sees the state as those before it left it. Their effects are merged.
public struct Combine<State: Sendable, Action: Sendable>: Reducer {
    @usableFromInline let content: PreparedReducer<State, Action>

    /// Creates a reducer of those in `content`.
    @inlinable
    public init(@ReducerBuilder<State, Action> content: () -> some Reducer<State, Action>) {
        self.content = content().prepared()
    }

    /// Runs the reducers in order, and merges their effects.
    @inlinable
    public func reduce(into state: inout State, action: Action) -> Effect<Action> {
        content.reduce(into: &state, action: action)
    }

    /// The reducers in order, with their bodies made once.
    @inlinable
    public func prepared() -> PreparedReducer<State, Action> { content }
}

/// A reducer that does nothing.
public struct EmptyReducer<State: Sendable, Action: Sendable>: Reducer {
    /// Creates a reducer that does nothing.
    @inlinable
    public init() {}

    /// Leaves the state alone.
    @inlinable
    public func reduce(into state: inout State, action: Action) -> Effect<Action> { .none }
}
