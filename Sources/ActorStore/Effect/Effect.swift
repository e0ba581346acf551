/// A description of asynchronous work that a store runs after it has reduced an action and notified its observers.
///
/// A reducer returns an effect; nothing happens until a store runs it. The work runs in its own task, off the store,
/// and sends actions back to the store. The store tracks it: you can cancel it by its identity or through the
/// ``StoreTask`` of the action that started it, and a shutdown of the store awaits or cancels it.
public struct Effect<Action: Sendable>: Sendable {
    /// Nil for an empty effect, so that a reducer without effects costs one comparison with zero.
    @usableFromInline let operation: Operation?

    @usableFromInline
    indirect enum Operation: Sendable {
        case send(Action)
        case run(EffectWork<Action>)
        case cancel(EffectID)
        case merge([Operation])
        case concatenate([Operation])
        /// Starts the operation after the waiting work has ended; does not start it if that work fails, is cancelled or
        /// exceeds its timeout.
        case delayed(by: EffectWork<Action>, Operation)
        /// Starts, is cancelled and ends as a unit.
        case group(EffectOptions, Operation)
        /// An operation of a child at this relative path. The child may be a presented one.
        case scoped(EffectPath, Operation, isPresentation: Bool)
        /// Continues after the child that returned it is gone.
        case detached(Operation)
        case cancelAll(EffectCancellation)
        /// Removes the child that returns it. Replaced by `dismissal` where the child is presented.
        case dismiss(CodeLocation)
        /// The action that removes the nearest presented child. It counts as long as that child is there.
        case dismissal(Action)
        case report(StoreFailure)
        /// The answer to a request, which has already been decided.
        case answer(any Sendable)
    }

    @inlinable
    init(operation: Operation?) {
        self.operation = operation
    }

    /// Whether the effect is empty.
    @inlinable public var isNone: Bool { operation == nil }

    /// An empty effect.
    @inlinable public static var none: Effect { Effect(operation: nil) }

    /// Returns an effect that sends an action, which is reduced after everything that the store accepted before it.
    ///
    /// - Parameter action: The action.
    /// - Returns: An effect.
    @inlinable
    public static func send(_ action: Action) -> Effect {
        Effect(operation: .send(action))
    }

    /// Returns an effect that answers the current request; see ``Request``.
    ///
    /// ```swift
    /// case .take(let take): return .answer(take.reduce(into: &state))
    /// ```
    ///
    /// The requester receives the answer after the action has been reduced, wherever the answer is in a composed
    /// effect. If the action was sent or dispatched instead of requested, the answer is dropped.
    ///
    /// - Parameter answer: The answer.
    /// - Returns: An effect.
    @inlinable
    public static func answer(_ answer: some Sendable) -> Effect {
        Effect(operation: .answer(answer))
    }

    /// Returns an effect that runs an asynchronous operation, which can send any number of actions.
    ///
    /// ```swift
    /// return .run(id: "quote", policy: .cancelInFlight) { send in
    ///     for try await price in market.prices(of: symbol) { send(.priceChanged(price)) }
    /// } catch: { error in
    ///     .marketFailed(String(describing: error))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - id: The identity of the operation, for cancellation and for `policy`. It is local to the store, and within
    ///     the store to the child whose reducer returns the effect.
    ///   - policy: What happens if an operation with the same identity is still running.
    ///   - priority: The priority of the task; nil for that of the dispatching task, or of the store's configuration if
    ///     the action was sent.
    ///   - fileID: The file in which the effect is written, for diagnostics.
    ///   - line: The line in which the effect is written, for diagnostics.
    ///   - body: The operation. Cancelling it cancels its task; actions that it sends afterwards are dropped and
    ///     counted.
    ///   - failure: A closure that converts an error of `body` to an action, or returns nil to ignore it. Without it,
    ///     errors go to ``Store/errors`` and to the ``StoreTask``. Errors of a cancelled operation are ignored.
    /// - Returns: An effect.
    @inlinable
    public static func run(
        id: (any Hashable & Sendable)? = nil,
        policy: EffectPolicy = .concurrent,
        priority: TaskPriority? = nil,
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (_ send: Send<Action>) async throws -> Void,
        catch failure: (@Sendable (_ error: any Error) -> Action?)? = nil
    ) -> Effect {
        let options = EffectOptions(
            id: id.map { EffectID($0) },
            policy: policy,
            priority: priority,
            source: CodeLocation(fileID: fileID, line: line)
        )
        return Effect(operation: .run(EffectWork(options, body: body, failure: failure)))
    }

