/// Whether the effects of a child are cancelled when it goes.
public enum ChildEffects: Sendable {
    /// They are: when the optional becomes nil, the enum another case, or the element is removed, and when another
    /// child takes the place of this one, also if that is done by its own reducer, which changes its identity.
    ///
    /// The reducer that the child is composed with sees that at once. Code around that reducer, such as a parent that
    /// replaces the state in which the child is, a sibling, an attached reducer or `onChange`, is noticed when an
    /// effect of the child has sent an action, and that comes to be reduced: then the action is dropped and counted in
    /// ``StoreStatistics/lateActions``, the effects of all children are cancelled that have gone in this way, and their
    /// intervals are forgotten. So an effect never acts on the successor of its child. Until it is noticed, a successor
    /// at the same place shares the identities of its predecessor: work of the one that is gone counts for the policies
    /// and in the queues of these identities, its intervals go on, and `cancel(id:)` reaches it.
    ///
    /// A child is told from its successor by its presentation, or by its place on a stack; others by their identities,
    /// and an optional or a case without an identity only by being there. A child that code of yours composes, by
    /// calling its reducer and ``Effect/map(_:)``, is not looked for, and neither are entries of a ``ReducibleTable``
    /// of your own. Without `map`, the effects of such a child are taken for those of the reducer that calls it. If
    /// both have states of one type, and the reducer that is called has children, these are looked for in the wrong
    /// state, and their actions can be dropped: so call `map` in this case, too, or compose the child by a ``Scope``.
    case endWithChild
    /// They are not. They are effects of the place, and not of the child: the next one in its place finds them by their
    /// identities. Then nobody has to look whether the child is still there, unless it can be dismissed: effects that
    /// outlive it dismiss no other child in its place. What is presented further inside is not seen to go with it.
    case outliveChild
}

extension Effect {
    /// The same work as that of a child: the identities in it are known to the child alone, and it can be cancelled
    /// with all that is the child's.
    ///
    /// - Parameters:
    ///   - path: The way to the child.
    ///   - isPresentation: Whether the child can be dismissed.
    package func scoped(to path: EffectPath, isPresentation: Bool = false) -> Effect {
        Effect(operation: operation.map { .scoped(path, $0, isPresentation: isPresentation) })
    }

    /// The same work as that of a part of the state, or of what it leads to, which is no child of its own.
    @usableFromInline
    package func located(by step: ChildStep) -> Effect { isNone ? self : scoped(to: EffectPath(by: step)) }

    /// The effect of a child as one of its parent: with its actions embedded, and scoped to the child.
    ///
    /// - Parameters:
    ///   - path: The way to the child.
    ///   - dismissal: The parent's action that takes the child away; nil if the child cannot ask for that here.
    ///   - embed: Makes actions of the parent of those of the child.
    @usableFromInline
    package func embedded<ParentAction: Sendable>(
        under path: EffectPath,
        dismissal: ParentAction? = nil,
        _ embed: @escaping @Sendable (Action) -> ParentAction
    ) -> Effect<ParentAction> {
        mapped(embed, dismissal: dismissal).scoped(to: path, isPresentation: dismissal != nil)
    }

    /// Cancels all that is at or below a path, begun or not, and drops what it still sends.
    @usableFromInline
    package static func cancelAll(below path: EffectPath) -> Effect {
        Effect(operation: .cancelAll(.all(below: path)))
    }

    /// Cancels all that is below a path, except that of the elements for which `isPresent` is true.
    @usableFromInline
    static func cancelElements(
        below path: EffectPath,
        except isPresent: @escaping @Sendable (ExactIdentity) -> Bool
    ) -> Effect {
        Effect(operation: .cancelAll(.elements(below: path, except: isPresent, version: nil)))
    }

    /// Ends the dismissals of all that is at or below a path, because a child has gone; and the rest of its effects,
    /// unless they outlive it.
    @usableFromInline
    package static func endPresentation(below path: EffectPath, _ effects: ChildEffects) -> Effect {
        endPresentations(.all(below: path), effects)
    }

