/// Work that a reducer asks for, to be done after the action has been reduced and everybody was told.
///
/// An effect is a description; nothing happens until a store carries it out. It runs in a task of its own, off the
/// store, and talks back by sending actions. The store keeps account of it: it can be cancelled by its identity, by the
/// ``StoreTask`` of the action that started it, and by the store's shutdown, which awaits its end.
public struct Effect<Action: Sendable>: Sendable {
    /// nil is no effect at all, so that a reducer without effects costs one comparison with zero.
    @usableFromInline let operation: Operation?

    @usableFromInline
    indirect enum Operation: Sendable {
        case send(Action)
        case run(EffectWork<Action>)
        case cancel(EffectID)
        case merge([Operation])
        case concatenate([Operation])
        /// Begun when the work, which waits, has come to its end; not at all if it fails, is cancelled, or is out of
        /// time.
        case delayed(by: EffectWork<Action>, Operation)
        /// Begun, cancelled and ended as one.
        case group(EffectOptions, Operation)
        /// That of a child, at this path seen from here, which is presented or not.
        case scoped(EffectPath, Operation, isPresentation: Bool)
        /// Goes on when the child is gone that asked for it.
        case detached(Operation)
        case cancelAll(EffectCancellation)
        /// Takes the child away that asks for it; until somebody who presents it says how.
        case dismiss(CodeLocation)
        /// The action by which the nearest child that is presented is taken away. It counts as long as that is there.
        case dismissal(Action)
        case report(StoreFailure)
        /// The answer to a request, which is decided already.
        case answer(any Sendable)
    }

    @inlinable
    init(operation: Operation?) {
        self.operation = operation
    }

    /// Whether there is nothing to do.
    @inlinable public var isNone: Bool { operation == nil }

    /// Nothing to do.
    @inlinable public static var none: Effect { Effect(operation: nil) }

    /// Sends an action; it is reduced after all that the store accepted before it.
    @inlinable
    public static func send(_ action: Action) -> Effect {
        Effect(operation: .send(action))
    }

    /// Answers the request that is being reduced; see ``Request``.
    ///
    /// ```swift
    /// case .take(let take): return .answer(take.reduce(into: &state))
    /// ```
    ///
    /// Whoever has asked gets the answer when the action has been reduced, wherever in an effect it stands. If the
    /// action was sent or dispatched, the answer is dropped.
    @inlinable
    public static func answer(_ answer: some Sendable) -> Effect {
        Effect(operation: .answer(answer))
    }

    /// Runs asynchronous work that can send any number of actions.
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
    ///   - id: Names the work, so that it can be cancelled and so that `policy` knows what it is compared with. Known
    ///     to this store only, and within it, if the reducer is a child of another one, to this child only.
    ///   - policy: What happens if work with the same identity is still running.
    ///   - priority: The priority of its task; nil takes that of the dispatcher.
    ///   - body: The work. When it is cancelled its task is cancelled, and what it still sends is dropped and counted.
    ///   - fileID: Where the effect is written; leave the default.
    ///   - line: Where the effect is written; leave the default.
    ///   - failure: Makes an action of an error that `body` throws, or nil to let it be. Without it, errors go to
    ///     ``Store/errors`` and to the ``StoreTask``. A cancelled body's errors go nowhere.
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

    /// Cancels the work with this identity, also if it has not begun: after that no action of it is reduced.
    ///
    /// That includes actions that wait in the mailbox: those that the work has sent, also if it has ended since, and
    /// those of ``send(_:)`` in a group of this identity. They are dropped, and counted in
    /// ``StoreStatistics/lateActions``. The effects of actions that were reduced before go on.
    ///
    /// In a group of this identity, see ``cancellable(id:policy:fileID:line:)``, it cancels all other work with the
    /// identity, inside the group and outside, and the group itself goes on.
    ///
    /// In an effect of several parts it spares what stands after it there and has still to be reached, such as a later
    /// step of the same concatenation, or of another one beside it in a merge. It cancels what has been reached: work
    /// that runs, and work that waits in a queue or for its time.
    ///
    /// Asked for by the reducer of a child, it cancels what that child asked for, and nobody else's work.
    public static func cancel(id: any Hashable & Sendable) -> Effect {
        Effect(operation: .cancel(EffectID(id)))
    }

