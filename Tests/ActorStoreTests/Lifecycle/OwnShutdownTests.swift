import ActorStore
import Testing

@testable import TestFixtures

@Suite("Stores ended by their own effects", .timeLimit(.minutes(10)))
struct OwnShutdownTests {
    @Test(
        "A shutdown by an effect's Task.detached waits for that effect, and its actions are reduced"
    )
    func detachedTask() async throws {
        let store = Ledger.store()
        let (events, isOver) = (Collector<String>(), Signal())
        let task = try await store.dispatch(
            .start(
                .run { send in
                    Task.detached {
                        await store.shutdown(drain: .finishEffects)
                        events.append("shut down")
                        isOver.fire()
                    }
                    await until { store.phase.description == "shutting down" }
                    // So that the shutdown has checked what runs.
                    _ = await store.state
                    await letOtherTasksRun()
                    events.append(send(.add(5)) == .accepted ? "accepted" : "dropped")
                }
            )
        )
        await isOver.wait()
        try await task.finish()
        #expect(events.elements == ["accepted", "shut down"])
        #expect(store.snapshot.total == 5 && store.statistics.lateActions == 0)
    }

    @Test(
        "An action made by catch after the effect has ended its store is dropped, and is not an error",
        arguments: [ShutdownDrain.finishEffects, .cancelEffects]
    )
    func actionOfError(drain: ShutdownDrain) async throws {
        struct Broken: Error {}
        let (store, caught) = (Ledger.store(), Collector<Bool>())
        let task = try await store.dispatch(
            .start(
                .run { _ in
                    await store.shutdown(drain: drain)
                    throw Broken()
                } catch: { error in
                    caught.append(error is Broken)
                    return .add(1)
                }
            )
        )
        try await task.finish()
        #expect(caught.elements == [true])
        #expect(store.snapshot.total == 0 && store.statistics.lateActions == 1)
        #expect(try await store.errors.all().isEmpty)
    }

    @Test("The release of a store does not cancel the effect that has ended it")
    func release() async throws {
        let (hasEnded, mayGoOn, isOver) = (Signal(), Latch(), Signal())
        let cancellations = Collector<Bool>()
        // One thread, so that a cancellation comes before later beginnings.
        let configuration = StoreConfiguration(executor: OneThreadExecutor())
        var store: Store<Ledger.State, Ledger.Action>? = Ledger.store(configuration: configuration)
        weak let weakStore = store
        store?.send(
            .start(
                .run { [weak store] _ in
                    await store?.shutdown(drain: .finishEffects)
                    hasEnded.fire()
                    await mayGoOn.wait()
                    await letOtherTasksRun()
                    cancellations.append(Task.isCancelled)
                    isOver.fire()
                }
            )
        )
        await hasEnded.wait()
        store = nil
        await until { weakStore == nil }
        mayGoOn.open()
        await isOver.wait()
        #expect(cancellations.elements == [false])
    }
}
