import ActorStore
import ActorStoreCommands

/// A side effect from a closure.
struct Work<State: Sendable, Action: Sendable, Value: Sendable>: SideEffect {
    let body: @Sendable (SideEffectContext<State, Action>) async throws -> Value

    init(_ body: @escaping @Sendable (SideEffectContext<State, Action>) async throws -> Value) {
        self.body = body
    }

    func run(_ context: SideEffectContext<State, Action>) async throws -> Value { try await body(context) }
}
