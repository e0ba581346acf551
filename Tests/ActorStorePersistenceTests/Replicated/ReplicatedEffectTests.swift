import ActionLogConformance
import ActorStore
import ActorStoreFoundation
import ActorStoreTesting
import Dispatch
import Foundation
import Testing

@testable import ActorStorePersistence

@Suite("Durable effects of replicas", .timeLimit(.minutes(10)))
struct ReplicatedEffectTests {
    private typealias Replica = ReplicatedStore<Shipping.State, Shipping.Action>

    private let memory = MemoryLog()
    private let clock = TestClock()
    private let done = LockedValue<[String]>([])

    private func note(_ text: String) { done.withLock { $0.append(text) } }

    private var notes: [String] { done.withLock { $0 } }

    private func join(
        _ log: (any ActionLog)? = nil,
        lasting duration: Duration = .seconds(600)
    ) async throws -> Replica {
        func open(_ log: some ActionLog) async throws -> Replica {
            try await Store.replicated(
                through: log,
                initialState: Shipping.State(),
                reducer: Shipping(),
                replication: ReplicationConfiguration(effects: .leaseHolder(lasting: duration))
            )
        }
        let log: any ActionLog = log ?? memory
        return try await open(log)
    }

    private func ship(_ replica: Replica, as name: String, _ work: @escaping @Sendable () async throws -> Void = {}) {
        replica.runEffects(for: \.unshipped, clock: clock) { id, _ in
            note("\(name)\(id)")
            try await work()
            return .shipped(id)
        }
    }

    @Test("The holder of the lease runs the operations of all replicas, once")
    func holder() async throws {
        let first = try await join()
        ship(first, as: "a")
        try await until { first.lease != nil }
        let second = try await join()
        ship(second, as: "b")
        try await second.dispatch(.ordered(1, "x"))
        try await first.dispatch(.ordered(2, "x"))
        for replica in [first, second] { try await replica.store.condition { $0.shipped.sorted() == [1, 2] } }
        #expect(notes.sorted() == ["a1", "a2"])
        for replica in [first, second] { await replica.shutdown(drain: .finishEffects, within: .seconds(60)) }
    }

    @Test("The next holder runs the remaining operations, and results of the former holder are reduced nowhere")
    func takeover() async throws {
        let log = FaultyLog(memory)
        let first = try await join(log, lasting: .milliseconds(300))
        ship(first, as: "a") { try await clock.sleep(for: .seconds(3_600)) }
        try await until { first.lease != nil }
        try await first.dispatch(.ordered(1, "x"))
        try await until { clock.sleeping == 1 }
        log.disconnect()
        let second = try await join(lasting: .milliseconds(300))
        ship(second, as: "b")
        try await second.store.condition { $0.shipped == [1] }
        try await until { clock.sleeping == 0 }
        #expect(notes == ["a1", "b1"])
        await second.shutdown(drain: .finishEffects, within: .seconds(60))
        await first.shutdown(drain: .cancelEffects, within: .seconds(1))
    }

    @Test("A shutdown finishes running attempts, and leaves others to the next holder")
    func shutdown() async throws {
        let (first, goOn) = (try await join(), AsyncStream.makeStream(of: Void.self))
        first.runEffects(for: \.unshipped, atMost: 1, clock: clock) { id, _ in
            note("a\(id)")
            for await _ in goOn.stream { break }
            return .shipped(id)
        }
        try await until { first.lease != nil }
        for id in 1...5 { try await first.dispatch(.ordered(id, "x")) }
        try await until { notes.count == 1 }
        let end = Task { await first.shutdown(drain: .finishEffects) }
        try await until { first.replica.isClosing }
        goOn.continuation.finish()
        #expect(await end.value.isComplete)
        #expect(notes.count == 1)
        #expect(first.snapshot.shipped.count == 1)
        let second = try await join()
        ship(second, as: "b")
        try await second.store.condition { $0.shipped.sorted() == [1, 2, 3, 4, 5] }
        #expect(notes.count == 5)
        await second.shutdown(drain: .finishEffects, within: .seconds(60))
    }

