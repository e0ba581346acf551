/// Composes reducers that are written one below the other.
///
/// Supports `if`, `if`/`else`, `switch` and `for`; what is composed is decided when the builder runs, not for each
/// action. What it makes is a ``PreparedReducer``: the bodies of all are made once, and their effects are merged.
@resultBuilder
public enum ReducerBuilder<State: Sendable, Action: Sendable> {
    /// One reducer, in the form in which it is run.
    @inlinable
    public static func buildExpression(_ reducer: some Reducer<State, Action>) -> PreparedReducer<State, Action> {
        reducer.prepared()
    }

    /// No reducer at all.
    @inlinable
    public static func buildBlock() -> PreparedReducer<State, Action> { EmptyReducer().prepared() }

    /// The first of several.
    @inlinable
    public static func buildPartialBlock(first: PreparedReducer<State, Action>) -> PreparedReducer<State, Action> {
        first
    }

    /// One more.
    @inlinable
    public static func buildPartialBlock(
        accumulated: PreparedReducer<State, Action>,
        next: PreparedReducer<State, Action>
    ) -> PreparedReducer<State, Action> {
        accumulated.followed(by: next)
    }

    /// An `if` without `else`.
    @inlinable
    public static func buildOptional(_ reducer: PreparedReducer<State, Action>?) -> PreparedReducer<State, Action> {
        reducer ?? buildBlock()
    }

    /// The first branch of a choice.
    @inlinable
    public static func buildEither(first: PreparedReducer<State, Action>) -> PreparedReducer<State, Action> { first }

    /// The second branch of a choice.
    @inlinable
    public static func buildEither(second: PreparedReducer<State, Action>) -> PreparedReducer<State, Action> { second }

    /// The passes of a loop.
    @inlinable
    public static func buildArray(_ reducers: [PreparedReducer<State, Action>]) -> PreparedReducer<State, Action> {
        PreparedReducer { state, action in
            var effects = Effect<Action>.Merging()
            for reducer in reducers { effects.add(reducer.run(&state, action)) }
            return effects.merged
        }
    }
}