    /// Takes away the child whose reducer asks for it; the parent gets the action that says so.
    package static func dismissal(at source: CodeLocation) -> Effect { Effect(operation: .dismiss(source)) }

    /// The same work, that goes on when the child whose reducer asked for it is gone.
    ///
    /// The work of a child is cancelled when the state of the child goes: when an optional becomes nil, an enum another
    /// case, an element is removed. Use this for what must be finished all the same, such as saving. What it sends
    /// comes to a child that may no longer be there. It dismisses only the child whose reducer asked for it: when that
    /// is gone, dismissing is dropped and counted in ``StoreStatistics/lateActions``.
    ///
    /// When the child is gone nobody finds the work by its identity any more, besides other detached work of the same
    /// child: a cancellation, a policy or a debounce of the next child concerns the work of that one only.
    ///
    /// What is cancelled as one, see ``cancellable(id:policy:fileID:line:)``, ends as one with the child: detach the
    /// whole of it, and not some of its parts.
    public func detached() -> Effect {
        Effect(operation: operation.map(Operation.detached))
    }

    /// All of these at the same time.
    @inlinable
    public static func merge(_ effects: Effect...) -> Effect {
        merge(effects)
    }

    /// All of these at the same time.
    @inlinable
    public static func merge(_ effects: some Sequence<Effect>) -> Effect {
        combined(effects, with: Operation.merge)
    }

    /// This one and another one at the same time; without allocating if one of them is nothing.
    @inlinable
    package func merged(with other: Effect) -> Effect {
        guard let first = operation else { return other }
        guard let second = other.operation else { return self }
        return Effect(operation: .merge([first, second]))
    }

    /// Effects at the same time, of any number of reductions.
    ///
    /// To merge each with those before it would nest them as deep as they are many.
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

        /// All of them, one that is alone as it is.
        @inlinable var merged: Effect { others.count == 0 ? first : .merge([first] + others) }
    }

    /// One after the other, each when the one before it has ended, whether well, by an error or by cancellation.
    @inlinable
    public static func concatenate(_ effects: Effect...) -> Effect {
        concatenate(effects)
    }

    /// One after the other, each when the one before it has ended, whether well, by an error or by cancellation.
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
    /// The same work, with every action that it sends transformed; how a parent embeds the effects of a child whose
    /// reducer it calls itself.
    ///
    /// If the child has children of its own, their effects are no longer looked for in the state; see
    /// ``ChildEffects/endWithChild``. So call it for each child, also for one that has the types of its parent, as in a
    /// recursive state, and then with `{ $0 }`: otherwise the child's children are looked for in the state of the
    /// store.
    ///
    /// The identities of the child's effects become those of the parent. Two children of one type share them, and those
    /// of their children: ``cancel(id:)`` in one reaches the effects of the other, and a grandchild that goes from one
    /// takes the effects of its counterpart in the other with it. To keep them apart, compose each child by a
    /// ``Scope``.
    ///
    /// - Complexity: O(*n*), where *n* is the number of effects of which this one is composed.
    public func map<NewAction: Sendable>(
        _ transform: @escaping @Sendable (Action) -> NewAction
    ) -> Effect<NewAction> {
        // Of another state, perhaps, in which the children are not known whose effects these are.
        Effect<NewAction>(operation: operation?.map(transform, nil, keepsWays: false))
    }

    /// The same for effects of the same state, or with the way to it.
    @usableFromInline
    package func mapped<NewAction: Sendable>(
        _ transform: @escaping @Sendable (Action) -> NewAction
    ) -> Effect<NewAction> {
        mapped(transform, dismissal: nil)
    }

    /// The same; and where the work asks for the child to be taken away, `dismissal` is sent if there is one.
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
    /// How many parts of a nested combination are taken over into the outer one. Copying them costs less than a
    /// microsecond; and a combination of 100,000 that was made by adding one after the other is less than 200 deep,
    /// so that no recursion over it comes near the end of a stack.
    private static var largestFlattened: Int { 512 }

    /// The same, with combinations of the same kind taken over into this one.
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
    /// The same work, with dependencies in force.
    func overriding(_ overrides: DependencyOverrides) -> Effect {
        let overrides = overrides.outsideReducers
        return mapWork { work in work = work.binding(DependencyOverrides.$current) { _ in overrides } }
    }
}
