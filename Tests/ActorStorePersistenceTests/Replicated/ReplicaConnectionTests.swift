import ActionLogConformance
import ActorStore
import Dispatch
import Foundation
import TestFixtures
import Testing

@testable import ActorStorePersistence

@Suite("Replicas with connection failures", .timeLimit(.minutes(10)))
struct ReplicaConnectionTests {
    let memory = MemoryLog()
    let log: FaultyLog

    init() { log = FaultyLog(memory) }

    /// Retries at once.
    private var prompt: ReplicationConfiguration {
        ReplicationConfiguration(reconnection: RetryPolicy(maxAttempts: .max, backoff: .constant(.milliseconds(1))))
    }

    @Test("Each action is reduced once, in order, while connections are cut again and again")
    func cuts() async throws {
        let logs = [FaultyLog(memory), FaultyLog(memory)]
        let stores = try await [ShopStore.open(logs[0]), .open(logs[1])]
        // Each time after some have got through, so that it ends on a slow machine as well.
        let counts = stores[0].store.values(of: \.orders.count)
        let cutting = Task {
            var next = 20
            for await count in counts where count >= next {
                for log in logs { log.breakConnections() }
                next = count + 20
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, store) in stores.enumerated() {
                group.addTask { try await store.order(index * 1_000..<index * 1_000 + 150) }
                group.addTask {
                    for number in 500..<900 { store.send(.order(index * 1_000 + number)) }
                    try await store.commit()
                }
            }
            try await group.waitForAll()
        }
        for store in stores { await store.reaches { $0.orders.count == 1_100 } }
        cutting.cancel()
        let orders = stores[0].snapshot.orders
        #expect(stores[1].snapshot.orders == orders)
        for index in 0..<2 {
            let mine = orders.filter { $0 / 1_000 == index }.map { $0 % 1_000 }
            #expect(mine.filter { $0 < 500 } == Array(0..<150))
            #expect(mine.filter { $0 >= 500 } == Array(500..<900))
        }
        #expect(stores[0].statistics.disconnections > 0)
        for store in stores { await store.end() }
    }

    @Test("Connections that break at once are reopened after growing waits")
    func brokenWaits() async throws {
        let backoff = RetryPolicy(maxAttempts: .max, backoff: .exponential(base: .milliseconds(1), cap: .seconds(600)))
        let store = try await ShopStore.open(log, ReplicationConfiguration(reconnection: backoff))
        log.failAlways(.wait, with: .error(.disconnected))
        let before = log.count(of: .wait)
        log.breakConnections()
        try await until { log.count(of: .wait) > before }
        // The waits before the twelfth attempt add up to two seconds on any machine.
        let end = ContinuousClock.now + .milliseconds(500)
        while log.count(of: .wait) < before + 12, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(log.count(of: .wait) < before + 12)
        log.failNoMore()
        await store.end()
    }

    @Test("Dispatches while the log is away do not make the replica query it more often")
    func brokenWaitsUnderLoad() async throws {
        let backoff = RetryPolicy(maxAttempts: .max, backoff: .constant(.seconds(3_600)))
        let store = try await ShopStore.open(log, ReplicationConfiguration(reconnection: backoff))
        log.disconnect()
        store.send(.order(0))
        try await until { !store.statistics.isConnected && store.statistics.lastProblem != nil }
        let dispatches = (1...50).map { number in Task { try await store.dispatch(.order(number)) } }
        try await until { store.statistics.pendingActions == 51 }
        // The failed one requests a new connection, and the reading one.
        #expect(log.count(of: .connect) <= 4)
        for dispatch in dispatches { dispatch.cancel() }
        for dispatch in dispatches { _ = await dispatch.result }
        #expect(log.count(of: .connect) <= 4)
        await store.shutdown(drain: .cancelEffects, within: .milliseconds(50))
    }

    @Test("Actions dispatched without a log wait for it, and are reduced once")
    func buffering() async throws {
        let store = try await ShopStore.open(log)
        try await store.dispatch(.order(0))
        log.disconnect()
        for number in 1...5 { store.send(.order(number)) }
        let dispatch = Task { try await store.dispatch(.order(6)) }
        for await phase in store.phase.values(of: \.self) where phase != .connected {
            guard case .disconnected(let error) = phase else { break }
            #expect(error.code == .disconnected)
            break
        }
        #expect(store.snapshot.orders == [0])
        log.reconnect()
        _ = try await dispatch.value
        #expect(store.snapshot.orders == Array(0...6))
        #expect(store.statistics.failure == nil)
        for await phase in store.phase.values(of: \.self) where phase == .connected { break }
        await store.end()
    }

