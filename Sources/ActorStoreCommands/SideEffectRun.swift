import ActorStore
import ActorStoreComposition

extension StoreReference {
    /// Runs a side effect, and awaits it, with the store's dependencies in force.
    ///
    /// - Parameters:
    ///   - sideEffect: What to run.
    ///   - parent: The side effect that waits for this one, if one does.
    ///   - source: Where it is dispatched.
    func run<Body: SideEffect>(
        _ sideEffect: Body,
        awaitedBy parent: RunningWork? = nil,
        at source: CodeLocation,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Body.Value where Body.State == State, Body.Action == Action {
        try await run(awaitedBy: parent, at: source) { [self] work, interceptors in
            try await interceptors[...].pass(sideEffect, of: work) {
                let context = context(of: work)
                return try await DependencyOverrides.$current.withValue(context.overrides) {
                    try await sideEffect.run(SideEffectContext(context))
                }
            }
        }
    }
}
