/// What the root store does for those below it.
extension StoreCore {
    /// Reduces an action that comes up the tree, or one of the root's own: the interceptors, then what is `below`, then the
    /// reducer. In the turn. The effect is kept until ``TreeRoot/takeTravelEffect(_:)``.
    @inlinable
    func travel(_ action: Action, _ below: () -> Void) -> Result<Void, StoreError> {
        if interceptors.isEmpty {
            below()
            let effect = reduceAndRecord(action)
            if !effect.isNone { keep(effect) }
            return .success(())
        }
        return intercept(action, below: below).map(keep)
    }

    @usableFromInline
    func keep(_ effect: Effect<Action>) {
        travelEffect = travelEffect.merged(with: effect)
        hasTravelEffects = true
    }
}
