import ActionLogConformance
import ActorStore
import Dispatch
import Foundation
import TestFixtures
import Testing

@testable import ActorStorePersistence

@Suite("Actions of durable stores", .timeLimit(.minutes(10)))
struct DurableActionTests {
    @Test("A named action is reduced once, however often it is sent, also after a restart")
    func namedActions() async throws {
        let log = MemoryLog()
        let first = try await LedgerStore.open(log)
        for _ in 0..<3 { try await first.dispatch(.book(5), id: "order 1") }
        try await first.dispatch(.book(5), id: "order 2")
        try await first.dispatch(.book(5))
        #expect(first.snapshot.amounts == [5, 5, 5])
        #expect(first.revision == 3)
        #expect(first.statistics.repeats == 2)
        await first.end()
        let second = try await LedgerStore.open(log)
        try await second.dispatch(.book(5), id: "order 2")
        #expect(second.snapshot.amounts == [5, 5, 5])
        await second.end()
    }

    @Test("A repeated action returns when the first one is in the log")
    func repeatsWait() async throws {
        let log = FaultyLog(MemoryLog())
        let store = try await LedgerStore.open(log)
        let goOn = DispatchSemaphore(value: 0)
        log.fail(.append, with: .wait(goOn))
        let first = Task { try await store.dispatch(.book(1), id: "one") }
        try await until { store.revision == 1 }
        let second = Task { try await store.dispatch(.book(1), id: "one") }
        try await until { store.statistics.repeats == 1 }
        #expect(store.statistics.committedRevision == 0)
        goOn.signal()
        _ = try await (first.value, second.value)
        #expect(store.statistics.committedRevision == 1)
        await store.end()
    }

