import ActionLogConformance
import ActorStore
import ActorStoreFoundation
import ActorStoreTesting
import Dispatch
import Foundation
import TestFixtures
import Testing

@testable import ActorStorePersistence

@Suite("Reminders", .timeLimit(.minutes(10)))
struct ReminderTests {
    private let base = TestClock()
    private let clock: WallClock

    init() { clock = WallClock(startingAt: Date(timeIntervalSince1970: 0), by: base) }

    private func time(_ seconds: Double) -> WallClock.Instant {
        WallClock.Instant(Date(timeIntervalSince1970: seconds))
    }

    private func open(_ log: some ActionLog) async throws -> ShippingStore {
        let store = try await ShippingStore.open(log)
        store.sendReminders(for: \.ends, clock: clock) { id, _ in .ended(id) }
        return store
    }

    @Test("A reminder is sent at its time, once, and in the order of the times")
    func times() async throws {
        let store = try await open(MemoryLog())
        for (id, end) in [(1, 30.0), (2, 10), (3, 20)] { try await store.dispatch(.offered(id, until: time(end))) }
        try await until { base.sleeping == 1 }
        await base.advance(by: .milliseconds(9_999))
        #expect(store.snapshot.ended == [])
        await base.advance(by: .milliseconds(1))
        try await store.store.condition { $0.ended == [2] }
        try await until { base.sleeping == 1 }
        // Both are due when it wakes.
        await base.advance(by: .seconds(60))
        try await store.store.condition { $0.ended == [2, 3, 1] }
        #expect(store.snapshot.ends == [:])
        #expect(store.revision == 6)
        await store.shutdown(drain: .finishEffects)
    }

    @Test("A moved reminder is sent at its new time, and a removed one is not sent")
    func movedTimes() async throws {
        let store = try await open(MemoryLog())
        try await store.dispatch(.offered(1, until: time(10)))
        try await store.dispatch(.offered(2, until: time(10)))
        try await until { base.sleeping == 1 }
        try await store.dispatch(.offered(1, until: time(20)))
        try await store.dispatch(.withdrawn(2))
        try await until { base.sleeping == 1 }
        await base.advance(by: .seconds(15))
        await letOtherTasksRun()
        #expect(store.snapshot.ended == [])
        try await until { base.sleeping == 1 }
        await base.advance(by: .seconds(5))
        try await store.store.condition { $0.ended == [1] }
        // An earlier one that comes later.
        try await store.dispatch(.offered(3, until: time(100)))
        try await until { base.sleeping == 1 }
        try await store.dispatch(.offered(4, until: time(50)))
        await base.advance(by: .seconds(31))
        try await store.store.condition { $0.ended == [1, 4] }
        await store.shutdown(drain: .cancelEffects)
    }

    @Test("A reminder whose time came while no program ran is sent at the start, once")
    func restarts() async throws {
        let log = MemoryLog()
        let first = try await open(log)
        try await first.dispatch(.offered(1, until: time(10)))
        try await first.dispatch(.offered(2, until: time(100)))
        await first.shutdown(drain: .finishEffects, within: .seconds(60))
        await base.advance(by: .seconds(50))
        let second = try await open(log)
        try await second.store.condition { $0.ended == [1] }
        await second.shutdown(drain: .finishEffects)
        let third = try await open(log)
        try await until { base.sleeping == 1 }
        #expect(third.snapshot.ended == [1])
        await base.advance(by: .seconds(50))
        try await third.store.condition { $0.ended == [1, 2] }
        await third.shutdown(drain: .finishEffects)
    }

    @Test("A reminder whose action does not change its entry is sent once by each program")
    func entriesThatStay() async throws {
        let log = MemoryLog()
        for life in 1...2 {
            let store = try await ShippingStore.open(log)
            let sent = LockedValue(0)
            store.sendReminders(for: \.ends, clock: clock) { _, _ in
                sent.withLock { $0 += 1 }
                return .looked
            }
            if life == 1 {
                for id in 1...2 { try await store.dispatch(.offered(id, until: time(0))) }
            }
            try await until { sent.withLock { $0 } == 2 }
            // It checks again, and finds both sent.
            try await store.dispatch(.offered(3, until: time(1_000)))
            await letOtherTasksRun()
            await store.shutdown(drain: .finishEffects)
            #expect(sent.withLock { $0 } == 2)
            #expect(store.snapshot.ends.count == 3)
        }
    }

    private enum End: CaseIterable { case release, shutdown, cancellation }

