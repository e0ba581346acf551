import ActionLogConformance
import ActorStore
import Dispatch
import Foundation
import Testing

@testable import ActorStorePersistence

@Suite("Effects on the replica with the lease", .timeLimit(.minutes(10)))
struct EffectsLeaseTests {
    let memory = MemoryLog()

    func join(
        _ name: String,
        lasting duration: Duration = .seconds(600),
        _ done: Events<String> = Events(),
        through log: (any ActionLog)? = nil,
        work: @escaping @Sendable () async -> Void = {}
    ) async throws -> ShopStore {
        let log: any ActionLog = log ?? memory
        return try await ShopStore.open(
            log,
            ReplicationConfiguration(name: name, effects: .leaseHolder(lasting: duration)),
            Shop { number in
                done.add("\(name)\(number)")
                await work()
                if Task.isCancelled { done.add("\(name)\(number) cancelled") }
            },
            leaseAcquired: .order(0)
        )
    }

    @Test("The first replica gets the lease, is notified by an action, and runs the effects of all")
    func first() async throws {
        let done = Events<String>()
        let first = try await join("a", done)
        await first.reaches { $0.orders == [0] }
        let second = try await join("b", done)
        try await second.dispatch(.deliver(1))
        try await first.dispatch(.deliver(2))
        for store in [first, second] { await store.reaches { $0.deliveries.sorted() == [1, 2] } }
        #expect(done.all.sorted() == ["a1", "a2"])
        let lease = try #require(first.lease)
        #expect(lease.holder == first.origin)
        #expect(second.lease == nil)
        for store in [first, second] {
            #expect(store.effectsHolder.snapshot == lease)
            #expect(store.snapshot.orders == [0])
            await store.end()
        }
    }

    @Test("A replica runs effects on a moved log whose entries have a token of a clock that was ahead")
    func tokenAhead() async throws {
        var header = EntryHeader(.opening)
        header.lease = 1 << 62
        let entry = ActionLogEntry(.init(origin: "file", number: 1), header: try header.text, payload: Data())
        try memory.connect().append([entry], if: AppendCondition(.contains(.start)))
        let done = Events<String>()
        let store = try await join("a", done)
        try await store.dispatch(.deliver(1))
        await store.reaches { $0.orders == [0] && $0.deliveries == [1] }
        #expect(done.all == ["a1"])
        #expect(try #require(store.lease).token > 1 << 62)
        await store.end()
    }

    @Test("A holder that connects again renews the lease at once")
    func renewalByANewConnection() async throws {
        let log = FaultyLog(memory)
        let store = try await join("a", through: log)
        await store.reaches { $0.orders == [0] }
        let claims = log.count(of: .claim)
        log.breakConnections()
        try await store.dispatch(.order(1))
        #expect(log.count(of: .claim) == claims + 1)
        await store.end()
    }

    @Test("A holder that is shut down releases the lease although its connection is broken")
    func releaseByAnotherConnection() async throws {
        let log = FaultyLog(memory)
        let store = try await join("a", through: log)
        await store.reaches { $0.orders == [0] }
        try await store.checkpoint()
        log.breakConnections()
        await store.end()
        let claim = LeaseClaim(name: EffectsLease.name, holder: "x", for: .zero)
        #expect(try memory.connect().claim(claim).holder == "x")
    }

    @Test("The lease of a holder that vanishes expires, and the next replica takes over")
    func expiry() async throws {
        let log = FaultyLog(memory)
        let first = try await join("a", lasting: .milliseconds(400), through: log)
        await first.reaches { $0.orders == [0] }
        let token = try #require(first.effectsHolder.snapshot?.token)
        log.disconnect()
        let second = try await join("b", lasting: .milliseconds(400))
        await second.reaches { $0.orders.count >= 2 }
        let holder = try #require(second.effectsHolder.snapshot)
        #expect(holder.token > token)
        #expect(holder.holder == second.origin)
        await second.end()
    }