    /// Ends the dismissals of all that is below a path, except those of the elements for which `isPresent` is true; and
    /// the rest of their effects, unless they outlive them.
    ///
    /// - Parameter version: What changes with the elements; nil if nothing tells. The same version is looked at once.
    @usableFromInline
    package static func endPresentations(
        below path: EffectPath,
        except isPresent: @escaping @Sendable (ExactIdentity) -> Bool,
        version: ExactIdentity?,
        _ effects: ChildEffects
    ) -> Effect {
        endPresentations(.elements(below: path, except: isPresent, version: version), effects)
    }

    private static func endPresentations(_ gone: EffectCancellation, _ effects: ChildEffects) -> Effect {
        Effect(operation: .cancelAll(effects == .endWithChild ? gone : .outlived(gone)))
    }

    /// The same work, as that of an effect that is written at `source`, if it is written in a file.
    ///
    /// - Parameter fileID: The file.
    package func located(at source: CodeLocation, insteadOf fileID: String) -> Effect {
        guard case .run(var work)? = operation, work.options.source.fileID == fileID else { return self }
        work.options.source = source
        return Effect(operation: .run(work))
    }

    /// Publishes a failure of a reducer.
    @usableFromInline
    package static func report(_ failure: StoreFailure) -> Effect { Effect(operation: .report(failure)) }
}

/// Which effects are cancelled because the child that asked for them has gone.
@usableFromInline
enum EffectCancellation: Sendable {
    /// Those at a path, or below it.
    case all(below: EffectPath)
    /// Those of a path's elements for which the closure is not true; and what changes with the elements, if anything
    /// tells.
    case elements(below: EffectPath, except: @Sendable (ExactIdentity) -> Bool, version: ExactIdentity?)
    /// Nothing but the dismissals of these, because effects outlive their child here.
    indirect case outlived(EffectCancellation)

    /// Whether the work goes on.
    var sparesWork: Bool { if case .outlived = self { true } else { false } }

    /// Which children have gone, whether their work goes on or not.
    var whatHasGone: EffectCancellation { if case .outlived(let gone) = self { gone.whatHasGone } else { self } }

    /// How many steps lead to a child that has gone. With it has gone what is further inside, and nothing further out.
    var depth: Int {
        switch self {
        case .all(let place): place.steps.count
        case .elements(let place, _, _): place.steps.count + 1
        case .outlived(let gone): gone.depth
        }
    }

    /// The same, of a child at `path`.
    func prefixed(with path: EffectPath) -> EffectCancellation {
        if path.isEmpty { return self }
        switch self {
        case .all(let inner): return .all(below: path + inner)
        case .elements(let inner, let isPresent, let version):
            return .elements(below: path + inner, except: isPresent, version: version)
        case .outlived(let inner): return .outlived(inner.prefixed(with: path))
        }
    }

    /// Whether what is at this path is to be cancelled.
    func covers(_ path: EffectPath) -> Bool {
        switch self {
        case .all(let place):
            return path.isAtOrBelow(place)
        case .elements(let place, let isPresent, _):
            guard path.isAtOrBelow(place), path.steps.count > place.steps.count,
                case .element(let id) = path.steps[place.steps.count]
            else { return false }
            return !isPresent(id)
        case .outlived(let gone):
            return gone.covers(path)
        }
    }
}

extension Effect {
    /// What this effect cancels, and nothing that it begins: for a store that follows another one, where the work is
    /// done elsewhere, and may have been begun here before.
    package var cancellations: Effect { Effect(operation: operation?.cancellations) }

    /// The answer that counts, see ``answer(_:)``: for a store whose asker waits elsewhere than for the dispatch.
    package var firstAnswer: (any Sendable)? { operation?.firstAnswer }

    /// Whether there is nothing but an answer, or nothing at all.
    package var isAnswerOnly: Bool {
        switch operation {
        case nil, .answer?: true
        default: false
        }
    }
}

