/// What the root store does for those below it.
extension StoreCore {
    /// Reduces an action that comes up the tree, or one of the root's own: the interceptors, then what is `below`, then the
    /// reducer. In the turn. The effect is kept until ``TreeRoot/takeTravelEffect(_:)``.
    @inlinable
    func travel(_ action: Action, _ below: () -> Void) -> Result<Void, StoreError> {
        if interceptors.isEmpty {
            below()
            let effect = reduceAndRecord(action)
            if !effect.isNone { keep(effect, of: action) }
            return .success(())
        }
        return intercept(action, below: below).map { keep($0, of: action) }
    }

    @usableFromInline
    func keep(_ effect: Effect<Action>, of action: Action) {
        if effect.isNone { return }
        noteTravelAction(action)
        travelEffects.append(effect)
        hasTravelEffects = true
    }

    /// Reduces an action of the root's own with all that belongs to a turn. In the turn.
    func reduceInTurn(_ action: Action) -> DispatchResult {
        if lifecycle.isEnded { return .failure(.shutDown) }
        return reduceInTurn(action, of: nil, named: configuration.name) { travel(action) {} }
    }
}
