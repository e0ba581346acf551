import ActorStore

/// A result builder that collects effects.
///
/// It supports `if`, `if`/`else`, `switch` and `for`, and accepts effects, optional effects and arrays of effects.
/// Effects that are nil or do nothing are left out. The result is one flat list, in the order in which it is written.
/// It is used by `Effect.init(_:)`, and by `merge` and `concatenate` with a closure.
@resultBuilder
public enum EffectBuilder<Action: Sendable> {
    /// Adds one effect.
    public static func buildExpression(_ effect: Effect<Action>) -> [Effect<Action>] {
        effect.isNone ? [] : [effect]
    }

    /// Adds one effect, unless it is nil.
    @_disfavoredOverload
    public static func buildExpression(_ effect: Effect<Action>?) -> [Effect<Action>] {
        effect.map { buildExpression($0) } ?? []
    }

    /// Adds an array of effects.
    public static func buildExpression(_ effects: [Effect<Action>]) -> [Effect<Action>] {
        effects.filter { !$0.isNone }
    }

    /// Adds an array of optional effects, without those that are nil.
    @_disfavoredOverload
    public static func buildExpression(_ effects: [Effect<Action>?]) -> [Effect<Action>] {
        effects.compactMap { $0 }.filter { !$0.isNone }
    }

    /// Builds an empty list.
    public static func buildBlock() -> [Effect<Action>] { [] }

    /// Begins the list.
    public static func buildPartialBlock(first: [Effect<Action>]) -> [Effect<Action>] { first }

    /// Appends to the list.
    public static func buildPartialBlock(
        accumulated: consuming [Effect<Action>],
        next: [Effect<Action>]
    ) -> [Effect<Action>] {
        accumulated.append(contentsOf: next)
        return accumulated
    }

    /// Adds the effects of an `if` without `else`.
    public static func buildOptional(_ effects: [Effect<Action>]?) -> [Effect<Action>] { effects ?? [] }

    /// Adds the effects of the first branch.
    public static func buildEither(first effects: [Effect<Action>]) -> [Effect<Action>] { effects }

    /// Adds the effects of the second branch.
    public static func buildEither(second effects: [Effect<Action>]) -> [Effect<Action>] { effects }

    /// Adds the effects of all iterations of a loop.
    public static func buildArray(_ effects: [[Effect<Action>]]) -> [Effect<Action>] { effects.flatMap(\.self) }

    /// Adds effects that are available on some platforms only.
    public static func buildLimitedAvailability(_ effects: [Effect<Action>]) -> [Effect<Action>] { effects }
}

extension Effect {
    /// Creates an effect that runs the effects in the closure sequentially.
    ///
    /// ```swift
    /// return Effect {
    ///     Effect.send(.saving)
    ///     if state.isDirty { Effect.task { .saved(try await files.save(document)) } }
    ///     for observer in observers { Effect.fireAndForget { await observer.notify() } }
    /// }
    /// ```
    ///
    /// This is the same as `Effect.concatenate { … }`: each effect starts when the previous one has ended. Use
    /// `Effect.merge { … }` to run effects concurrently.
    public init(@EffectBuilder<Action> _ effects: () -> [Effect]) {
        self = .concatenate(effects())
    }

    /// Returns an effect that runs the effects in the closure sequentially.
    public static func concatenate(@EffectBuilder<Action> _ effects: () -> [Effect]) -> Effect {
        concatenate(effects())
    }

    /// Returns an effect that runs the effects in the closure concurrently.
    public static func merge(@EffectBuilder<Action> _ effects: () -> [Effect]) -> Effect {
        merge(effects())
    }
}
