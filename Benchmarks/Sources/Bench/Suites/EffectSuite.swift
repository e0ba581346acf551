import ActorStore
import Benchmarking

/// Actions that ask for effects.
private struct Jobs: Reducer {
    struct State: Equatable, Sendable { var begun = 0 }

    enum Action: Sendable {
        case runNothing
        case runUntilCancelled
        case cancel
        case runDebounced
        case runOneByOne
        case runTimer
        case cancelTimers
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
        case .runTimer:
            return .timer(id: "timer", every: .seconds(3_600)) { _ in .cancel }
        case .cancelTimers:
            return .cancel(id: "timer")
        case .runDebounced:
            return .run { _ in }.debounce(id: "debounced", for: .seconds(3_600))
        case .runOneByOne:
            return .run(id: "queue", policy: .serial) { _ in }
        }
    }
}

/// How many effects are under way at the same time.
private let atOnce = 1_000

/// How many timers are under way at the same time.
private let manyTimers = 100_000

/// Begins effects, so many at once, and waits until they have ended.
private func run(_ action: Jobs.Action, _ count: Int, in store: Store<Jobs.State, Jobs.Action>) async throws {
    var tasks: [StoreTask] = []
    tasks.reserveCapacity(min(count, atOnce))
    var left = count
    while left > 0 {
        let share = min(left, atOnce)
        left -= share
        for _ in 0..<share { tasks.append(try await store.dispatch(action)) }
        for task in tasks { try await task.finish() }
        tasks.removeAll(keepingCapacity: true)
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
        Benchmark("begin and finish, 1,000 at once", comparedWith: ["children of a group, 1,000 at once"]) {
            Store(initialState: Jobs.State(), reducer: Jobs())
        } measure: { store, count in
            try await run(.runNothing, count, in: store)
        },
        Benchmark("children of a group, 1,000 at once") {
        } measure: { _, count in
            var left = count
            while left > 0 {
                let share = min(left, atOnce)
                left -= share
                await withDiscardingTaskGroup { group in
                    for _ in 0..<share { group.addTask {} }
                }
            }
        },
        Benchmark("one by one in a queue, 1,000 at once", comparedWith: ["children of a group, 1,000 at once"]) {
            Store(initialState: Jobs.State(), reducer: Jobs())
        } measure: { store, count in
            try await run(.runOneByOne, count, in: store)
        },
        Benchmark("debounce under a steady stream", comparedWith: ["a bare task, cancelled"]) {
            Store(initialState: Jobs.State(), reducer: Jobs())
        } measure: { store, count in
            var last: StoreTask?
            for _ in 0..<count { last = try await store.dispatch(.runDebounced) }
            last?.cancel()
            try await last?.finish()
        },
        Benchmark("timers, 100,000 at once, begun and cancelled", comparedWith: ["bare timers, 100,000 at once"]) {
            Store(initialState: Jobs.State(), reducer: Jobs())
        } measure: { store, count in
            var left = count
            while left > 0 {
                let share = min(left, manyTimers)
                left -= share
                for _ in 0..<share { store.send(.runTimer) }
                try await store.dispatch(.cancelTimers)
                while store.statistics.runningEffects > 0 { await Task.yield() }
            }
        },
        Benchmark("bare timers, 100,000 at once") {
        } measure: { _, count in
            var left = count
            while left > 0 {
                let share = min(left, manyTimers)
                left -= share
                let timers = (0..<share).map { _ in
                    Task.detached { while true { try await Task.sleep(for: .seconds(3_600)) } }
                }
                for timer in timers { timer.cancel() }
                for timer in timers { _ = await timer.result }
            }
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