extension Effect.Operation {
    fileprivate var cancellations: Effect.Operation? {
        switch self {
        case .cancel, .cancelAll: self
        case .run(let work):
            work.options.replacedID.map { .cancel($0) }
        case .merge(let operations), .concatenate(let operations):
            merged(operations.compactMap(\.cancellations))
        case .scoped(let path, let operation, let isPresentation):
            operation.cancellations.map { .scoped(path, $0, isPresentation: isPresentation) }
        case .detached(let operation), .delayed(_, let operation): operation.cancellations
        case .group(let group, let operation):
            merged([group.replacedID.map { .cancel($0) }, operation.cancellations].compactMap(\.self))
        case .send, .dismiss, .dismissal, .report, .answer: nil
        }
    }

    fileprivate var firstAnswer: (any Sendable)? {
        switch self {
        case .answer(let answer): answer
        case .merge(let operations), .concatenate(let operations): operations.lazy.compactMap(\.firstAnswer).first
        case .scoped(_, let operation, _), .detached(let operation): operation.firstAnswer
        case .delayed(_, let operation), .group(_, let operation): operation.firstAnswer
        case .run, .cancel, .cancelAll, .send, .dismiss, .dismissal, .report: nil
        }
    }

    private func merged(_ operations: [Effect.Operation]) -> Effect.Operation? {
        operations.count > 1 ? .merge(operations) : operations.first
    }
}

extension EffectPolicy {
    /// Whether work with it cancels all that is under way with the same identity.
    var replacesAll: Bool { self == .cancelInFlight || self == .newest(1) }
}

/// That the code which runs is that of a child that is presented, and how it is dismissed.
@usableFromInline
package struct PresentationContext: Sendable {
    /// The effect that it is known to; nil in a reducer that no effect has called. Tasks inherit the context, also that
    /// of effects in other stores, which it does not belong to.
    private let effect = CurrentEffect.effect
    /// nil in a reducer, which must ask for an effect.
    private let dismissal: (@Sendable () -> SendOutcome)?

    @TaskLocal private static var inherited: PresentationContext?

    private init(dismissal: (@Sendable () -> SendOutcome)?) { self.dismissal = dismissal }

    /// Whether the code which runs is that of a child that is presented.
    package static var isPresented: Bool { current != nil }

    /// Dismisses the child whose code runs.
    ///
    /// - Returns: nil if there is none, or if it is its reducer that runs.
    package static func dismiss() -> SendOutcome? { current?.dismissal?() }

    private static var current: PresentationContext? {
        guard let context = inherited, context.effect === CurrentEffect.effect else { return nil }
        return context
    }

    /// Runs a reducer of a child that is presented.
    @usableFromInline
    package static func inReducer<Result>(_ operation: () -> Result) -> Result {
        $inherited.withValue(PresentationContext(dismissal: nil), operation: operation)
    }

    /// Runs what is not the child's, such as what sends an action of it to the store.
    static func outside<Result>(_ operation: () -> Result) -> Result {
        inherited == nil ? operation() : $inherited.withValue(nil, operation: operation)
    }

    /// Runs work of an effect that can dismiss its child, if it could before, as long as a gate lets something pass.
    static func gated(
        by gate: DeadlineGate,
        of effect: (any RunningEffect)?,
        _ operation: () async throws -> Void
    ) async throws {
        guard let dismissal = current?.dismissal else { return try await operation() }
        let context = PresentationContext(dismissal: gate.gated(dismissal, of: effect))
        try await $inherited.withValue(context, operation: operation)
    }

    /// The same work as that of a child that is presented.
    ///
    /// - Parameter dismissal: Dismisses the child.
    static func presenting<Action>(
        _ work: EffectWork<Action>,
        dismissal: @escaping @Sendable (Send<Action>) -> SendOutcome
    ) -> EffectWork<Action> {
        work.binding($inherited) { send in PresentationContext { dismissal(send) } }
    }
}
