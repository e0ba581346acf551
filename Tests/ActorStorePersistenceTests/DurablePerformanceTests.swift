import ActionLogConformance
import ActorStore
import Dispatch
import Foundation
import TestFixtures
import Testing

@testable import ActorStorePersistence

/// An action whose effect sends another one, which has an effect of its own.
private struct Relay: Reducer {
    typealias State = Ledger.State
    typealias Action = Ledger.Action

    /// The effect of a payment.
    let pay: @Sendable (Int) async throws -> Void
    /// Called when an action is reduced.
    var reducing: @Sendable (Action) -> Void = { _ in }
    /// Called before a booking sends its payment.
    var book: @Sendable () async -> Void = {}

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        reducing(action)
        switch action {
        case .book(let amount):
            state.amounts.append(amount)
            return .run { [book] send in
                await book()
                send(.pay(amount))
            }
        case .pay(let amount):
            state.amounts.append(-amount)
            return .run(id: "payment") { [pay] _ in try await pay(amount) }
        case .cancelPayments: return .cancel(id: "payment")
        case .secret: return .none
        }
    }

    func open(
        _ log: some ActionLog,
        _ durability: DurabilityConfiguration = DurabilityConfiguration()
    ) async throws(ActionLogError) -> LedgerStore {
        try await Store.durable(in: log, initialState: State(), reducer: self, durability: durability)
    }
}

@Suite("Performances of durable stores", .timeLimit(.minutes(10)))
struct DurablePerformanceTests {
    let log = FaultyLog(MemoryLog())
    let outside = Outside()

    @Test(
        "A performance awaits the effects of actions that its effects have sent",
        arguments: [EffectStart.afterCommit, .atOnce],
        [true, false]
    )
    func feedback(start: EffectStart, isOfInnerStore: Bool) async throws {
        let relay = Relay { [outside] amount in
            try await Task.sleep(for: .milliseconds(50))
            outside.tell(amount)
        }
        let store = try await relay.open(log, DurabilityConfiguration(effects: start))
        if isOfInnerStore { try await store.store.perform(.book(1)) } else { try await store.perform(.book(1)) }
        #expect(outside.amounts == [1])
        #expect(store.snapshot.amounts == [1, -1])
        await store.end()
    }

    @Test("A performance throws the error of an effect of an action that its effects have sent")
    func failedFeedback() async throws {
        let store = try await Relay { _ in throw Failure() }.open(log)
        await #expect(throws: Failure.self) { try await store.perform(.book(1)) }
        await store.end()
    }

    @Test(
        "A performance throws why the log has ended if the effects of feedback have not run for that",
        arguments: [true, false]
    )
    func unwrittenFeedback(isOfInnerStore: Bool) async throws {
        let relay = Relay { [outside] amount in outside.tell(amount) }
        let store = try await relay.open(log)
        // That of the payment.
        log.fail(.append, number: log.count(of: .append) + 2, with: .error(.refused))
        await expect(.refused) {
            if isOfInnerStore { try await store.store.perform(.book(1)) } else { try await store.perform(.book(1)) }
        }
        #expect(outside.amounts == [])
        #expect(await store.end().failure?.code == .refused)
    }

    @Test("Effects that wait for the log do not begin after the end of a cancellation of all effects")
    func cancelledAll() async throws {
        let isCancelled = LockedValue(false)
        let relay = Relay { [outside] amount in
            if isCancelled.withLock({ $0 }) { outside.tell(amount) }
        }
        let store = try await relay.open(log)
        for amount in 1...500 {
            isCancelled.withLock { $0 = false }
            #expect(store.send(.pay(amount)).isAccepted)
            await letOtherTasksRun(yields: amount % 16)
            await store.store.cancelAllEffects()
            isCancelled.withLock { $0 = true }
            try await store.commit()
        }
        #expect(await store.end().isComplete)
        // At most those that had begun, and whose tasks were suspended by the system meanwhile.
        #expect(outside.amounts.count < 10)
    }

    @Test("A reducer's cancellation cancels the effects of all earlier actions, and of none that follow")
    func cancellationInOrder() async throws {
        let relay = Relay { [outside] amount in
            outside.tell(amount)
            do { try await Task.sleep(for: .seconds(1_000)) } catch { outside.tell(-amount) }
        }
        let store = try await relay.open(log)
        for amount in 1...500 {
            #expect(store.send(.pay(amount)).isAccepted)
            await letOtherTasksRun(yields: amount % 16)
            #expect(store.send(.cancelPayments).isAccepted)
        }
        #expect(store.send(.pay(501)).isAccepted)
        try await store.commit()
        try await until { outside.amounts.contains(501) && outside.amounts.reduce(0, +) == 501 }
        await store.shutdown(drain: .cancelEffects, within: .seconds(60))
        try await until { outside.amounts.last == -501 }
    }

