import ActorStore
import Benchmarking

private typealias AccountStore = Store<Account.State, Account.Action>

/// The bytes retained by various objects.
let memorySuite = Suite(
    "memory",
    [
        Benchmark.memory("an idle store", comparedWith: ["a bare actor"]) {
        } make: { _ in
            Store(initialState: Account.State(), reducer: Account())
        },
        Benchmark.memory("a bare actor") {
        } make: { _ in
            BareActor()
        },
        Benchmark.memory("a closure observer") {
            Store(initialState: Account.State(), reducer: Account())
        } make: { store in
            store.observe(\.balance) { _ in }
        },
        Benchmark.memory("values(of:), without its task", comparedWith: ["AsyncStream, without its task"]) {
            Store(initialState: Account.State(), reducer: Account())
        } make: { store in
            Kept(iterator: store.values(of: \.balance).makeAsyncIterator())
        },
        Benchmark.memory("AsyncStream, without its task") {
        } make: { _ in
            AsyncStream.makeStream(of: Account.State.self, bufferingPolicy: .bufferingNewest(1))
        },
        Benchmark.memory("a running effect, with its task", comparedWith: ["a sleeping task"]) {
            Store(
                initialState: 0,
                reducer: Reduce<Int, Void> { _, _ in .run { _ in try await Task.sleep(for: .seconds(3_600)) } }
            )
        } tearDown: { store in
            await store.shutdown(drain: .cancelEffects)
        } make: { store in
            store.send(())
        },
        Benchmark.memory("a sleeping task") {
        } make: { _ in
            Task.detached { try await Task.sleep(for: .seconds(3_600)) }
        } release: { task in
            task.cancel()
        },
    ]
)

/// An iterator that is retained and never used.
private struct Kept: @unchecked Sendable {
    // Sound: it is never read or written.
    let iterator: StoreSequence<Int>.Iterator
}