    @Test("Actions of effects of a former holder are reduced nowhere, and are counted")
    func fencing() async throws {
        let done = Events<String>()
        let gate = AsyncStream.makeStream(of: Void.self)
        let log = FaultyLog(memory)
        let first = try await join("a", done, through: log) { for await _ in gate.stream { return } }
        await first.reaches { $0.orders == [0] }
        try await first.dispatch(.deliver(1))
        await done.wait(for: "a1")
        // Its reads and writes are blocked while another one gets the lease.
        let goOn = DispatchSemaphore(value: 0)
        for call in [FaultyLog.Call.wait, .read, .append, .claim] { log.failAlways(call, with: .wait(goOn)) }
        let lease = try #require(first.lease)
        try memory.connect().release(lease)
        let second = try await join("b", done)
        await second.reaches { $0.orders.count == 2 }
        gate.continuation.yield()
        try await until { first.statistics.pendingActions == 1 }
        for call in [FaultyLog.Call.wait, .read, .append, .claim] { log.failAlways(call, with: nil) }
        goOn.signal()
        try await first.commit()
        try await second.readBarrier()
        for store in [first, second] {
            #expect(store.statistics.fencedActions == 1)
            #expect(store.snapshot.deliveries.isEmpty)
            #expect(store.effectsHolder.snapshot?.holder == second.origin)
            await store.end()
        }
        // One that opens later skips it as well.
        let third = try await ShopStore.open(memory)
        #expect(third.snapshot == second.snapshot)
        await third.end()
    }

    @Test("A holder that cannot renew its lease cancels its effects, and begins anew with another lease")
    func losing() async throws {
        let done = Events<String>()
        let log = FaultyLog(memory)
        let first = try await join("a", lasting: .milliseconds(400), done, through: log) {
            try? await Task.sleep(for: .seconds(1_000))
        }
        await first.reaches { $0.orders == [0] }
        let token = try #require(first.effectsHolder.snapshot?.token)
        // On a busy machine a lease may expire before its renewal; then no replica runs an effect.
        var number = 0
        while done.all.isEmpty {
            number += 1
            try await first.dispatch(.deliver(number))
            try await Task.sleep(for: .milliseconds(1))
        }
        log.disconnect()
        await done.wait { $0.contains { $0.hasSuffix("cancelled") } }
        try await until { first.lease == nil }
        log.reconnect()
        await first.reaches { $0.orders.count >= 2 }
        try await until { first.lease.map { $0.token > token } ?? false }
        await first.end()
    }

    @Test("A holder that can write and not read does not keep the lease from others")
    func unreadableLog() async throws {
        let log = FaultyLog(memory)
        let first = try await join("a", lasting: .milliseconds(400), through: log)
        await first.reaches { $0.orders == [0] }
        log.failAlways(.read, with: .error(.disconnected))
        let second = try await join("b", lasting: .milliseconds(400))
        await second.reaches { $0.orders == [0, 0] }
        #expect(first.lease == nil)
        log.failNoMore()
        try await first.readBarrier()
        #expect(first.snapshot == second.snapshot)
        await second.end()
        await first.end()
    }

    @Test("Effects end in time also if the log's thread is blocked and the store is suspended")
    func hangingLog() async throws {
        let done = Events<String>()
        let log = FaultyLog(memory)
        let first = try await join("a", lasting: .milliseconds(400), done, through: log) {
            try? await Task.sleep(for: .seconds(1_000))
        }
        await first.reaches { $0.orders == [0] }
        var number = 0
        while done.all.isEmpty {
            number += 1
            try await first.dispatch(.deliver(number))
            try await Task.sleep(for: .milliseconds(1))
        }
        let goOn = DispatchSemaphore(value: 0)
        log.failAlways(.claim, with: .wait(goOn))
        await done.wait { $0.contains { $0.hasSuffix("cancelled") } }
        #expect(first.lease == nil)
        log.failAlways(.claim, with: nil)
        goOn.signal()
        await first.end()
    }

    @Test("A token is never reused, also by a log that has forgotten its holder: R5")
    func tokens() async throws {
        let first = try await join("a")
        await first.reaches { $0.orders == [0] }
        let token = try #require(first.lease?.token)
        // The entry that would have informed others of the lease is gone.
        memory.loseEnd(after: 1)
        #expect(await first.failure()?.code == .lostEntries)
        #expect(first.lease == nil)
        let second = try await join("c")
        await second.reaches { $0.orders == [0] }
        #expect(try #require(second.lease?.token) > token)
        await first.end()
        await second.end()
    }

    @Test("A replica that ends without a shutdown returns its lease")
    func failing() async throws {
        let log = FaultyLog(memory)
        let first = try await join("a", through: log)
        await first.reaches { $0.orders == [0] }
        log.fail(.append, with: .error(.refused))
        _ = try? await first.dispatch(.order(1))
        #expect(await first.failure()?.code == .refused)
        let second = try await join("b")
        await second.reaches { $0.orders == [0, 0] }
        await first.end()
        await second.end()
    }
}