    @Test("Nothing of the reminders is left after the end of their store or of its effects", arguments: End.allCases)
    private func end(_ end: End) async throws {
        final class Token: Sendable {}
        var token: Token? = Token()
        weak let released = token
        var store: ShippingStore? = try await ShippingStore.open(MemoryLog())
        store?.sendReminders(for: \.ends, clock: clock) { [token] id, _ in withExtendedLifetime(token) { .ended(id) } }
        token = nil
        try await store?.dispatch(.offered(1, until: time(10)))
        try await until { base.sleeping == 1 }
        #expect(released != nil)
        switch end {
        case .release: store = nil
        case .shutdown: await store?.shutdown(drain: .finishEffects)
        case .cancellation: await store?.store.cancelAllEffects()
        }
        try await until { base.sleeping == 0 && released == nil }
        await store?.shutdown(drain: .finishEffects)
    }

    /// A clock that counts how often it is read, and whose first reader can be made to wait.
    private struct CountingClock: Clock {
        let base: WallClock
        let reads = LockedValue(0)
        var goOn: DispatchSemaphore?
        var now: WallClock.Instant {
            let count = reads.withLock { reads in
                reads += 1
                return reads
            }
            if count == 1 { goOn?.wait() }
            return base.now
        }
        var minimumResolution: Duration { base.minimumResolution }
        func sleep(until deadline: WallClock.Instant, tolerance: Duration?) async throws {
            try await base.sleep(until: deadline, tolerance: tolerance)
        }
    }

    @Test("An action is reduced while the sender of reminders reads its clock")
    func slowClock() async throws {
        let goOn = DispatchSemaphore(value: 0)
        let clock = CountingClock(base: clock, goOn: goOn)
        let store = try await ShippingStore.open(MemoryLog())
        store.sendReminders(for: \.ends, clock: clock) { id, _ in .ended(id) }
        try await until { clock.reads.withLock { $0 } == 1 }
        // On a thread of its own, because it would wait for the one that reads the clock.
        let sent = LockedValue(false)
        Thread.detachNewThread {
            store.send(.offered(1, until: WallClock.Instant(.distantPast)))
            sent.withLock { $0 = true }
        }
        try await until { sent.withLock { $0 } }
        goOn.signal()
        try await store.store.condition { $0.ended == [1] }
        await store.shutdown(drain: .finishEffects)
    }

    @Test("A time that does not equal itself never comes, and does not occupy the sender")
    func noTime() async throws {
        let store = try await ShippingStore.open(MemoryLog())
        let clock = CountingClock(base: clock)
        store.sendReminders(for: \.ends, clock: clock) { id, _ in .ended(id) }
        store.send(.offered(1, until: time(.nan)))
        try await store.dispatch(.offered(2, until: time(0)))
        try await store.store.condition { $0.ended == [2] }
        try await store.dispatch(.offered(3, until: time(10)))
        try await until { base.sleeping == 1 }
        await base.advance(by: .seconds(10))
        try await store.store.condition { $0.ended == [2, 3] }
        await letOtherTasksRun(yields: 1_000)
        // Each change, and each wait that ends, leads to a few reads.
        #expect(clock.reads.withLock { $0 } < 50)
        await store.shutdown(drain: .finishEffects)
    }

    @Test("No wait begins after all effects were cancelled")
    func cancellation() async throws {
        for round in 1...50 {
            let store = try await ShippingStore.open(MemoryLog())
            store.sendReminders(for: \.ends, clock: clock) { id, _ in .ended(id) }
            let sender = Task.detached {
                for id in 1...20 { _ = store.send(.offered(id, until: time(Double(id) * 1_000))) }
            }
            await letOtherTasksRun(yields: round)
            await store.store.cancelAllEffects()
            await sender.value
            try await until { store.store.statistics.runningEffects == 0 }
            #expect(base.sleeping == 0)
            await store.shutdown(drain: .finishEffects)
        }
    }

    @Test("A reminder is not sent before its action is in the log")
    func remindersAfterCommit() async throws {
        let log = FaultyLog(MemoryLog())
        let store = try await open(log)
        let goOn = DispatchSemaphore(value: 0)
        log.fail(.append, with: .wait(goOn))
        let offer = Task { try await store.dispatch(.offered(1, until: time(0))) }
        try await until { store.revision == 1 }
        await letOtherTasksRun()
        #expect(store.revision == 1)
        goOn.signal()
        _ = try await offer.value
        try await store.store.condition { $0.ended == [1] }
        await store.shutdown(drain: .finishEffects, within: .seconds(60))
    }

