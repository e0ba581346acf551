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
            let context = context(of: work)
            // Nearly always, and without the frames and closures of what passes it on.
            if interceptors.isEmpty { return try await perform(sideEffect, context) }
            return try await interceptors[...].pass(sideEffect, of: work) { try await perform(sideEffect, context) }
        }
    }

    /// Runs a side effect with the store's dependencies in force.
    private func perform<Body: SideEffect>(
        _ sideEffect: Body,
        _ context: WorkContext<State, Action>,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Body.Value where Body.State == State, Body.Action == Action {
        try await DependencyOverrides.$current.withValue(context.overrides) {
            try await sideEffect.run(SideEffectContext(context))
        }
    }
}