    @Test("Actions beyond the limit of waiting ones are refused, and accepted again when the log is back")
    func overload() async throws {
        let store = try await ShopStore.open(log, ReplicationConfiguration(pendingLimit: 3))
        log.disconnect()
        for number in 1...3 { #expect(store.send(.order(number)).isAccepted) }
        // One that another thread has not reduced yet takes no room.
        try await until { store.statistics.pendingActions == 3 }
        for number in 4...5 { #expect(store.send(.order(number)) == .refused(.rejected(by: "log"))) }
        await expect(.overloaded) { try await store.dispatch(.order(6)) }
        await #expect(throws: StoreError.rejected(by: "log")) { try await store.store.dispatch(.order(6)) }
        #expect(store.statistics.pendingActions == 3)
        log.reconnect()
        try await store.commit()
        try await store.dispatch(.order(7))
        #expect(store.snapshot.orders == [1, 2, 3, 7])
        await store.end()
    }

    @Test("A replica configured to refuse actions without a log does so until it is back")
    func refusing() async throws {
        let store = try await ShopStore.open(log, ReplicationConfiguration(whileDisconnected: .refuse))
        log.disconnect()
        try await until { !store.statistics.isConnected }
        await expect(.disconnected) { try await store.dispatch(.order(1)) }
        #expect(store.send(.order(1)) == .refused(.rejected(by: "log")))
        log.reconnect()
        try await until { store.statistics.isConnected }
        try await store.dispatch(.order(2))
        #expect(store.snapshot.orders == [2])
        await store.end()
    }

    @Test("A full log makes actions wait, and accepts them when there is room")
    func full() async throws {
        let store = try await ShopStore.open(log)
        log.failAlways(.append, with: .error(.full))
        let dispatches = Task { try await store.order(1...20) }
        try await until { store.statistics.lastProblem?.code == .full }
        #expect(store.snapshot.orders.isEmpty)
        log.failAlways(.append, with: nil)
        try await dispatches.value
        #expect(store.snapshot.orders == Array(1...20))
        await store.end()
    }

    @Test(
        "A group whose response is lost is sent again, and each action is reduced once",
        arguments: [ActionLogError.Code.disconnected, .busy, .full]
    )
    func lostAnswers(code: ActionLogError.Code) async throws {
        let store = try await ShopStore.open(log)
        for number in 1...10 {
            log.fail(.append, with: .lostAnswer(code), .lostAnswer(code), .error(code))
            // So that there are more when the first ones are sent again.
            let others = (0..<3).map { store.send(.order(number * 10 + $0)).isAccepted }
            #expect(others == [true, true, true])
            try await store.dispatch(.order(number * 10 + 3))
        }
        let expected = (10..<110).filter { $0 % 10 < 4 }
        #expect(store.snapshot.orders == expected)
        #expect(store.statistics.repeats == 0)
        await store.end()
    }

    @Test("Entries appended by an earlier attempt are acknowledged after the log has confirmed them, and not before")
    func confirmation() async throws {
        let (slow, confirmed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let around = FaultyLog(log)
        let store = try await ShopStore.open(around)
        let appends = around.count(of: .append)
        // The response to the first action is lost, and the second one comes before that.
        log.fail(.append, with: .wait(slow))
        around.fail(.append, with: .lostAnswer(.busy), .error(.unexpectedNumber), .wait(confirmed))
        store.send(.order(1))
        try await until { around.count(of: .append) == appends + 1 }
        store.send(.order(2))
        try await until { store.statistics.pendingActions == 2 }
        slow.signal()
        // The attempt with both of them is over, and the log is asked for the first one alone.
        try await until { around.count(of: .append) == appends + 3 }
        await store.reaches { $0.orders == [1] }
        await letOtherTasksRun()
        #expect(store.statistics.pendingActions == 2)
        confirmed.signal()
        try await store.commit()
        #expect(store.snapshot.orders == [1, 2])
        await store.end()
    }

    @Test("An action is acknowledged when the log has acknowledged it, and not when it is seen there")
    func acknowledgement() async throws {
        let store = try await ShopStore.open(log)
        // Like a log that can be read before it is as durable as its engine promises.
        log.failAlways(.append, with: .error(.disconnected))
        log.fail(.append, with: .lostAnswer(.disconnected))
        let isDone = LockedValue(false)
        let dispatch = Task {
            try await store.dispatch(.order(1))
            isDone.withLock { $0 = true }
        }
        await store.reaches { $0.orders == [1] }
        try await until { log.count(of: .append) > 5 }
        #expect(!isDone.withLock { $0 })
        #expect(store.statistics.pendingActions == 1)
        log.failAlways(.append, with: nil)
        try await dispatch.value
        #expect(store.snapshot.orders == [1])
        await store.end()
    }

    @Test("A repeated action is acknowledged with the first one, and not when that is seen in the log")
    func acknowledgementOfRepeats() async throws {
        let store = try await ShopStore.open(log, prompt)
        log.failAlways(.append, with: .error(.disconnected))
        log.fail(.append, with: .lostAnswer(.disconnected))
        let first = Task { try await store.dispatch(.order(1), id: "one") }
        await store.reaches { $0.orders == [1] }
        let repeats = LockedValue(0)
        let again = (0..<3).map { _ in
            Task {
                try await store.dispatch(.order(1), id: "one")
                repeats.withLock { $0 += 1 }
            }
        }
        // It gives all of them one entry to wait for.
        try await until { store.statistics.pendingActions == 1 && store.replica.accepted == 3 }
        let count = log.count(of: .append)
        try await until { log.count(of: .append) > count + 5 }
        #expect(repeats.withLock { $0 } == 0)
        log.failNoMore()
        for task in again { try await task.value }
        _ = try await first.value
        // Once all of it has been acknowledged, a repeat needs no entry.
        let position = try memory.connect().status().end.position
        try await store.dispatch(.order(1), id: "one")
        try await store.readBarrier()
        #expect(try memory.connect().status().end.position == position)
        #expect(store.snapshot.orders == [1])
        await store.end()
    }

    @Test("An action sent again to another replica is acknowledged after the log has acknowledged its entries")
    func acknowledgementElsewhere() async throws {
        let other = FaultyLog(memory)
        let stores = try await [ShopStore.open(log, prompt), .open(other, prompt)]
        try await stores[0].dispatch(.order(1), id: "one")
        try await stores[1].readBarrier()
        other.failAlways(.append, with: .error(.busy))
        let isDone = LockedValue(false)
        let again = Task {
            try await stores[1].dispatch(.order(1), id: "one")
            isDone.withLock { $0 = true }
        }
        try await until { other.count(of: .append) > 5 }
        #expect(!isDone.withLock { $0 })
        other.failNoMore()
        try await again.value
        for store in stores {
            #expect(store.snapshot.orders == [1])
            await store.end()
        }
    }

    @Test("A connection closed while idle is replaced at once, without an error")
    func idleConnections() async throws {
        let patient = ReplicationConfiguration(
            whileDisconnected: .refuse,
            reconnection: RetryPolicy(maxAttempts: .max, backoff: .constant(.seconds(3_600))),
            snapshotAtShutdown: false
        )
        let store = try await ShopStore.open(log, patient)
        try await store.dispatch(.order(0))
        for number in 1...3 {
            // The writer's connection: the reading one is never idle.
            let count = log.count(of: .append)
            log.fail(.append, with: .error(.disconnected))
            try await store.dispatch(.order(number))
            #expect(log.count(of: .append) == count + 2)
            log.fail(.write, with: .error(.disconnected))
            #expect(try await store.checkpoint() == UInt64(number + 1))
        }
        #expect(store.statistics.disconnections == 0)
        await store.end()
    }

    @Test("A permanent failure ends the replica, which reports the reason, and stays readable")
    func refusal() async throws {
        let store = try await ShopStore.open(log)
        try await store.order(1...3)
        log.failAlways(.append, with: .error(.refused))
        await expect(.refused) { try await store.dispatch(.order(4)) }
        #expect(await store.failure()?.code == .refused)
        await expect(.refused) { try await store.commit() }
        await expect(.refused) { try await store.readBarrier() }
        await expect(.refused) { try await store.checkpoint() }
        #expect(store.send(.order(5)) == .refused(.rejected(by: "log")))
        #expect(store.snapshot.orders == [1, 2, 3])
        let report = await store.end()
        #expect(report.failure?.code == .refused)
        #expect(report.unwrittenActions == 1)
    }

    @Test("An ended replica that is retained for its state requests no connections")
    func quietEnd() async throws {
        // It checks the log twenty times a second.
        let store = try await ShopStore.open(log, ReplicationConfiguration(replicaPatience: .milliseconds(200)))
        log.failAlways(.append, with: .error(.refused))
        await expect(.refused) { try await store.dispatch(.order(1)) }
        log.breakConnections()
        try await Task.sleep(for: .milliseconds(120))
        let count = log.count(of: .connect)
        try await Task.sleep(for: .milliseconds(300))
        #expect(log.count(of: .connect) == count)
        await store.end()
    }

    @Test("An entry written by another process in a replica's name ends that replica")
    func borrowedOrigin() async throws {
        let store = try await ShopStore.open(log)
        try await store.order([1])
        let other = try await ShopStore.open(log)
        let identity = ActionLogEntry.Identity(origin: store.origin, number: 3)
        let entry = ActionLogEntry(
            identity,
            header: #"{"kind":"action","reducer":1,"schema":1}"#,
            payload: Data(#"{"order":{"_0":2}}"#.utf8)
        )
        try memory.connect().append([entry])
        #expect(await store.failure()?.code == .damaged)
        #expect(store.snapshot.orders == [1])
        await other.reaches { $0.orders == [1, 2] }
        await store.end()
        await other.end()
    }

    @Test("A barrier needs the log, and throws without one")
    func barrierWithoutLog() async throws {
        let store = try await ShopStore.open(log)
        try await store.order(1...3)
        // Not while another connection is available.
        log.breakConnections()
        try await store.readBarrier()
        log.disconnect()
        await expect(.disconnected) { try await store.readBarrier() }
        log.reconnect()
        try await store.readBarrier()
        await store.end()
    }

    @Test("A checkpoint of a replica that has read no entry yet throws while the log is unreachable")
    func earlyCheckpoint() async throws {
        let goOn = DispatchSemaphore(value: 0)
        log.fail(.append, with: .wait(goOn))
        let opening = Task { try await ShopStore.open(log) }
        try await until { log.count(of: .append) == 1 }
        log.failAlways(.read, with: .error(.disconnected))
        goOn.signal()
        let store = try await opening.value
        log.disconnect()
        await expect(.disconnected) { try await store.checkpoint() }
        log.failNoMore()
        log.reconnect()
        try await store.dispatch(.order(1))
        #expect(try await store.checkpoint() == 1)
        await store.end()
    }

    @Test("A cancelled task no longer waits for a barrier or a snapshot of a replica whose log hangs")
    func cancelledWaits() async throws {
        let store = try await ShopStore.open(log)
        try await store.order(1...3)
        let waits: [(call: FaultyLog.Call, wait: @Sendable () async throws -> Void)] = [
            (.status, { try await store.readBarrier() }), (.write, { try await store.checkpoint() }),
        ]
        for (call, wait) in waits {
            let (goOn, count) = (DispatchSemaphore(value: 0), log.count(of: call))
            log.fail(call, with: .wait(goOn))
            let task = Task { try await wait() }
            try await until { log.count(of: call) > count }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            goOn.signal()
        }
        #expect(try await store.checkpoint() == 3)
        await store.end()
    }

    @Test("Barriers that arrive during a request share the next response, also an error")
    func sharedBarriers() async throws {
        let store = try await ShopStore.open(log)
        try await store.order(1...3)
        for code: ActionLogError.Code? in [nil, .busy] {
            let goOn = DispatchSemaphore(value: 0)
            log.fail(.status, with: .wait(goOn))
            let count = log.count(of: .status)
            let first = Task { try await store.readBarrier() }
            try await until { log.count(of: .status) == count + 1 }
            if let code { log.fail(.status, with: .error(code)) }
            let asked = store.replica.writer.questionCount
            let others = (0..<50).map { _ in Task { try await store.readBarrier() } }
            try await until { store.replica.writer.questionCount == asked + 50 }
            goOn.signal()
            try await first.value
            for other in others {
                let result = await other.result
                #expect((try? result.get()) != nil || code != nil)
                if let code { await expect(code) { try result.get() } }
            }
            #expect(log.count(of: .status) == count + 2)
        }
        await store.end()
    }
}