    @Test("An entry that is removed and added again with the same time gets another reminder", arguments: [1, 100])
    func repeatedTimes(entries: Int) async throws {
        let store = try await Store.durable(
            in: MemoryLog(),
            initialState: Shipping.State(),
            reducer: Reduce<Shipping.State, Shipping.Action> { state, action in
                let effect = Shipping().reduce(into: &state, action: action)
                guard case .ended(let id) = action, state.ended.count(where: { $0 == id }) < 3 else { return effect }
                // Again, at the time that has passed.
                return .send(.offered(id, until: WallClock.Instant(Date(timeIntervalSince1970: 0))))
            }
        )
        store.sendReminders(for: \.ends, clock: clock) { id, _ in .ended(id) }
        for id in 1...entries { try await store.dispatch(.offered(id, until: time(0))) }
        try await store.store.condition { $0.ended.count == 3 * entries && $0.ends.isEmpty }
        await store.shutdown(drain: .finishEffects)
    }

    @Test("A refused reminder is sent again after a second")
    func refusals() async throws {
        let refusals = LockedValue(2)
        let refusing = Interceptor<Shipping.State, Shipping.Action>("quota") { action, _, next in
            guard case .ended = action, refusals.withLock({ $0 > 0 }) else { return try next(action) }
            refusals.withLock { $0 -= 1 }
        }
        let store = try await Store.durable(
            in: MemoryLog(),
            initialState: Shipping.State(),
            reducer: Shipping(),
            interceptors: [refusing]
        )
        store.sendReminders(for: \.ends, clock: clock) { id, _ in .ended(id) }
        try await store.dispatch(.offered(1, until: time(0)))
        // A change of the times makes it check again, before the second is over.
        try await until {
            if base.sleeping == 1 { await base.advance(by: .seconds(1)) }
            return refusals.withLock { $0 } == 0 && store.snapshot.ended == [1]
        }
        await store.shutdown(drain: .finishEffects)
    }

    @Test(
        "A reminder that is refused by a log that has room by now is sent again after a second, others after growing waits",
        arguments: [("log", 5), ("quota", 31)]
    )
    func fullForAMoment(name: String, waits: Int) async throws {
        let refusals = MomentaryRefusals()
        let store = try await refusals.open(as: name, atMost: 5) { $0 == .ended(1) }
        defer { refusals.close() }
        // Before the start: a change of the times afterwards could make it look twice before the first wait.
        try await store.dispatch(.offered(1, until: time(0)))
        store.sendReminders(for: \.ends, clock: clock) { id, _ in .ended(id) }
        var seconds = 0
        while store.snapshot.ended.isEmpty, seconds < 60 {
            try await until { base.sleeping == 1 || !store.snapshot.ended.isEmpty }
            guard store.snapshot.ended.isEmpty else { break }
            await base.advance(by: .seconds(1))
            seconds += 1
        }
        #expect(seconds == waits)
        await store.shutdown(drain: .finishEffects)
    }

    @Test("While the log is full, reminders wait for a second each time")
    func fullLog() async throws {
        let log = FaultyLog(MemoryLog())
        let store = try await ShippingStore.open(log, DurabilityConfiguration(pendingLimit: 3))
        for id in 1...20 { try await store.dispatch(.offered(id, until: time(Double(id)))) }
        await base.advance(by: .seconds(30))
        var goOn = DispatchSemaphore(value: 0)
        log.fail(.append, with: .wait(goOn))
        store.sendReminders(for: \.ends, clock: clock) { id, _ in .ended(id) }
        var seconds = 0
        while store.snapshot.ends.count > 3, seconds < 60 {
            try await until { base.sleeping == 1 }
            #expect(store.statistics.pendingActions == 3)
            goOn.signal()
            try await until { store.statistics.pendingActions == 0 }
            goOn = DispatchSemaphore(value: 0)
            log.fail(.append, with: .wait(goOn))
            await base.advance(by: .seconds(1))
            seconds += 1
        }
        goOn.signal()
        try await store.store.condition { $0.ends.isEmpty }
        #expect(store.snapshot.ended == Array(1...20))
        #expect(seconds < 10)
        await store.shutdown(drain: .finishEffects)
    }

    @Test("A reminder that is always refused holds back no other one")
    func permanentRefusal() async throws {
        let refusing = Interceptor<Shipping.State, Shipping.Action>("validation") { action, _, next in
            if action != .ended(1) { try next(action) }
        }
        let store = try await Store.durable(
            in: MemoryLog(),
            initialState: Shipping.State(),
            reducer: Shipping(),
            interceptors: [refusing]
        )
        for id in 1...3 { try await store.dispatch(.offered(id, until: time(Double(id)))) }
        await base.advance(by: .seconds(10))
        store.sendReminders(for: \.ends, clock: clock) { id, _ in .ended(id) }
        try await store.store.condition { $0.ended == [2, 3] }
        try await until { base.sleeping == 1 }
        try await store.dispatch(.offered(4, until: time(10)))
        try await store.store.condition { $0.ended == [2, 3, 4] }
        #expect(store.snapshot.ends.keys.sorted() == [1])
        await store.shutdown(drain: .finishEffects)
    }
}