    @Test("An action for another revision is refused, and other actions are not affected")
    func expectedRevisions() async throws {
        let store = try await LedgerStore.open(MemoryLog())
        try await store.dispatch(.book(1), expecting: 0)
        await expect(.unexpectedRevision) { try await store.dispatch(.book(2), expecting: 0) }
        try await store.dispatch(.book(3), expecting: 1)
        #expect(store.snapshot.amounts == [1, 3])
        // One of many actions for the same revision is reduced.
        let accepted = await withTaskGroup(of: Bool.self) { group in
            for amount in 0..<32 {
                group.addTask { (try? await store.dispatch(.book(amount), expecting: 2)) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(accepted == 1)
        #expect(store.revision == 3)
        await store.end()
    }

    @Test("An action that cannot be encoded, or is too large, is refused before its reduction")
    func refusedActions() async throws {
        let store = try await LedgerStore.open(MemoryLog())
        try await store.dispatch(.book(1))
        await expect(.unencodable) { try await store.dispatch(.secret(Ledger.Unencodable())) }
        try await store.dispatch(.book(2))
        #expect(store.revision == 2)
        let errors = store.store.errors
        store.send(.secret(Ledger.Unencodable()))
        for await failure in errors {
            #expect((failure.error as? ActionLogError)?.code == .unencodable)
            break
        }
        await store.end()
    }

    @Test("An action with a name too long for the log is refused, and other actions are not affected")
    func longName() async throws {
        let log = SmallLog()
        let store = try await LedgerStore.open(log)
        for count in [log.largestEntry, 513] {
            let name = String(repeating: "x", count: count)
            await expect(.tooLarge) { try await store.dispatch(.book(1), id: name) }
        }
        try await store.dispatch(.book(2), id: String(repeating: "ü", count: 256))
        #expect(store.snapshot.amounts == [2])
        await store.end()
    }

    @Test("Effects begin after the log has acknowledged their action, in the order of the actions")
    func effectsAfterCommit() async throws {
        let (log, outside) = (FaultyLog(MemoryLog()), Outside())
        let store = try await LedgerStore.open(log, DurabilityConfiguration(), Ledger(outside: outside))
        let goOn = DispatchSemaphore(value: 0)
        log.fail(.append, with: .wait(goOn))
        let task = Task { try await store.dispatch(.pay(1)) }
        try await until { store.revision == 1 }
        // Not yet, although it has been reduced.
        await letOtherTasksRun()
        #expect(outside.amounts == [])
        goOn.signal()
        try await task.value.finish()
        #expect(outside.amounts == [1])
        // An effect cancelled by a later action before it could begin.
        let hold = DispatchSemaphore(value: 0)
        log.fail(.append, with: .wait(hold))
        let payments = Task { try await store.dispatch(.book(0)) }
        try await until { store.revision == 2 }
        let cancelled = Task { try await store.perform(.pay(2)) }
        try await until { store.revision == 3 }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        hold.signal()
        _ = try await payments.value
        #expect(outside.amounts == [1])
        await store.end()
    }

    @Test("Effects of an action that cannot be written do not begin, and their waiters are resumed")
    func effectsOfAFailedLog() async throws {
        let (log, outside) = (FaultyLog(MemoryLog()), Outside())
        let store = try await LedgerStore.open(log, DurabilityConfiguration(), Ledger(outside: outside))
        let (goOn, appends) = (DispatchSemaphore(value: 0), log.count(of: .append))
        log.fail(.append, with: .wait(goOn))
        log.failAlways(.append, with: .error(.refused))
        store.send(.book(0))
        try await until { log.count(of: .append) == appends + 1 }
        let payment = try await store.store.dispatch(.pay(1))
        goOn.signal()
        try? await payment.finish()
        #expect(store.statistics.failure?.code == .refused)
        #expect(await store.end().unwrittenActions == 1)
        #expect(outside.amounts == [])
    }

    @Test("Immediate effects do not wait for the log")
    func effectsAtOnce() async throws {
        let (log, outside) = (FaultyLog(MemoryLog()), Outside())
        let store = try await LedgerStore.open(log, DurabilityConfiguration(effects: .atOnce), Ledger(outside: outside))
        let goOn = DispatchSemaphore(value: 0)
        log.fail(.append, with: .wait(goOn))
        let task = Task { try await store.dispatch(.pay(1)) }
        try await until { outside.amounts == [1] }
        #expect(store.statistics.committedRevision == 0)
        goOn.signal()
        try await task.value.finish()
        await store.end()
    }

    @Test("A shutdown lets effects of actions that are being written begin, and finish")
    func effectsAtShutdown() async throws {
        let (log, outside) = (FaultyLog(MemoryLog()), Outside())
        let store = try await LedgerStore.open(log, DurabilityConfiguration(), Ledger(outside: outside))
        let goOn = DispatchSemaphore(value: 0)
        log.fail(.append, with: .wait(goOn))
        for amount in 1...5 { store.send(.pay(amount)) }
        try await until { store.revision == 5 }
        let report = Task { await store.end() }
        await letOtherTasksRun()
        goOn.signal()
        #expect(await report.value.isComplete)
        #expect(outside.amounts == [1, 2, 3, 4, 5])
    }

    @Test("The confirmed state has the acknowledged actions, and none that may be lost")
    func confirmedState() async throws {
        let log = FaultyLog(MemoryLog())
        let store = try await LedgerStore.open(log, DurabilityConfiguration(keepsConfirmedState: true))
        let confirmed = try #require(store.confirmed)
        try await store.book(1...3)
        #expect(confirmed.snapshot.amounts == [1, 2, 3])
        let goOn = DispatchSemaphore(value: 0)
        log.fail(.append, with: .wait(goOn), .error(.refused))
        let appends = log.count(of: .append)
        store.send(.book(4))
        // So that the next one is in another group.
        try await until { log.count(of: .append) > appends }
        #expect(store.snapshot.amounts == [1, 2, 3, 4])
        #expect(confirmed.snapshot.amounts == [1, 2, 3])
        store.send(.book(5))
        goOn.signal()
        await expect(.refused) { try await store.commit() }
        #expect(store.snapshot.amounts == [1, 2, 3, 4, 5])
        #expect(confirmed.snapshot.amounts == [1, 2, 3, 4])
        #expect(store.statistics.unconfirmedActions == 1)
        await store.end()
        #expect(try await LedgerStore.open(log.base).snapshot.amounts == [1, 2, 3, 4])
    }

    @Test("A dispatch returns when the confirmed state has its action")
    func confirmedAtReturn() async throws {
        let store = try await LedgerStore.open(MemoryLog(), DurabilityConfiguration(keepsConfirmedState: true))
        let confirmed = try #require(store.confirmed)
        for number in 1...2_000 {
            try await store.dispatch(.book(number))
            #expect(await confirmed.read(\.amounts.count) == number)
        }
        await store.end()
    }

    @Test("A dispatch throws the refusal of its first part although an interceptor passes on another one")
    func refusedFirstPart() async throws {
        let split = Interceptor<Ledger.State, Ledger.Action>("split") { action, _, next in
            if case .pay = action { try? next(.secret(Ledger.Unencodable())) }
            try next(action)
        }
        let store = try await Store.durable(
            in: MemoryLog(),
            initialState: Ledger.State(),
            reducer: Ledger(),
            interceptors: [split]
        )
        for _ in 1...2 { await expect(.unencodable) { try await store.dispatch(.pay(1), id: "one") } }
        // The name is that of the first part, which has not been reduced.
        #expect(store.snapshot.amounts == [-1, -1])
        await store.end()
    }

    @Test("A dispatch whose action an interceptor splits is appended in one group, and awaits the effects of all parts")
    func splitAction() async throws {
        let memory = MemoryLog()
        let (log, payments) = (FaultyLog(memory), Payments())
        let split = Interceptor<Ledger.State, Ledger.Action>("split") { action, _, next in
            guard case .pay(let amount) = action else { return try next(action) }
            let appends = log.count(of: .append)
            try next(.pay(amount - 1))
            // A writer that took the first part would append it in this time.
            let end = ContinuousClock.now + .milliseconds(50)
            while log.count(of: .append) == appends, ContinuousClock.now < end { usleep(100) }
            try next(.pay(1))
        }
        let store = try await Store.durable(
            in: log,
            initialState: Ledger.State(),
            reducer: payments,
            interceptors: [split]
        )
        let (goOn, appends) = (DispatchSemaphore(value: 0), log.count(of: .append))
        let end = try memory.connect().status().end.position
        log.fail(.append, number: appends + 1, with: .wait(goOn))
        let (isAcknowledged, isFinished) = (CancellationNote(), CancellationNote())
        let dispatch = Task {
            let task = try await store.dispatch(.pay(10), id: "ten")
            isAcknowledged.note()
            try await task.finish()
            isFinished.note()
        }
        try await until { log.count(of: .append) == appends + 1 }
        await letOtherTasksRun(yields: 1_000)
        #expect(!isAcknowledged.isNoted)
        goOn.signal()
        try await until { isAcknowledged.isNoted && payments.begun.amounts.count == 2 }
        #expect(log.count(of: .append) == appends + 1)
        #expect(try memory.connect().status().end.position == end + 2)
        payments.mayEnd(9)
        await letOtherTasksRun(yields: 1_000)
        #expect(!isFinished.isNoted)
        payments.mayEnd(1)
        try await dispatch.value
        // The name is that of the first part.
        try await store.dispatch(.pay(10), id: "ten")
        #expect(store.snapshot.amounts == [-9, -1])
        await store.end()
        let second = try await LedgerStore.open(memory)
        #expect(second.snapshot.amounts == [-9, -1])
        await second.end()
    }
}

/// Effects of payments that end when the test allows it.
private struct Payments: Reducer {
    let begun = Outside()
    private let allowed = Outside()

    func mayEnd(_ amount: Int) { allowed.tell(amount) }

    func reduce(into state: inout Ledger.State, action: Ledger.Action) -> Effect<Ledger.Action> {
        guard case .pay(let amount) = action else { return .none }
        state.amounts.append(-amount)
        return .run { [begun, allowed] _ in
            begun.tell(amount)
            try await until { allowed.amounts.contains(amount) }
        }
    }
}
