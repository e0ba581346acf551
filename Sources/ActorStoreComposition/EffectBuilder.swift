import ActorStore

/// Collects effects that are written one below the other.
///
/// Supports `if`, `if`/`else`, `switch` and `for`, and takes effects, optional ones and arrays of them. Those that are
/// nil or do nothing are left out; everything is one flat list in the order in which it is written. See
/// `Effect.init(_:)`, and `merge` and `concatenate` with a closure.
@resultBuilder
public enum EffectBuilder<Action: Sendable> {
    /// One effect.
    public static func buildExpression(_ effect: Effect<Action>) -> [Effect<Action>] {
        effect.isNone ? [] : [effect]
    }

    /// One effect, if there is one.
    @_disfavoredOverload
    public static func buildExpression(_ effect: Effect<Action>?) -> [Effect<Action>] {
        effect.map { buildExpression($0) } ?? []
    }

    /// Any number of effects.
    public static func buildExpression(_ effects: [Effect<Action>]) -> [Effect<Action>] {
        effects.filter { !$0.isNone }
    }

    /// Any number of effects, some of which may be missing.
    @_disfavoredOverload
    public static func buildExpression(_ effects: [Effect<Action>?]) -> [Effect<Action>] {
        effects.compactMap { $0 }.filter { !$0.isNone }
    }

    /// No effects at all.
    public static func buildBlock() -> [Effect<Action>] { [] }

    /// The first of several.
    public static func buildPartialBlock(first: [Effect<Action>]) -> [Effect<Action>] { first }

    /// One more.
    public static func buildPartialBlock(
        accumulated: consuming [Effect<Action>],
        next: [Effect<Action>]
    ) -> [Effect<Action>] {
        accumulated.append(contentsOf: next)
        return accumulated
    }

    /// An `if` without `else`.
    public static func buildOptional(_ effects: [Effect<Action>]?) -> [Effect<Action>] { effects ?? [] }

    /// The first branch of a choice.
    public static func buildEither(first effects: [Effect<Action>]) -> [Effect<Action>] { effects }

    /// The second branch of a choice.
    public static func buildEither(second effects: [Effect<Action>]) -> [Effect<Action>] { effects }

    /// The passes of a loop.
    public static func buildArray(_ effects: [[Effect<Action>]]) -> [Effect<Action>] { effects.flatMap(\.self) }

    /// What is there on some platforms only.
    public static func buildLimitedAvailability(_ effects: [Effect<Action>]) -> [Effect<Action>] { effects }
}

extension Effect {
    /// The effects that are written in the closure, one after the other, as they stand there.
    ///
    /// ```swift
    /// return Effect {
    ///     Effect.send(.saving)
    ///     if state.isDirty { Effect.task { .saved(try await files.save(document)) } }
    ///     for observer in observers { Effect.fireAndForget { await observer.notify() } }
    /// }
    /// ```
    ///
    /// The same as `Effect.concatenate { … }`: each begins when the one before it has ended. `Effect.merge { … }` runs
    /// them at the same time.
    public init(@EffectBuilder<Action> _ effects: () -> [Effect]) {
        self = .concatenate(effects())
    }

    /// The effects that are written in the closure, one after the other.
    public static func concatenate(@EffectBuilder<Action> _ effects: () -> [Effect]) -> Effect {
        concatenate(effects())
    }

    /// The effects that are written in the closure, all at the same time.
    public static func merge(@EffectBuilder<Action> _ effects: () -> [Effect]) -> Effect {
        merge(effects())
    }
}