    @Test("A performance throws if the log ends before its effects send their feedback", arguments: [true, false])
    func feedbackAfterTheEnd(isOfInnerStore: Bool) async throws {
        let (goOn, isBegun) = (AsyncStream.makeStream(of: Void.self), CancellationNote())
        let relay = Relay(
            pay: { _ in },
            book: {
                isBegun.note()
                for await _ in goOn.stream { break }
            }
        )
        let store = try await relay.open(log)
        let performance = Task {
            if isOfInnerStore { try await store.store.perform(.book(1)) } else { try await store.perform(.book(1)) }
        }
        try await until { isBegun.isNoted }
        log.fail(.append, with: .error(.refused))
        await expect(.refused) { try await store.dispatch(.cancelPayments) }
        goOn.continuation.yield()
        await expect(.refused) { try await performance.value }
        await store.end()
        #expect(store.snapshot.amounts == [1])
    }

    private struct Failure: Error {}

    @Test("A cancelled performance cancels the effects of actions that its effects have sent")
    func cancelledFeedback() async throws {
        let relay = Relay { [outside] amount in
            outside.tell(amount)
            do { try await Task.sleep(for: .seconds(1_000)) } catch { outside.tell(-amount) }
        }
        let store = try await relay.open(log)
        let performance = Task { try await store.perform(.book(1)) }
        try await until { outside.amounts == [1] }
        performance.cancel()
        await #expect(throws: CancellationError.self) { try await performance.value }
        #expect(outside.amounts == [1, -1])
        await store.end()
    }

    @Test("A performance that is cancelled before its effects wait for the log does not wait for it either")
    func cancelledBeforeWaiting() async throws {
        let cancelling = LockedValue<Task<Void, any Error>?>(nil)
        let relay = Relay { [outside] amount in
            outside.tell(amount)
        } reducing: { action in
            if case .pay = action { cancelling.withLock { $0 }?.cancel() }
        }
        let store = try await relay.open(log)
        let goOn = DispatchSemaphore(value: 0)
        // That of the payment.
        log.fail(.append, number: log.count(of: .append) + 2, with: .wait(goOn))
        let begins = Promise<Void>()
        let isOver = LockedValue(false)
        let performance = Task {
            await begins.wait()
            defer { isOver.withLock { $0 = true } }
            try await store.perform(.book(1))
        }
        cancelling.withLock { $0 = performance }
        begins.settle(())
        let end = ContinuousClock.now + .seconds(20)
        while !isOver.withLock({ $0 }), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(1)) }
        #expect(isOver.withLock { $0 }, "It waits for the log.")
        goOn.signal()
        await #expect(throws: CancellationError.self) { try await performance.value }
        #expect(await store.end().isComplete)
        #expect(store.snapshot.amounts == [1, -1])
        #expect(outside.amounts == [])
    }

    @Test("A shutdown and a performance do not wait for an interval")
    func interval() async throws {
        let durability = DurabilityConfiguration(level: .interval(.seconds(3_600)))
        let store = try await Relay(pay: { [outside] in outside.tell($0) }).open(log, durability)
        try await store.perform(.book(1))
        #expect(store.snapshot.amounts == [1, -1])
        try await store.dispatch(.book(2))
        #expect(await store.end().isComplete)
        #expect(store.snapshot.amounts == [1, -1, 2, -2])
        #expect(outside.amounts == [1, 2])
    }

    @Test("An effect that has begun and is cancelled takes no effect with it that waits for the log")
    func cancelledAfterWaiting() {
        var held = HeldEffects<Int>()
        for number in [2, 4, 7] as [UInt64] {
            let cancellation = HeldCancellation(cancellations: 0)
            held.append(
                .init(number: number, action: 0, effect: .none, beginning: Promise(), cancellation: cancellation)
            )
        }
        #expect(held.take(through: 3).map(\.number) == [2])
        for number in [2, 3, 5, 8] as [UInt64] { #expect(held.cancel(number)?.number == nil) }
        #expect(held.cancel(4)?.cancellation.isCancelled == false)
        #expect(held.cancel(4)?.cancellation.isCancelled == true)
        #expect(held.take(through: .max).map(\.cancellation.isCancelled) == [true, false])
    }

    @Test("Many effects that wait for the log are cancelled at once, the newest first")
    func manyCancelled() async throws {
        let count = 2_000
        let durability = DurabilityConfiguration(snapshots: .never, digestInterval: nil)
        let store = try await Relay { _ in }.open(log, durability)
        let goOn = DispatchSemaphore(value: 0)
        log.fail(.append, number: log.count(of: .append) + 1, with: .wait(goOn))
        var tasks: [StoreTask] = []
        for amount in 0..<count { tasks.append(try await store.store.dispatch(.pay(amount))) }
        for task in tasks.reversed() { task.cancel() }
        for task in tasks { try? await task.finish() }
        goOn.signal()
        #expect(await store.end().isComplete)
    }
}
