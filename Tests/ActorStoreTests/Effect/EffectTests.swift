import ActorStore
import Testing

@testable import TestFixtures

@Suite("Effects", .timeLimit(.minutes(10)))
struct EffectTests {
    typealias Action = Ledger.Action

    @Test("An effect sends any number of actions, in order")
    func sendsMany() async throws {
        let store = Ledger.store()
        let task = try await store.dispatch(.start(.run { send in for number in 0..<100 { send(.enter(0, number)) } }))
        try await task.finish()
        #expect(await store.state.entries.map(\.number) == Array(0..<100))
        #expect(task.isFinished)
    }

    @Test("A merge runs its parts concurrently")
    func merge() async throws {
        let store = Ledger.store()
        let first = Signal()
        let second = Signal()
        // Each waits for the other, so in sequence they would never end.
        let effect = Effect<Action>.merge(
            .run { _ in
                first.fire()
                await second.wait()
            },
            .run { _ in
                second.fire()
                await first.wait()
            }
        )
        try await store.dispatch(.start(effect)).finish()
    }

    @Test("A concatenation runs its parts in sequence, also after a part that failed")
    func concatenate() async throws {
        let store = Ledger.store()
        let events = Collector<String>()
        let effect = Effect<Action>.concatenate(
            .run { _ in events.append("first") },
            .run { _ in
                throw CancellationError()
            } catch: { _ in
                events.append("failed")
                return nil
            },
            .send(.write("between")),
            .run { [weak store] _ in events.append("third, note \(store?.snapshot.note ?? "?")") }
        )
        try await store.dispatch(.start(effect)).finish()
        #expect(events.elements.count == 3)
        #expect(events.elements.prefix(2) == ["first", "failed"])
        #expect(await store.state.note == "between")
    }

    @Test("Mapping embeds every action of an effect, actions for errors included, and keeps the identity")
    func map() async throws {
        struct Broken: Error {}
        let inner = Effect<Int>.merge(
            .send(1),
            .run { send in
                send(2)
                throw Broken()
            } catch: { _ in
                3
            },
            .concatenate(.run { send in send(4) }, .cancel(id: "none")),
            .run(id: "waiting") { _ in await untilCancelled() }
        )
        let store = Ledger.store()
        let task = try await store.dispatch(.start(inner.map { .enter(7, $0) }))
        await until { store.revision >= 5 }
        try await store.dispatch(.start(.cancel(id: "waiting")))
        try await task.finish()
        let entries = await store.state.entries
        #expect(entries.map(\.sender) == [7, 7, 7, 7])
        #expect(Set(entries.map(\.number)) == [1, 2, 3, 4])
    }

    @Test("Combinations of empty effects are empty")
    func none() {
        #expect(Effect<Action>.none.isNone)
        #expect(Effect<Action>.merge(.none, .none).isNone)
        #expect(Effect<Action>.concatenate([]).isNone)
        #expect(Effect<Action>.merge([.none]).map { $0 }.isNone)
        #expect(!Effect<Action>.merge(.none, .send(.add(1))).isNone)
    }

    @Test("With .cancelInFlight only the last of several effects of one identity sends")
    func cancelInFlight() async throws {
        let store = Ledger.store()
        let goOn = (0..<3).map { _ in Signal() }
        var tasks: [StoreTask] = []
        for number in 0..<3 {
            tasks.append(
                try await store.dispatch(
                    .start(
                        .run(id: "search", policy: .cancelInFlight) { send in
                            await goOn[number].wait()
                            send(.enter(0, number))
                        }
                    )
                )
            )
        }
        for signal in goOn { signal.fire() }
        for task in tasks { try await task.finish() }
        #expect(await store.state.entries.map(\.number) == [2])
    }

