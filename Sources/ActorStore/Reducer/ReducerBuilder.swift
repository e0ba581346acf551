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
    public static func buildBlock() -> EmptyReducer<State, Action> { EmptyReducer() }

    /// The first of several.
    @inlinable
    public static func buildPartialBlock<R: Reducer<State, Action>>(first: R) -> R { first }

    /// One more.
    @inlinable
    public static func buildPartialBlock<First: Reducer<State, Action>, Second: Reducer<State, Action>>(
        accumulated: First,
        next: Second
    ) -> ReducerPair<First, Second> {
        ReducerPair(first: accumulated, second: next)
    }

    /// An `if` without `else`.
    @inlinable
    public static func buildOptional<R: Reducer<State, Action>>(
        _ reducer: R?
    ) -> ReducerChoice<R, EmptyReducer<State, Action>> {
        reducer.map(ReducerChoice.first) ?? .second(EmptyReducer())
    }

    /// The first branch of a choice.
    @inlinable
    public static func buildEither<First: Reducer<State, Action>, Second: Reducer<State, Action>>(
        first reducer: First
    ) -> ReducerChoice<First, Second> {
        .first(reducer)
    }

    /// The second branch of a choice.
    @inlinable
    public static func buildEither<First: Reducer<State, Action>, Second: Reducer<State, Action>>(
        second reducer: Second
    ) -> ReducerChoice<First, Second> {
        .second(reducer)
    }

    /// The passes of a loop.
    @inlinable
    public static func buildArray<R: Reducer<State, Action>>(_ reducers: [R]) -> ReducerSequence<R> {
        ReducerSequence(reducers: reducers)
    }

    /// The whole.
    @inlinable
    public static func buildFinalResult<R: Reducer<State, Action>>(_ reducer: R) -> R { reducer }
}

/// Two reducers, one after the other. Made by ``ReducerBuilder``.
public struct ReducerPair<First: Reducer, Second: Reducer>: Reducer
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
    public func reduce(into state: inout First.State, action: First.Action) -> Effect<First.Action> {
        let effect = first.reduce(into: &state, action: action)
        return effect.merged(with: second.reduce(into: &state, action: action))
    }

    /// The same, with the bodies of both made once.
    @inlinable
    public func prepared() -> PreparedReducer<First.State, First.Action> {
        let pair = ReducerPair<PreparedReducer<First.State, First.Action>, PreparedReducer<First.State, First.Action>>(
            first: first.prepared(),
            second: second.prepared()
        )
        return PreparedReducer { state, action in pair.reduce(into: &state, action: action) }
    }
}

/// One of two reducers, chosen when it was made. Made by ``ReducerBuilder``.
public enum ReducerChoice<First: Reducer, Second: Reducer>: Reducer
where First.State == Second.State, First.Action == Second.Action {
    /// The first was chosen.
    case first(First)
    /// The second was chosen.
    case second(Second)

    /// Runs the one that was chosen.
    @inlinable
    public func reduce(into state: inout First.State, action: First.Action) -> Effect<First.Action> {
        switch self {
        case .first(let reducer): reducer.reduce(into: &state, action: action)
        case .second(let reducer): reducer.reduce(into: &state, action: action)
        }
    }

    /// The one that was chosen, with its body made once.
    @inlinable
    public func prepared() -> PreparedReducer<First.State, First.Action> {
        switch self {
        case .first(let reducer): reducer.prepared()
        case .second(let reducer): reducer.prepared()
        }
    }
}

/// Any number of reducers of one type, one after the other. Made by ``ReducerBuilder``.
public struct ReducerSequence<Element: Reducer>: Reducer {
    @usableFromInline let reducers: [Element]

    @inlinable
    init(reducers: [Element]) {
        self.reducers = reducers
    }

    /// Runs all in order, and merges their effects.
    @inlinable
    public func reduce(into state: inout Element.State, action: Element.Action) -> Effect<Element.Action> {
        var effects = Effect<Element.Action>.Merging()
        for reducer in reducers { effects.add(reducer.reduce(into: &state, action: action)) }
        return effects.merged
    }

    /// The same, with their bodies made once.
    @inlinable
    public func prepared() -> PreparedReducer<Element.State, Element.Action> {
        let sequence = ReducerSequence<PreparedReducer<Element.State, Element.Action>>(
            reducers: reducers.map { $0.prepared() }
        )
        return PreparedReducer { state, action in sequence.reduce(into: &state, action: action) }
    }
}