    @Test("A replica released with operations and reminders leaves nothing behind that retains it")
    func release() async throws {
        var replica: Replica? = try await join()
        ship(try #require(replica), as: "a")
        let wall = WallClock(startingAt: Date(timeIntervalSince1970: 0), by: clock)
        replica?.sendReminders(for: \.ends, clock: wall) { id, _ in .ended(id) }
        try await until { replica?.lease != nil }
        try await replica?.dispatch(.ordered(1, "x"))
        let weak = try #require(replica).store.weak
        replica = nil
        let end = ContinuousClock.now + .seconds(10)
        while weak.isAlive, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(1)) }
        #expect(!weak.isAlive)
    }

    @Test("A reminder is sent by the holder of the lease, once")
    func reminders() async throws {
        let wall = WallClock(startingAt: Date(timeIntervalSince1970: 0), by: clock)
        let first = try await join()
        first.sendReminders(for: \.ends, clock: wall) { id, _ in .ended(id) }
        try await until { first.lease != nil }
        let second = try await join()
        second.sendReminders(for: \.ends, clock: wall) { id, _ in .ended(id) }
        try await second.dispatch(.offered(1, until: WallClock.Instant(Date(timeIntervalSince1970: 10))))
        try await until { clock.sleeping == 1 }
        await clock.advance(by: .seconds(10))
        for replica in [first, second] { try await replica.store.condition { $0.ended == [1] } }
        #expect(first.revision == 2)
        for replica in [first, second] { await replica.shutdown(drain: .finishEffects, within: .seconds(60)) }
    }

    @Test("An entry that another replica changes before the reminder is in the log gets a reminder at its new time")
    func lateExtension() async throws {
        let wall = WallClock(startingAt: Date(timeIntervalSince1970: 0), by: clock)
        let ends = [10.0, 20].map { WallClock.Instant(Date(timeIntervalSince1970: $0)) }
        let (log, goOn) = (FaultyLog(memory), DispatchSemaphore(value: 0))
        let first = try await join(log)
        first.sendReminders(for: \.ends, clock: wall) { id, end in .expired(id, end) }
        try await until { first.lease != nil }
        let second = try await join()
        try await second.dispatch(.offered(1, until: ends[0]))
        try await until { clock.sleeping == 1 }
        log.fail(.append, with: .wait(goOn))
        let appends = log.count(of: .append)
        await clock.advance(by: .seconds(10))
        try await until { log.count(of: .append) > appends }
        try await second.dispatch(.offered(1, until: ends[1]))
        goOn.signal()
        try await first.store.condition { $0.ends[1] == ends[1] }
        try await until { first.revision == 3 && clock.sleeping == 1 }
        #expect(first.snapshot.ends[1] == ends[1] && first.snapshot.ended == [])
        await clock.advance(by: .seconds(10))
        for replica in [first, second] { try await replica.store.condition { $0.ended == [1] } }
        for replica in [first, second] { await replica.shutdown(drain: .finishEffects, within: .seconds(60)) }
    }

    @Test("A shutdown that finishes effects cancels cancelOnShutdown effects, and does not wait for them")
    func cancelledOnShutdown() async throws {
        let clock = clock
        let replica = try await Store.replicated(
            through: memory,
            initialState: Shipping.State(),
            reducer: Reduce<Shipping.State, Shipping.Action> { _, _ in
                Effect.run { _ in try await clock.sleep(for: .seconds(3_600)) }.cancelOnShutdown()
            }
        )
        try await replica.dispatch(.looked)
        try await until { clock.sleeping == 1 }
        #expect(await replica.shutdown(drain: .finishEffects).isComplete)
        #expect(clock.sleeping == 0)
    }
}
