extension Effect {
    /// The same work as that of a child: the identities in it are known to the child alone, and it can be cancelled with
    /// all that is the child's.
    func scoped(to path: EffectPath) -> Effect {
        Effect(operation: operation.map { .scoped(path, $0) })
    }

    /// The effect of a child as one of its parent: with its actions embedded, and scoped to the child.
    ///
    /// - Parameters:
    ///   - path: The way to the child.
    ///   - dismissal: The parent's action that takes the child away; nil if the child cannot ask for that here.
    ///   - embed: Makes actions of the parent of those of the child.
    @usableFromInline
    func embedded<ParentAction: Sendable>(
        under path: EffectPath,
        dismissal: ParentAction? = nil,
        _ embed: @escaping @Sendable (Action) -> ParentAction
    ) -> Effect<ParentAction> {
        map(embed, dismissal: dismissal).scoped(to: path)
    }

    /// Cancels all that is at or below a path, begun or not, and drops what it still sends.
    @usableFromInline
    static func cancelAll(below path: EffectPath) -> Effect {
        Effect(operation: .cancelAll(.all(below: path)))
    }

    /// Cancels all that is below a path, except that of the elements for which `isPresent` is true.
    @usableFromInline
    static func cancelElements(
        below path: EffectPath,
        except isPresent: @escaping @Sendable (EffectID) -> Bool
    ) -> Effect {
        Effect(operation: .cancelAll(.elements(below: path, except: isPresent)))
    }

    /// Publishes a failure of a reducer.
    @usableFromInline
    static func report(_ failure: StoreFailure) -> Effect { Effect(operation: .report(failure)) }
}

/// Which effects are cancelled because the child that asked for them has gone.
@usableFromInline
enum EffectCancellation: Sendable {
    /// Those at a path, or below it.
    case all(below: EffectPath)
    /// Those of a path's elements for which the closure is not true.
    case elements(below: EffectPath, except: @Sendable (EffectID) -> Bool)

    /// The same, of a child at `path`.
    func prefixed(with path: EffectPath) -> EffectCancellation {
        if path.isEmpty { return self }
        switch self {
        case .all(let inner): return .all(below: path + inner)
        case .elements(let inner, let isPresent): return .elements(below: path + inner, except: isPresent)
        }
    }

    /// Whether what is at this path is to be cancelled.
    func covers(_ path: EffectPath) -> Bool {
        switch self {
        case .all(let place):
            return path.isAtOrBelow(place)
        case .elements(let place, let isPresent):
            guard path.isAtOrBelow(place), path.steps.count > place.steps.count,
                case .element(let id) = path.steps[place.steps.count]
            else { return false }
            return !isPresent(id)
        }
    }
}
