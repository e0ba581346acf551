/// Whether the effects of a child are cancelled when the child is removed.
public enum ChildEffects: Sendable {
    /// The effects are cancelled when the child is removed: when an optional becomes nil, an enum switches to another
    /// case, or an element is removed; and when another child replaces this one, even if the child's own reducer does
    /// so by changing its identity.
    ///
    /// The reducer that composes the child detects a removal immediately. A removal by other code is detected later: by
    /// a parent that replaces the state that contains the child, a sibling, an attached reducer, or `onChange`. It is
    /// detected when an effect of the child has sent an action and the action's turn comes: the action is dropped and
    /// counted in ``StoreStatistics/lateActions``, the effects of all children that were removed in this way are
    /// cancelled, and their throttle intervals are discarded. So an effect never acts on the successor of its child.
    /// Until the removal is detected, a successor at the same place shares the identities of its predecessor: the
    /// predecessor's work counts for the policies and queues of these identities, its intervals continue, and
    /// `cancel(id:)` reaches it.
    ///
    /// A child is distinguished from its successor by its presentation or by its place on a stack; other children are
    /// distinguished by their identities, and an optional or a case without an identity only by its presence. Two kinds
    /// of children are not checked: a child that your code composes by calling its reducer and ``Effect/map(_:)``, and
    /// entries of your own ``ReducibleTable``. Without `map`, the effects of such a child are treated as those of the
    /// reducer that calls it. If both have the same state type and the called reducer has children, these are looked up
    /// in the wrong state, and their actions can be dropped: call `map` in this case, too, or compose the child with a
    /// ``Scope``.
    case endWithChild
    /// The effects continue when the child is removed. They belong to the place, and not to the child: the next child
    /// at the place shares their identities. The store then does not check whether the child is still there, except for
    /// a child that can be dismissed: effects that outlive it do not dismiss another child in its place. The removal of
    /// children presented further inside is not detected.
    case outliveChild
}

extension Effect {
    /// Returns this effect as one of a child: its identities are local to the child, and it is cancelled with the
    /// child.
    ///
    /// - Parameters:
    ///   - path: The path to the child.
    ///   - isPresentation: Whether the child can be dismissed.
    package func scoped(to path: EffectPath, isPresentation: Bool = false) -> Effect {
        Effect(operation: operation.map { .scoped(path, $0, isPresentation: isPresentation) })
    }

    /// Returns this effect as one of a part of the state that is not a child of its own.
    @usableFromInline
    package func located(by step: ChildStep) -> Effect { isNone ? self : scoped(to: EffectPath(by: step)) }

    /// Returns the effect of a child as one of its parent: with its actions embedded, and scoped to the child.
    ///
    /// - Parameters:
    ///   - path: The path to the child.
    ///   - dismissal: The parent's action that removes the child; nil if the child cannot be dismissed here.
    ///   - embed: A closure that converts the child's actions to the parent's.
    @usableFromInline
    package func embedded<ParentAction: Sendable>(
        under path: EffectPath,
        dismissal: ParentAction? = nil,
        _ embed: @escaping @Sendable (Action) -> ParentAction
    ) -> Effect<ParentAction> {
        mapped(embed, dismissal: dismissal).scoped(to: path, isPresentation: dismissal != nil)
    }

    /// Returns an effect that cancels all work at or below a path, pending or running, and drops what it still sends.
    @usableFromInline
    package static func cancelAll(below path: EffectPath) -> Effect {
        Effect(operation: .cancelAll(.all(below: path)))
    }

    /// Returns an effect that cancels all work below a path, except that of elements for which `isPresent` returns
    /// true.
    @usableFromInline
    static func cancelElements(
        below path: EffectPath,
        except isPresent: @escaping @Sendable (ExactIdentity) -> Bool
    ) -> Effect {
        Effect(operation: .cancelAll(.elements(below: path, except: isPresent, version: nil)))
    }

    /// Returns an effect that ends the dismissals of everything at or below a path, because a child is gone. It cancels
    /// the child's other effects, too, unless they outlive it.
    @usableFromInline
    package static func endPresentation(below path: EffectPath, _ effects: ChildEffects) -> Effect {
        endPresentations(.all(below: path), effects)
    }

    /// Returns an effect that ends the dismissals of everything below a path, except those of elements for which
    /// `isPresent` returns true. It cancels the elements' other effects, too, unless they outlive them.
    ///
    /// - Parameter version: A value that changes with the elements, if there is one. The same version is checked
    ///   once.
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

    /// Returns this effect with another source location, if it was written in a certain file.
    ///
    /// - Parameter fileID: The file.
    package func located(at source: CodeLocation, insteadOf fileID: String) -> Effect {
        guard case .run(var work)? = operation, work.options.source.fileID == fileID else { return self }
        work.options.source = source
        return Effect(operation: .run(work))
    }