    /// Returns an effect that cancels the work with an identity, pending or running: afterwards none of its actions is
    /// reduced.
    ///
    /// This includes actions that wait in the mailbox: those that the work has sent, even if it has ended since, and
    /// those of ``send(_:)`` in a group with the identity. They are dropped, and counted in
    /// ``StoreStatistics/lateActions``. Effects of actions that have already been reduced continue.
    ///
    /// In a group with the same identity (see ``cancellable(id:policy:fileID:line:)``), it cancels all other work with
    /// the identity, inside and outside the group; the group itself continues.
    ///
    /// In a composed effect, it does not cancel later parts that have not been reached, such as a later step of the
    /// same concatenation, or of another concatenation merged with it. It cancels what has been reached: running work,
    /// and work that waits in a queue or for a delay.
    ///
    /// If the reducer of a child returns it, it cancels only work of that child.
    ///
    /// - Parameter id: The identity of the work.
    /// - Returns: An effect.
    public static func cancel(id: any Hashable & Sendable) -> Effect {
        Effect(operation: .cancel(EffectID(id)))
    }

    /// Returns an effect that removes the child whose reducer returns it, by an action of the parent.
    package static func dismissal(at source: CodeLocation) -> Effect { Effect(operation: .dismiss(source)) }

    /// Returns this effect, continuing after the child whose reducer returned it is gone.
    ///
    /// The effects of a child are cancelled when its state disappears: when an optional becomes nil, an enum switches
    /// to another case, or an element is removed. Use this method for work that must finish nevertheless, such as
    /// saving. The child may be gone when its actions arrive. Dismissing affects only the child whose reducer returned
    /// the effect: if that is gone, the dismissal is dropped and counted in ``StoreStatistics/lateActions``.
    ///
    /// After the child is gone, only other detached work of the same child shares its identities: cancellations,
    /// policies and debounces of a later child affect only the work of that child.
    ///
    /// A group (see ``cancellable(id:policy:fileID:line:)``) ends as a unit with the child: detach the whole group, and
    /// not some of its parts.
    ///
    /// - Returns: The detached effect.
    public func detached() -> Effect {
        Effect(operation: operation.map(Operation.detached))
    }

    /// Returns an effect that runs several effects at the same time.
    ///
    /// - Parameter effects: The effects.
    /// - Returns: The merged effect.
    /// - Complexity: O(*n*), where *n* is the number of effects, including the parts of nested ones.
    @inlinable
    public static func merge(_ effects: Effect...) -> Effect {
        merge(effects)
    }

    /// Returns an effect that runs the effects of a sequence at the same time.
    ///
    /// - Parameter effects: The effects.
    /// - Returns: The merged effect.
    /// - Complexity: O(*n*), where *n* is the number of effects, including the parts of nested ones.
    @inlinable
    public static func merge(_ effects: some Sequence<Effect>) -> Effect {
        combined(effects, with: Operation.merge)
    }

    /// Returns an effect that runs two effects at the same time. Does not allocate if one of them is empty.
    @inlinable
    package func merged(with other: Effect) -> Effect {
        guard let first = operation else { return other }
        guard let second = other.operation else { return self }
        return Effect(operation: .merge([first, second]))
    }

    /// Collects the effects of any number of reductions to run at the same time.
    ///
    /// Merging each with those before it would nest them as deep as their number.
    @usableFromInline
    struct Merging {
        @usableFromInline var first = Effect.none
        @usableFromInline var others: [Effect] = []

        @inlinable
        init() {}

        @inlinable
        mutating func add(_ effect: Effect) {
            if effect.isNone { return }
            if first.isNone { first = effect } else { others.append(effect) }
        }

        /// The merged effect. A single effect is returned unchanged.
        @inlinable var merged: Effect { others.count == 0 ? first : .merge([first] + others) }
    }

    /// Returns an effect that runs several effects one after another. Each starts when the previous one has ended, by
    /// success, failure or cancellation.
    ///
    /// - Parameter effects: The effects, in order.
    /// - Returns: The concatenated effect.
    /// - Complexity: O(*n*), where *n* is the number of effects, including the parts of nested ones.
    @inlinable
    public static func concatenate(_ effects: Effect...) -> Effect {
        concatenate(effects)
    }

    /// Returns an effect that runs the effects of a sequence one after another. Each starts when the previous one has
    /// ended, by success, failure or cancellation.
    ///
    /// - Parameter effects: The effects, in order.
    /// - Returns: The concatenated effect.
    /// - Complexity: O(*n*), where *n* is the number of effects, including the parts of nested ones.
    @inlinable
    public static func concatenate(_ effects: some Sequence<Effect>) -> Effect {
        combined(effects, with: Operation.concatenate)
    }

    @usableFromInline
    static func combined(_ effects: some Sequence<Effect>, with combine: ([Operation]) -> Operation) -> Effect {
        let operations = effects.compactMap { $0.operation }
        return Effect(operation: operations.count > 1 ? combine(operations).flattened : operations.first)
    }
}

