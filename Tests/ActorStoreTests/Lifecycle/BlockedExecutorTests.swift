import ActorStore
import Testing

/// What a store does by itself does not wait for effects that block the only thread of its executor.
@Suite("Stores whose executor is blocked by effects", .timeLimit(.minutes(10)))
struct BlockedExecutorTests {
    typealias Action = Ledger.Action

    private let store = Ledger.store(configuration: StoreConfiguration(executor: OneThreadExecutor()))
    private let blockade = Blockade()
    private let released = Collector<Bool>()

    /// An effect that blocks its thread until its cancellation handler runs.
    private var interruptible: Effect<Action> {
        .run(id: "work") { [blockade, released] _ in released.append(await blockade.blockUntilCancelled()) }
    }

    /// An effect that blocks its thread whatever happens.
    private var stubborn: Effect<Action> { .run { [blockade] _ in blockade.block() } }

    private func start(_ effect: Effect<Action>) async throws -> StoreTask {
        let task = try await store.dispatch(.start(effect))
        await blockade.waitUntilBegun()
        return task
    }

    @Test("The task of an action cancels effects that block until their cancellation handlers run")
    func cancelledTask() async throws {
        let task = try await start(interruptible)
        task.cancel()
        try await task.finish()
        #expect(released.elements == [true])
    }

    @Test("An action cancels effects that block until their cancellation handlers run")
    func cancelledByIdentity() async throws {
        let task = try await start(interruptible)
        store.send(.start(.cancel(id: "work")))
        try await task.finish()
        #expect(released.elements == [true])
    }

    @Test("A shutdown cancels effects that block until their cancellation handlers run, and leaves none running")
    func shutdown() async throws {
        _ = try await start(interruptible)
        #expect(await store.shutdown(drain: .cancelEffects, within: .seconds(600)).isClean)
        #expect(released.elements == [true])
    }

    @Test("A shutdown returns at its deadline, and reports the effects that block", arguments: ShutdownDrain.all)
    func deadline(drain: ShutdownDrain) async throws {
        let task = try await start(stubborn)
        let report = await store.shutdown(drain: drain, within: .milliseconds(2))
        #expect(report.unfinishedEffects.count == 1 && !task.isFinished)
        blockade.release()
        try await task.finish()
    }

    @Test("A service that is cancelled ends its store within its limit, and reports the effects that block")
    func service() async throws {
        let task = try await start(stubborn)
        let failures = store.errors
        let service = Task { [store] in try await store.run(endingWithin: .milliseconds(1)) }
        service.cancel()
        try await service.value
        #expect(!task.isFinished)
        #expect(try await failures.all().map { $0.error is EffectStillRunning } == [true])
        blockade.release()
        try await task.finish()
    }

    @Test("Waiting for a state or an action ends when its time is over")
    func waiting() async throws {
        let task = try await start(stubborn)
        await #expect(throws: WaitError.timedOut) {
            try await store.condition(timeout: .milliseconds(1)) { $0.total == 1 }
        }
        await #expect(throws: WaitError.timedOut) {
            try await store.condition(\.total, timeout: .milliseconds(1)) { $0 == 1 }
        }
        await #expect(throws: WaitError.timedOut) {
            try await store.take(where: { _ in true }, timeout: .milliseconds(1))
        }
        await #expect(throws: WaitError.timedOut) {
            try await store.take(where: { _ in true }, timeout: .milliseconds(1)) {}
        }
        #expect(!task.isFinished)
        blockade.release()
        try await task.finish()
    }

    @Test("A shutdown cancels a loading that blocks until its cancellation handler runs")
    func loading() async throws {
        let store = Store(
            initialState: Ledger.State(),
            loading: { [blockade, released] in
                released.append(await blockade.blockUntilCancelled())
                return Ledger.State()
            },
            reducer: Ledger(),
            configuration: StoreConfiguration(executor: OneThreadExecutor())
        )
        await blockade.waitUntilBegun()
        await store.shutdown(drain: .cancelEffects)
        #expect(released.elements == [true])
    }
}

extension ShutdownDrain {
    fileprivate static let all = [ShutdownDrain.cancelEffects, .finishEffects]
}