@Suite("The lease of a replica")
struct EffectsLeaseMachineTests {
    let start = ContinuousClock.now
    var lease = EffectsLease(of: "a", lasting: .seconds(10))

    private func granted(_ token: UInt64, to holder: String = "a") -> ActionLogLease {
        ActionLogLease(name: "effects", token: token, holder: holder)
    }

    private mutating func note(_ answer: ActionLogLease, asked: Int, now: Int) -> EffectsLease.Change {
        lease.note(answer, askedAt: start + .seconds(asked), now: start + .seconds(now))
    }

    private mutating func expire(at now: Int) -> Bool { lease.expire(at: start + .seconds(now)) }

    private func token(at now: Int) -> UInt64? { lease.held(at: start + .seconds(now))?.token }

    @Test("A lease lasts for its duration from the request, and is renewed")
    mutating func lasting() {
        #expect(token(at: 0) == nil)
        #expect(lease.claim(after: 0)?.isNew == true && lease.claim(after: 0)?.renewedToken == nil)
        #expect(note(granted(1), asked: 0, now: 1) == .acquired(granted(1)))
        #expect(token(at: 9) == 1)
        #expect(token(at: 10) == nil)
        #expect(lease.claim(after: 0)?.renewedToken == 1)
        #expect(note(granted(1), asked: 5, now: 6) == .none)
        #expect(token(at: 14) == 1)
        let early = expire(at: 14)
        let late = expire(at: 15)
        let again = expire(at: 16)
        #expect(!early && late && !again)
    }

    @Test("No lease is claimed or acquired until the effects of the one that has ended are cancelled")
    mutating func ending() {
        #expect(note(granted(1), asked: 0, now: 0) == .acquired(granted(1)))
        let hasEnded = expire(at: 10)
        #expect(hasEnded)
        #expect(lease.claim(after: 0) == nil)
        #expect(note(granted(2), asked: 9, now: 10) == .none)
        lease.noteCancelledEffects()
        #expect(lease.claim(after: 0)?.isNew == true)
        #expect(note(granted(2), asked: 11, now: 11) == .acquired(granted(2)))
    }

    @Test("A renewal whose response arrives after the end does not restore the lease")
    mutating func renewalAfterTheEnd() {
        #expect(note(granted(1), asked: 0, now: 0) == .acquired(granted(1)))
        _ = expire(at: 10)
        lease.noteCancelledEffects()
        #expect(note(granted(1), asked: 9, now: 11) == .none)
        #expect(lease.claim(after: 0)?.isNew == true)
        #expect(note(granted(2), asked: 12, now: 12) == .acquired(granted(2)))
    }

    @Test("A response after the end renews nothing, and one that is too late grants nothing")
    mutating func lateAnswers() {
        #expect(note(granted(1), asked: 0, now: 11) == .none)
        #expect(token(at: 5) == nil)
        #expect(note(granted(2), asked: 11, now: 12) == .acquired(granted(2)))
        #expect(note(granted(2), asked: 20, now: 21) == .lost)
        #expect(token(at: 20) == nil)
        #expect(lease.claim(after: 0)?.isNew == true)
    }

    @Test("The lease of another holder is no lease, and was lost if it was held")
    mutating func others() {
        #expect(note(granted(1, to: "b"), asked: 0, now: 0) == .none)
        #expect(note(granted(2), asked: 1, now: 1) == .acquired(granted(2)))
        #expect(note(granted(3, to: "b"), asked: 2, now: 2) == .lost)
        #expect(note(granted(3, to: "b"), asked: 3, now: 3) == .none)
        #expect(lease.deadline == nil)
    }

    @Test("A renewal that returns another lease of the same holder loses the previous one")
    mutating func anotherOfTheSame() {
        #expect(note(granted(1), asked: 0, now: 0) == .acquired(granted(1)))
        #expect(note(granted(2), asked: 1, now: 1) == .lost)
        #expect(note(granted(3), asked: 2, now: 2) == .acquired(granted(3)))
        #expect(lease.deadline(of: granted(2)) == nil)
        #expect(lease.deadline(of: granted(3)) == lease.deadline)
        #expect(lease.lose() == granted(3))
        #expect(lease.lose() == nil)
    }
}
