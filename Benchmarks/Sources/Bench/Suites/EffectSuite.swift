import ActorStore
import Benchmarking

/// Actions that ask for effects.
private struct Jobs: Reducer {
    struct State: Equatable, Sendable { var begun = 0 }

    enum Action: Sendable {
        case runNothing
        case runUntilCancelled
        case cancel
    }

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .runNothing:
            state.begun += 1
            return .run { _ in }
        case .runUntilCancelled:
            return .run(id: "job") { _ in try await Task.sleep(for: .seconds(3_600)) }
        case .cancel:
            return .cancel(id: "job")
        }
    }
}

/// What effects cost.
let effectSuite = Suite(
    "effects",
    [
        Benchmark("begin and finish", comparedWith: ["a bare task"]) {
            Store(initialState: Jobs.State(), reducer: Jobs())
        } measure: { store, count in
            for _ in 0..<count { try await store.dispatch(.runNothing).finish() }
        },
        Benchmark("a bare task") {
        } measure: { _, count in
            for _ in 0..<count { await Task.detached {}.value }
        },
        Benchmark("begin and cancel", comparedWith: ["a bare task, cancelled"]) {
            Store(initialState: Jobs.State(), reducer: Jobs())
        } measure: { store, count in
            for _ in 0..<count {
                let task = try await store.dispatch(.runUntilCancelled)
                try await store.dispatch(.cancel)
                try? await task.finish()
            }
        },
        Benchmark("a bare task, cancelled") {
        } measure: { _, count in
            for _ in 0..<count {
                let task = Task.detached { try await Task.sleep(for: .seconds(3_600)) }
                task.cancel()
                _ = await task.result
            }
        },
    ]
)