    @Test("With .ignoreIfRunning a second effect does not begin while the first runs")
    func ignoreIfRunning() async throws {
        let store = Ledger.store()
        let goOn = Signal()
        func effect(_ number: Int) -> Action {
            .start(
                .run(id: "restock", policy: .ignoreIfRunning) { send in
                    await goOn.wait()
                    send(.enter(0, number))
                }
            )
        }
        let first = try await store.dispatch(effect(1))
        let second = try await store.dispatch(effect(2))
        #expect(second.isFinished && !first.isFinished)
        goOn.fire()
        try await first.finish()
        try await store.dispatch(effect(3)).finish()
        #expect(await store.state.entries.map(\.number) == [1, 3])
    }

    @Test("Actions sent after the end of an effect are dropped and counted")
    func lateSends() async throws {
        let store = Ledger.store()
        let leaked = Collector<Send<Action>>()
        try await store.dispatch(.start(.run { send in leaked.append(send) })).finish()
        #expect(leaked.elements[0](.add(1)) == .dropped)
        #expect(store.statistics.lateActions == 1)
        #expect(store.snapshot.total == 0)
    }

    @Test("A Send does not keep the store alive, and reports its release")
    func sendIsWeak() async throws {
        var store: Store<Ledger.State, Action>? = Ledger.store()
        weak let weakStore = store
        let leaked = Collector<Send<Action>>()
        try await store?.dispatch(.start(.run { send in leaked.append(send) })).finish()
        store = nil
        #expect(weakStore == nil)
        #expect(leaked.elements[0](.add(1)) == .refused(.shutDown))
    }

    @Test("An effect runs at the priority that it requests")
    func priority() async throws {
        let store = Ledger.store()
        let seen = Collector<TaskPriority?>()
        let effect = Effect<Action>.run(priority: .utility) { _ in seen.append(Task.basePriority) }
        try await store.dispatch(.start(effect)).finish()
        #expect(seen.elements == [.utility])
    }

    @Test("Effects run on the executor of the configuration")
    func executor() async throws {
        let executor = RecordingExecutor()
        let store = Ledger.store(configuration: StoreConfiguration(executor: executor))
        let done = Signal()
        try await store.dispatch(.start(.run { _ in })).finish()
        store.send(.start(.run { _ in done.fire() }))
        await done.wait()
        #expect(executor.jobs.elements.count >= 2)
    }

    @Test("Waiting for effects can be cancelled without cancelling the effects")
    func cancelWaiting() async throws {
        let store = Ledger.store()
        let goOn = Signal()
        let task = try await store.dispatch(.start(.run { _ in await goOn.wait() }))
        let waiter = Task { try await task.finish() }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        #expect(!task.isFinished)
        goOn.fire()
        try await task.finish()
    }

    @Test("The statistics count the running effects")
    func statistics() async throws {
        let store = Ledger.store()
        let goOn = Signal()
        let task = try await store.dispatch(.start(.run { _ in await goOn.wait() }))
        #expect(store.statistics.runningEffects == 1)
        goOn.fire()
        try await task.finish()
        #expect(store.statistics.runningEffects == 0)
    }

    @Test("Actions sent beside or before a long operation are released after their reduction", arguments: [0, 1, 2])
    func releasedPayloads(kind: Int) async throws {
        enum Action: Sendable {
            case start(Int)
            case loaded(Token)
        }
        let (isReleased, isAtWork) = (Signal(), Signal())
        @Sendable func effect(_ kind: Int) -> Effect<Action> {
            let loaded = Effect<Action>.send(.loaded(Token { isReleased.fire() }))
            let work = Effect<Action>.run { _ in
                isAtWork.fire()
                await untilCancelled()
            }
            return switch kind {
            case 0: .merge(loaded, work)
            case 1: .concatenate(loaded, work)
            default: .concatenate(.run { _ in }, loaded, work).cancellable(id: "group")
            }
        }
        let store = Store(
            initialState: 0,
            reducer: Reduce<Int, Action> { loads, action in
                switch action {
                case .start(let kind): return effect(kind)
                case .loaded:
                    loads += 1
                    return .none
                }
            }
        )
        try await store.dispatch(.start(kind))
        await isAtWork.wait()
        await isReleased.wait()
        #expect(store.snapshot == 1 && store.statistics.runningEffects == 1)
        await store.shutdown(drain: .cancelEffects)
    }
}
