import ActorStore
import Benchmarking

private typealias AccountStore = Store<Account.State, Account.Action>

/// How many bytes things hold.
let memorySuite = Suite(
    "memory",
    [
        Benchmark.memory("an idle store", comparedWith: ["a bare actor"]) {
        } make: { _, count in
            (0..<count).map { _ in Store(initialState: Account.State(), reducer: Account()) }
        },
        Benchmark.memory("a bare actor") {
        } make: { _, count in
            (0..<count).map { _ in BareActor() }
        },
        Benchmark.memory("a closure observer") {
            Store(initialState: Account.State(), reducer: Account())
        } make: { store, count in
            (0..<count).map { _ in store.observe(\.balance) { _ in } }
        },
        Benchmark.memory("values(of:), without its task", comparedWith: ["AsyncStream, without its task"]) {
            Store(initialState: Account.State(), reducer: Account())
        } make: { store, count in
            (0..<count).map { _ in Kept(iterator: store.values(of: \.balance).makeAsyncIterator()) }
        },
        Benchmark.memory("AsyncStream, without its task") {
        } make: { _, count in
            (0..<count).map { _ in
                AsyncStream.makeStream(of: Account.State.self, bufferingPolicy: .bufferingNewest(1))
            }
        },
        Benchmark.memory("a running effect, with its task", comparedWith: ["a sleeping task"]) {
            Store(
                initialState: 0,
                reducer: Reduce<Int, Void> { _, _ in .run { _ in try await Task.sleep(for: .seconds(3_600)) } }
            )
        } tearDown: { store in
            await store.shutdown(drain: .cancelEffects)
        } make: { store, count in
            for _ in 0..<count { store.send(()) }
        },
        Benchmark.memory("a sleeping task") {
        } make: { _, count in
            let tasks = (0..<count).map { _ in Task.detached { try await Task.sleep(for: .seconds(3_600)) } }
            return CancellingTasks(tasks: tasks)
        },
    ]
)

/// An iterator that is kept and never used.
private struct Kept: @unchecked Sendable {
    // Sound: nobody touches it.
    let iterator: StoreSequence<Int>.Iterator
}

/// Tasks that are cancelled when they are no longer kept.
private final class CancellingTasks: Sendable {
    private let tasks: [Task<Void, any Error>]

    init(tasks: [Task<Void, any Error>]) {
        self.tasks = tasks
    }

    deinit {
        for task in tasks { task.cancel() }
    }
}
