import ActorStore
import ActorStoreGroups
import Dispatch
import Testing

@testable import TestFixtures

@Suite("Hand-overs of states", .timeLimit(.minutes(10)))
struct StoreGroupHandOverTests {
    private let clock = ManualClock()

    private func makeGroup(
        _ configuration: StoreConfiguration = StoreConfiguration(),
        onEvict: @escaping @Sendable (String, Int) async -> Void
    ) -> StoreGroup<String, Int, Int> {
        StoreGroup(
            configuration: configuration,
            eviction: .afterIdle(.seconds(10), clock: clock, onEvict: onEvict),
            initialState: { _ in 0 },
            reduce: { count, step in count += step }
        )
    }

    /// Lets enough time pass for the group to evict idle stores.
    private func passTwoPeriods() async {
        for _ in 1...2 {
            await clock.waitForSleepers()
            clock.advance(by: .seconds(10))
        }
    }

    // MARK: Where and how

    @Test("The state of an idle store is handed over on the group's executor, at its priority")
    func executorForIdleStores() async {
        let (executor, seen) = (OneThreadExecutor(), Collector<(isPreferred: Bool, priority: TaskPriority)>())
        let group = makeGroup(StoreConfiguration(priority: .low, executor: executor)) { _, _ in
            seen.append((executor.isPreferred, Task.currentPriority))
        }
        group.send(1, to: "a")
        await passTwoPeriods()
        await until { group.count == 0 }
        #expect(seen.elements.map(\.isPreferred) == [true])
        #expect(seen.elements.map(\.priority) == [.low])
    }

    @Test(
        "The state of a store that `evict` removes is handed over on the group's executor, at its caller's priority"
    )
    func executorForEvict() async {
        let (executor, seen) = (OneThreadExecutor(), Collector<(isPreferred: Bool, priority: TaskPriority)>())
        let group = makeGroup(StoreConfiguration(priority: .high, executor: executor)) { _, _ in
            seen.append((executor.isPreferred, Task.currentPriority))
        }
        group.send(1, to: "a")
        // Awaiting the task would raise its priority.
        Task(priority: .low) { await group.evict("a") }
        await until { group.count == 0 }
        #expect(seen.elements.map(\.isPreferred) == [true])
        #expect(seen.elements.map(\.priority) == [.low])
    }

    // MARK: Ends

    @Test(
        "A hand-over past a shutdown's deadline continues, in a cancelled task if the group evicted by itself",
        arguments: [true, false]
    )
    func afterTheDeadline(isIdle: Bool) async {
        let (begun, cancelled, goOn, wasCancelled) = (Signal(), Signal(), Latch(), Collector<Bool>())
        let group = makeGroup { _, _ in
            begun.fire()
            await withTaskCancellationHandler {
                await goOn.wait()
            } onCancel: {
                cancelled.fire()
            }
            wasCancelled.append(Task.isCancelled)
        }
        group.send(1, to: "a")
        let eviction = isIdle ? nil : Task { await group.evict("a") }
        if isIdle { await passTwoPeriods() }
        await begun.wait()
        let limit = ManualClock()
        let shutdown = Task { await group.shutdown(drain: .finishEffects, within: .seconds(5), clock: limit) }
        // The store has ended, and the hand-over is awaited.
        await until {
            if case .ended = group.existing("a")?.phase { limit.sleepers == 1 } else { false }
        }
        limit.advance(by: .seconds(5))
        #expect(await shutdown.value.isEmpty)
        // By a separate task, which can come later than this.
        if isIdle { await cancelled.wait() }
        goOn.open()
        await until { !wasCancelled.elements.isEmpty }
        #expect(wasCancelled.elements == [isIdle])
        _ = await eviction?.value
    }

    @Test("Several callers that end the store of a key each get its last state")
    func severalEnds() async throws {
        let group = StoreGroup(reducer: Ledger()) { (_: String) in Ledger.State() }
        let mayEnd = Latch()
        let effect = Effect<Ledger.Action>.run { send in
            await mayEnd.wait()
            send(.add(5))
        }
        try await group.dispatch(.start(effect), to: "a")
        let executor = OneThreadExecutor()
        let ends = (1...2).map { _ in
            Task(executorPreference: executor) { await group.end("a", drain: .finishEffects) }
        }
        // When its turn comes both have begun, and wait for the effect.
        await Task(executorPreference: executor) {}.value
        #expect(group.send(.add(1), to: "a") == .refused(.shutDown))
        mayEnd.open()
        for end in ends { #expect(await end.value?.total == 5) }
        #expect(group.count == 0)
    }

    // MARK: Handles

    @Test("Scopes and weak stores of an evicted store do not find the next store of its key")
    func handlesOfFormerStores() async throws {
        let group = makeGroup { _, _ in }
        let (scope, weak) = (group["a"].scope(\.self), group["a"].weak)
        #expect(scope.send(1) == .accepted && weak.send(1) == .accepted)
        #expect(await group.evict("a"))
        let next = group["a"]
        #expect(scope.send(1) == .refused(.shutDown) && weak.send(1) == .refused(.shutDown))
        await #expect(throws: StoreError.shutDown) { try await scope.dispatch(1) }
        await #expect(throws: StoreError.shutDown) { try await weak.dispatch(1) }
        #expect(!weak.isAlive && next.snapshot == 0 && next.revision == 0)
    }

    @Test("A shutdown with a deadline does not wait for cancellation handlers of a continuing hand-over")
    func slowHandler() async {
        let (begun, goOn, mayEnd) = (Signal(), Latch(), DispatchSemaphore(value: 0))
        let isCancelled = Signal()
        let group = makeGroup { _, _ in
            await withTaskCancellationHandler {
                begun.fire()
                await goOn.wait()
            } onCancel: {
                isCancelled.fire()
                mayEnd.wait()
            }
        }
        group.send(1, to: "a")
        await passTwoPeriods()
        await begun.wait()
        _ = await group.shutdown(drain: .finishEffects, within: .zero)
        await isCancelled.wait()
        mayEnd.signal()
        goOn.open()
    }
}
