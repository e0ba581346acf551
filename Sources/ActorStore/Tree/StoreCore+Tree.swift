/// What the root store does for those below it.
extension StoreCore {
    /// Reduces an action that comes up the tree, or one of the root's own: the interceptors, then what is `below`, then the
    /// reducer. In the turn. The effect is kept until ``TreeRoot/takeTravelEffect(_:)``.
    @inlinable
    func travel(_ action: Action, _ below: () -> Void) -> Result<Void, StoreError> {
        if interceptors.isEmpty {
            below()
            travelEffect = travelEffect.merged(with: reduceAndRecord(action))
            return .success(())
        }
        return intercept(action, below: below).map { travelEffect = travelEffect.merged(with: $0) }
    }
}