    /// Returns an effect that publishes a failure of a reducer.
    @usableFromInline
    package static func report(_ failure: StoreFailure) -> Effect { Effect(operation: .report(failure)) }
}

/// The effects that are cancelled because their child is gone.
@usableFromInline
enum EffectCancellation: Sendable {
    /// The effects at a path, or below it.
    case all(below: EffectPath)
    /// The effects of a path's elements for which the closure returns false. The version changes with the elements, if
    /// there is one.
    case elements(below: EffectPath, except: @Sendable (ExactIdentity) -> Bool, version: ExactIdentity?)
    /// Only the dismissals of these effects, because effects outlive their child here.
    indirect case outlived(EffectCancellation)

    /// Whether work continues.
    var sparesWork: Bool { if case .outlived = self { true } else { false } }

    /// The children that are gone, whether their work continues or not.
    var whatHasGone: EffectCancellation { if case .outlived(let gone) = self { gone.whatHasGone } else { self } }

    /// The number of steps to a child that is gone. The children inside it are gone, too; those outside are not.
    var depth: Int {
        switch self {
        case .all(let place): place.steps.count
        case .elements(let place, _, _): place.steps.count + 1
        case .outlived(let gone): gone.depth
        }
    }

    /// Returns the same cancellation for a child at `path`.
    func prefixed(with path: EffectPath) -> EffectCancellation {
        if path.isEmpty { return self }
        switch self {
        case .all(let inner): return .all(below: path + inner)
        case .elements(let inner, let isPresent, let version):
            return .elements(below: path + inner, except: isPresent, version: version)
        case .outlived(let inner): return .outlived(inner.prefixed(with: path))
        }
    }

    /// Returns whether the work at a path is cancelled.
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
    /// The cancellations in this effect, without anything that it starts. For a store that replicates another one: the
    /// work runs elsewhere, but may have been started here before.
    package var cancellations: Effect { Effect(operation: operation?.cancellations) }

    /// The answer that counts, see ``answer(_:)``. For a store whose requester does not wait for the dispatch.
    package var firstAnswer: (any Sendable)? { operation?.firstAnswer }

    /// Whether the effect consists only of an answer, or is empty.
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
    /// Whether the policy cancels all earlier work with the same identity.
    var replacesAll: Bool { self == .cancelInFlight || self == .newest(1) }
}

/// The context of code that belongs to a presented child, and the way to dismiss the child.
@usableFromInline
package struct PresentationContext: Sendable {
    /// The effect that the context belongs to; nil in a reducer that was not called by an effect. Tasks inherit the
    /// context, even those of effects in other stores, to which it does not belong.
    private let effect = CurrentEffect.effect
    /// Nil in a reducer, which must return an effect to dismiss its child.
    private let dismissal: (@Sendable () -> SendOutcome)?

    @TaskLocal private static var inherited: PresentationContext?

    private init(dismissal: (@Sendable () -> SendOutcome)?) { self.dismissal = dismissal }

    /// Whether the current code belongs to a presented child.
    package static var isPresented: Bool { current != nil }

    /// Dismisses the child that the current code belongs to.
    ///
    /// - Returns: The outcome; nil if there is no such child, or if the code is its reducer.
    package static func dismiss() -> SendOutcome? { current?.dismissal?() }

    private static var current: PresentationContext? {
        guard let context = inherited, context.effect === CurrentEffect.effect else { return nil }
        return context
    }

    /// Runs the reducer of a presented child.
    @usableFromInline
    package static func inReducer<Result>(_ operation: () -> Result) -> Result {
        $inherited.withValue(PresentationContext(dismissal: nil), operation: operation)
    }

    /// Runs code that is not the child's, such as the sending of an action to the store.
    static func outside<Result>(_ operation: () -> Result) -> Result {
        inherited == nil ? operation() : $inherited.withValue(nil, operation: operation)
    }

    /// Runs work of an effect. The work can dismiss its child, if it could before, as long as the gate is open.
    static func gated(
        by gate: DeadlineGate,
        of effect: (any RunningEffect)?,
        _ operation: () async throws -> Void
    ) async throws {
        guard let dismissal = current?.dismissal else { return try await operation() }
        let context = PresentationContext(dismissal: gate.gated(dismissal, of: effect))
        try await $inherited.withValue(context, operation: operation)
    }

    /// Returns work as that of a presented child.
    ///
    /// - Parameter dismissal: A closure that dismisses the child.
    static func presenting<Action>(
        _ work: EffectWork<Action>,
        dismissal: @escaping @Sendable (Send<Action>) -> SendOutcome
    ) -> EffectWork<Action> {
        work.binding($inherited) { send in PresentationContext { dismissal(send) } }
    }
}
