import ActorStore
import Benchmarking

/// Actions that request effects.
private struct Jobs: Reducer {
    struct State: Equatable, Sendable { var begun = 0 }

    enum Action: Sendable {
        case runNothing
        case runAndAnswer
        case answer
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
        case .runAndAnswer:
            return .run { send in send(.answer) }
        case .answer:
            state.begun += 1
            return .none
        case .runUntilCancelled:
            // The effect cancels itself: otherwise the load of the machine would decide whether an effect begins before
            // its cancellation, and one that has not begun costs less.
            return .run(id: "job") { send in
                send(.cancel)
                try Task.checkCancellation()
            }
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

/// Each sample begins whole thousands of effects, so that the number of concurrent effects is that of the names.
private let thousands = Configuration(multiple: 1_000)

private let tenThousands = Configuration(multiple: 10_000, minimumSamples: 5, maximumSamples: 20)

/// A sample takes seconds.
private let hundredThousands = Configuration(multiple: 100_000, minimumSamples: 3, maximumSamples: 5, warmUpSamples: 1)

/// Begins effects, a number of them at once, and waits until they have ended.
private func run(
    _ action: Jobs.Action,
    _ count: Int,
    atOnce: Int,
    in store: Store<Jobs.State, Jobs.Action>
) async throws {
    var tasks: [StoreTask] = []
    tasks.reserveCapacity(atOnce)
    for _ in 0..<rounds(count, atOnce: atOnce) {
        for _ in 0..<atOnce { tasks.append(try await store.dispatch(action)) }
        for task in tasks { try await task.finish() }
        tasks.removeAll(keepingCapacity: true)
    }
}

/// The number of rounds for a number of operations. The harness requests whole rounds.
private func rounds(_ count: Int, atOnce: Int) -> Int { max(1, count / atOnce) }

/// The cost of effects.
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
        Benchmark(
            "begin and finish, 1,000 at once",
            comparedWith: ["children of a group, 1,000 at once"],
            configuration: thousands
        ) {
            Store(initialState: Jobs.State(), reducer: Jobs())
        } measure: { store, count in
            try await run(.runNothing, count, atOnce: 1_000, in: store)
        },
        Benchmark("children of a group, 1,000 at once", configuration: thousands) {
        } measure: { _, count in
            await runChildren(count, atOnce: 1_000)
        },
        Benchmark(
            "one by one in a queue, 1,000 at once",
            comparedWith: ["children of a group, 1,000 at once"],
            configuration: thousands
        ) {
            Store(initialState: Jobs.State(), reducer: Jobs())
        } measure: { store, count in
            try await run(.runOneByOne, count, atOnce: 1_000, in: store)
        },
        Benchmark(
            "begin, send an action back, and finish, 10,000 at once",
            comparedWith: ["children of a group, 10,000 at once"],
            configuration: tenThousands
        ) {
            Store(initialState: Jobs.State(), reducer: Jobs())
        } measure: { store, count in
            try await run(.runAndAnswer, count, atOnce: 10_000, in: store)
        },
        Benchmark("children of a group, 10,000 at once", configuration: tenThousands) {
        } measure: { _, count in
            await runChildren(count, atOnce: 10_000)
        },
        Benchmark("debounce under a steady stream", comparedWith: ["a bare task, cancelled"]) {
            Store(initialState: Jobs.State(), reducer: Jobs())
        } measure: { store, count in
            var last: StoreTask?
            for _ in 0..<count { last = try await store.dispatch(.runDebounced) }
            last?.cancel()
            try await last?.finish()
        },
        Benchmark(
            "timers, 100,000 at once, begun and cancelled",
            comparedWith: ["bare timers, 100,000 at once"],
            configuration: hundredThousands
        ) {
            Store(initialState: Jobs.State(), reducer: Jobs())
        } measure: { store, count in
            for _ in 0..<rounds(count, atOnce: 100_000) {
                for _ in 0..<100_000 { store.send(.runTimer) }
                try await store.dispatch(.cancelTimers)
                while store.statistics.runningEffects > 0 { await Task.yield() }
            }
        },
        Benchmark("bare timers, 100,000 at once", configuration: hundredThousands) {
        } measure: { _, count in
            for _ in 0..<rounds(count, atOnce: 100_000) {
                let timers = (0..<100_000).map { _ in
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
                try? await store.dispatch(.runUntilCancelled).finish()
            }
        },
        Benchmark("a bare task, cancelled") {
        } measure: { _, count in
            for _ in 0..<count {
                let task = Task.detached {
                    withUnsafeCurrentTask { $0?.cancel() }
                    try Task.checkCancellation()
                }
                _ = await task.result
            }
        },
    ]
)

private func runChildren(_ count: Int, atOnce: Int) async {
    for _ in 0..<rounds(count, atOnce: atOnce) {
        await withDiscardingTaskGroup { group in
            for _ in 0..<atOnce { group.addTask {} }
        }
    }
}