extension Effect {
    /// Returns this effect with its actions transformed. A parent that calls the reducer of a child itself embeds the
    /// child's effects this way.
    ///
    /// If the child has children of its own, the store no longer checks whether those are still in the state; see
    /// ``ChildEffects/endWithChild``. So call `map` for each child, even for one that has the types of its parent, as
    /// in a recursive state; pass `{ $0 }` there. Without it, the store looks for the child's children in its own
    /// state.
    ///
    /// The identities of the child's effects become identities of the parent. Two children of one type share them, and
    /// those of their children: ``cancel(id:)`` in one reaches the effects of the other, and when a grandchild of one
    /// is removed, the effects of its counterpart in the other are cancelled, too. To keep them separate, compose each
    /// child with a ``Scope``.
    ///
    /// - Parameter transform: A closure that converts an action of this effect to one of the new effect.
    /// - Returns: An effect with the new actions.
    /// - Complexity: O(*n*), where *n* is the number of composed effects.
    public func map<NewAction: Sendable>(
        _ transform: @escaping @Sendable (Action) -> NewAction
    ) -> Effect<NewAction> {
        // The effects may belong to another state, in which their children cannot be looked up.
        Effect<NewAction>(operation: operation?.map(transform, nil, keepsWays: false))
    }

    /// Returns this effect with its actions transformed, for effects of the same state or with a path to it.
    @usableFromInline
    package func mapped<NewAction: Sendable>(
        _ transform: @escaping @Sendable (Action) -> NewAction
    ) -> Effect<NewAction> {
        mapped(transform, dismissal: nil)
    }

    /// Returns this effect with its actions transformed. If the effect dismisses its child, `dismissal` is sent, unless
    /// it is nil.
    func mapped<NewAction: Sendable>(
        _ transform: @escaping @Sendable (Action) -> NewAction,
        dismissal: NewAction?
    ) -> Effect<NewAction> {
        Effect<NewAction>(operation: operation?.map(transform, dismissal, keepsWays: true))
    }
}

extension Effect.Operation {
    fileprivate func map<NewAction: Sendable>(
        _ transform: @escaping @Sendable (Action) -> NewAction,
        _ dismissal: NewAction?,
        keepsWays: Bool
    ) -> Effect<NewAction>.Operation {
        switch self {
        case .send(let action): .send(transform(action))
        case .run(let work): .run(work.map(transform, dismissal))
        case .cancel(let id): .cancel(id)
        case .merge(let operations): .merge(operations.map { $0.map(transform, dismissal, keepsWays: keepsWays) })
        case .concatenate(let operations):
            .concatenate(operations.map { $0.map(transform, dismissal, keepsWays: keepsWays) })
        case .delayed(let wait, let operation):
            .delayed(
                by: wait.map(transform, dismissal),
                operation.map(transform, dismissal, keepsWays: keepsWays)
            )
        case .group(let group, let operation): .group(group, operation.map(transform, dismissal, keepsWays: keepsWays))
        case .scoped(let path, let operation, let isPresentation):
            .scoped(
                keepsWays ? path : path.withUnknownWay,
                operation.map(transform, dismissal, keepsWays: keepsWays),
                isPresentation: isPresentation
            )
        case .detached(let operation): .detached(operation.map(transform, dismissal, keepsWays: keepsWays))
        case .cancelAll(let cancellation): .cancelAll(cancellation)
        case .dismiss(let source): dismissal.map { .dismissal($0) } ?? .dismiss(source)
        case .dismissal(let action): .dismissal(transform(action))
        case .report(let failure): .report(failure)
        case .answer(let answer): .answer(answer)
        }
    }
}

extension Effect.Operation {
    /// The number of parts up to which a nested combination is merged into the outer one. Copying that many costs less
    /// than a microsecond. A combination of 100,000 effects that were added one by one is then less than 200 levels
    /// deep, so recursive functions do not exhaust the stack.
    private static var largestFlattened: Int { 512 }

    /// The operation with nested combinations of the same kind merged into it.
    var flattened: Effect<Action>.Operation {
        switch self {
        case .merge(let parts):
            .merge(Self.flatten(parts) { if case .merge(let inner) = $0 { inner } else { nil } })
        case .concatenate(let parts):
            .concatenate(Self.flatten(parts) { if case .concatenate(let inner) = $0 { inner } else { nil } })
        default:
            self
        }
    }

    private static func flatten(
        _ parts: [Effect<Action>.Operation],
        _ innerParts: (Effect<Action>.Operation) -> [Effect<Action>.Operation]?
    ) -> [Effect<Action>.Operation] {
        var flat: [Effect<Action>.Operation] = []
        flat.reserveCapacity(parts.count)
        for part in parts {
            if let inner = innerParts(part), inner.count <= largestFlattened {
                flat += inner
            } else {
                flat.append(part)
            }
        }
        return flat
    }
}

extension Effect {
    /// Returns this effect with dependencies in force.
    func overriding(_ overrides: DependencyOverrides) -> Effect {
        let overrides = overrides.outsideReducers
        return mapWork { work in work = work.binding(DependencyOverrides.$current) { _ in overrides } }
    }
}
