import ActionLogConformance
import ActorStore
import Dispatch
import Foundation
import TestFixtures
import Testing

@testable import ActorStorePersistence

@Suite("Failing logs", .timeLimit(.minutes(10)))
struct FailingLogTests {
    @Test("A transient failure is retried, and dispatches wait for it", arguments: [true, false])
    func retries(isApplied: Bool) async throws {
        let memory = MemoryLog()
        let log = FaultyLog(memory)
        let store = try await LedgerStore.open(log)
        log.fail(.append, with: isApplied ? .lostAnswer(.full) : .error(.full))
        try await store.dispatch(.book(1))
        for code in [ActionLogError.Code.busy, .full, .disconnected] {
            log.fail(.append, with: isApplied ? .lostAnswer(code) : .error(code), .error(.busy))
        }
        log.fail(.connect, with: .error(.disconnected), .error(.disconnected))
        try await store.book(2...20)
        #expect(store.statistics.committedRevision == 20)
        #expect(store.statistics.failure == nil)
        #expect(store.statistics.lastProblem != nil)
        await store.end()
        let second = try await LedgerStore.open(memory)
        #expect(second.snapshot.amounts == Array(1...20))
        await second.end()
    }

    @Test("An action is acknowledged when the log has acknowledged it, and not when it is seen there")
    func acknowledgement() async throws {
        let log = FaultyLog(MemoryLog())
        let store = try await LedgerStore.open(log)
        try await store.dispatch(.book(1))
        // Like a log that can be read before it is as durable as its engine promises.
        log.failAlways(.append, with: .error(.disconnected))
        log.fail(.append, with: .lostAnswer(.disconnected))
        let appends = log.count(of: .append)
        let dispatch = Task { _ = try await store.dispatch(.book(2)) }
        try await until { log.count(of: .append) > appends + 3 || store.statistics.committedRevision == 2 }
        #expect(store.statistics.committedRevision == 1)
        await expect(.disconnected) { try await store.log.writer.checkEnd(store.log) }
        #expect(store.statistics.committedRevision == 1)
        log.failNoMore()
        try await dispatch.value
        try await store.readBarrier()
        #expect(store.snapshot.amounts == [1, 2])
        await store.end()
    }

    @Test("The phase of a durable store shows retries, the recovery from them, and the reason of the end")
    func phase() async throws {
        let log = FaultyLog(MemoryLog())
        let store = try await LedgerStore.open(log)
        let phases = store.phase.values(of: \.self)
        #expect(store.phase.snapshot == .connected)
        log.failAlways(.append, with: .error(.full))
        #expect(store.send(.book(1)).isAccepted)
        try await until { if case .retrying(let error) = store.phase.snapshot { error.code == .full } else { false } }
        log.failAlways(.append, with: nil)
        try await until { store.phase.snapshot == .connected }
        log.failAlways(.append, with: .error(.refused))
        #expect(store.send(.book(2)).isAccepted)
        try await until { if case .ended(let error) = store.phase.snapshot { error.code == .refused } else { false } }
        await store.end()
        // The sequence ends with the store.
        var last: DurabilityPhase?
        for await phase in phases { last = phase }
        #expect(last == store.phase.snapshot)
    }

    @Test("A retried snapshot shows in the phase, and also that it is no longer retried")
    func phaseOfASnapshot() async throws {
        let log = FaultyLog(MemoryLog())
        let durability = DurabilityConfiguration(retryLimit: .seconds(600), leaseDuration: .milliseconds(100))
        let store = try await LedgerStore.open(log, durability)
        try await store.dispatch(.book(1))
        // The renewal of the lease finds that the connection is broken.
        log.failAlways(.claim, with: .error(.disconnected))
        log.failAlways(.connect, with: .error(.disconnected))
        try await until { store.statistics.lastProblem != nil }
        let checkpoint = Task { try await store.checkpoint() }
        try await until { if case .retrying = store.phase.snapshot { true } else { false } }
        log.failNoMore()
        #expect(try await checkpoint.value == 1)
        try await until { store.phase.snapshot == .connected }
        await store.end()
    }

    @Test("A snapshot without a connection fails after the limit for retries, and the store continues")
    func disconnectedSnapshot() async throws {
        let log = FaultyLog(MemoryLog())
        let durability = DurabilityConfiguration(retryLimit: .zero, leaseDuration: .milliseconds(100))
        let store = try await LedgerStore.open(log, durability)
        try await store.book(1...2)
        // The renewal of the lease finds that the connection is broken.
        log.failAlways(.connect, with: .error(.disconnected))
        log.failAlways(.claim, with: .error(.disconnected))
        try await until { store.statistics.lastProblem != nil }
        await expect(.disconnected) { try await store.checkpoint() }
        log.failAlways(.claim, with: nil)
        log.failAlways(.connect, with: nil)
        try await store.book(3...4)
        #expect(store.statistics.failure == nil)
        #expect(try await store.checkpoint() == 4)
        await store.end()
    }

    @Test("A refused connection ends a snapshot, and not its store")
    func refusedSnapshot() async throws {
        let log = FaultyLog(MemoryLog())
        let store = try await LedgerStore.open(log, DurabilityConfiguration(leaseDuration: .milliseconds(100)))
        try await store.book(1...2)
        log.failAlways(.connect, with: .error(.refused))
        log.fail(.claim, with: .error(.disconnected))
        try await until { store.statistics.lastProblem != nil }
        await expect(.refused) { try await store.checkpoint() }
        log.failNoMore()
        try await store.book(3...4)
        #expect(store.statistics.failure == nil)
        #expect(try await store.checkpoint() == 4)
        await store.end()
    }

    @Test("A lease lasts for at least 100 ms, and is not renewed without pause", arguments: [0, -5, 1])
    func shortLease(nanoseconds: Int) async throws {
        let log = FaultyLog(MemoryLog())
        var durability = DurabilityConfiguration(leaseDuration: .nanoseconds(nanoseconds))
        #expect(durability.leaseDuration == .milliseconds(100))
        durability.leaseDuration = .nanoseconds(nanoseconds)
        #expect(durability.leaseDuration == .milliseconds(100))
        let store = try await LedgerStore.open(log, durability)
        let claims = log.count(of: .claim)
        try await Task.sleep(for: .milliseconds(50))
        #expect(log.count(of: .claim) - claims < 10)
        await store.end()
    }

    @Test("A store whose shutdown was over before it had connected again does not renew its lease")
    func connectionAfterTheEnd() async throws {
        let log = FaultyLog(MemoryLog())
        let goOn = DispatchSemaphore(value: 0)
        var store: LedgerStore? = try await LedgerStore.open(log)
        let (connections, claims) = (log.count(of: .connect), log.count(of: .claim))
        log.fail(.connect, with: .wait(goOn))
        log.breakConnections()
        #expect(store?.send(.book(1)).isAccepted == true)
        try await until { log.count(of: .connect) > connections }
        await store?.shutdown(drain: .cancelEffects, within: .milliseconds(10))
        store = nil
        goOn.signal()
        // The writer releases the lease when it has no more work.
        try await until { log.count(of: .release) > 0 }
        #expect(log.count(of: .claim) == claims)
    }

    @Test("A store that is released during its interval writes its actions, and closes the log, at once")
    func releaseDuringInterval() async throws {
        let log = FaultyLog(MemoryLog())
        let durability = DurabilityConfiguration(level: .interval(.seconds(3_600)), snapshotAtShutdown: false)
        var store: LedgerStore? = try await LedgerStore.open(log, durability)
        for amount in 1...10 { #expect(store?.send(.book(amount)).isAccepted == true) }
        #expect(store?.statistics.pendingActions == 10)
        store = nil
        try await until { log.count(of: .release) > 0 }
        let next = try await LedgerStore.open(log)
        #expect(next.snapshot.amounts == Array(1...10))
        await next.end()
    }

    @Test("A barrier uses a new connection if its own is broken, and throws if there is no connection")
    func barrier() async throws {
        let log = FaultyLog(MemoryLog())
        let store = try await LedgerStore.open(log)
        try await store.book(1...2)
        log.breakConnections()
        try await store.readBarrier()
        log.disconnect()
        for _ in 0..<2 { await expect(.disconnected) { try await store.readBarrier() } }
        log.reconnect()
        try await store.readBarrier()
        await store.end()
    }

    @Test("A checkpoint continues on a new connection if its own is broken, and so does a deletion")
    func checkpointByAnotherConnection() async throws {
        let log = FaultyLog(MemoryLog())
        let durability = DurabilityConfiguration(retention: .snapshots(1), leaseDuration: .seconds(600))
        let store = try await LedgerStore.open(log, durability)
        try await store.book(1...2)
        log.breakConnections()
        #expect(try await store.checkpoint() == 2)
        await store.end()
        #expect(try log.base.connect().status().first > 2)
    }

    @Test("A snapshot of which the log has lost parts is written again, once")
    func lostParts() async throws {
        let log = FaultyLog(MemoryLog())
        let store = try await LedgerStore.open(log)
        try await store.book(1...2)
        log.fail(.finish, with: .error(.damaged))
        #expect(try await store.checkpoint() == 2)
        #expect(log.count(of: .write) == 4)
        #expect(log.count(of: .finish) == 2)
        try await store.book(3...3)
        log.fail(.finish, with: .error(.damaged), .error(.damaged))
        await expect(.damaged) { try await store.checkpoint() }
        #expect(log.count(of: .write) == 8)
        #expect(store.statistics.failure == nil)
        #expect(try await store.checkpoint() == 3)
        await store.end()
    }

    @Test("Stores that live for less than an interval still delete what their snapshots make obsolete")
    func shortLives() async throws {
        let log = MemoryLog()
        for life in 1...4 {
            let store = try await LedgerStore.open(log, DurabilityConfiguration(retention: .snapshots(2)))
            try await store.dispatch(.book(life))
            #expect(await store.end().isComplete)
        }
        let snapshots = try log.connect().snapshots()
        #expect(snapshots.count == 2)
        #expect(try log.connect().status().first == snapshots.last.map { $0.point.position + 1 })
        let last = try await LedgerStore.open(log)
        #expect(last.snapshot.amounts == [1, 2, 3, 4])
        await last.end()
    }

    @Test("A cancelled dispatch no longer waits for the log, and its action is written")
    func cancellation() async throws {
        let memory = MemoryLog()
        let log = FaultyLog(memory)
        let ledger = Ledger()
        let store = try await LedgerStore.open(log, DurabilityConfiguration(), ledger)
        let goOn = DispatchSemaphore(value: 0)
        log.failAlways(.append, with: .wait(goOn))
        let waits: [(revision: UInt64, wait: @Sendable () async throws -> Void)] = [
            (1, { _ = try await store.dispatch(.book(1)) }), (2, { try await store.perform(.pay(2)) }),
            (2, { try await store.commit() }), (2, { try await store.readBarrier() }),
        ]
        for (revision, wait) in waits {
            let task = Task { try await wait() }
            try await until { store.revision == revision }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(store.statistics.committedRevision == 0)
        // A shutdown has to be completed, also by a cancelled task.
        let shutdown = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await store.shutdown(drain: .finishEffects)
        }
        try await until { store.store.phase.description == "ended" }
        log.failAlways(.append, with: nil)
        goOn.signal()
        #expect(await shutdown.value.isComplete)
        #expect(ledger.outside.amounts.isEmpty)
        let second = try await LedgerStore.open(memory)
        #expect(second.snapshot.amounts == [1, -2])
        await second.end()
    }

    @Test("A cancelled task no longer waits for a barrier, a snapshot or the past, also while the log hangs")
    func cancelledWaits() async throws {
        let log = FaultyLog(MemoryLog())
        let store = try await LedgerStore.open(log)
        try await store.book(1...3)
        let waits: [(call: FaultyLog.Call, wait: @Sendable () async throws -> Void)] = [
            (.status, { try await store.readBarrier() }), (.connect, { _ = try await store.state(at: 1) }),
            (.write, { try await store.checkpoint() }),
            (.trim, { try await store.compact(keepingSnapshots: 1) }),
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
        #expect(await store.shutdown(drain: .finishEffects).isComplete)
    }

    @Test("A commit does not wait for the interval when its first attempt fails")
    func retryWithinInterval() async throws {
        let log = FaultyLog(MemoryLog())
        let store = try await LedgerStore.open(log, DurabilityConfiguration(level: .interval(.seconds(100_000))))
        try await store.dispatch(.book(1))
        log.fail(.append, with: .error(.busy))
        try await store.commit()
        #expect(store.statistics.committedRevision == 1)
        await store.end()
    }

    @Test("A checkpoint and a shutdown continue when the log is back, also without other entries to write")
    func snapshotWithoutConnection() async throws {
        for endsAtOnce in [false, true] {
            let log = FaultyLog(MemoryLog())
            let durability = DurabilityConfiguration(leaseDuration: .milliseconds(100))
            let store = try await LedgerStore.open(log, durability)
            try await store.book(1...3)
            // The renewal of the lease finds that first.
            log.failAlways(.claim, with: .error(.disconnected))
            try await until { store.statistics.lastProblem != nil }
            log.failAlways(.claim, with: nil)
            log.fail(.connect, with: .error(.disconnected), .error(.disconnected))
            if !endsAtOnce { #expect(try await store.checkpoint() == 3) }
            await store.shutdown(drain: .finishEffects)
            #expect(store.statistics.snapshotRevision == 3)
        }
    }

    @Test("A permanent failure fences the store, which reports the possibly lost actions, and releases the log")
    func fence() async throws {
        let memory = MemoryLog()
        let log = FaultyLog(memory)
        let store = try await LedgerStore.open(log)
        try await store.book(1...3)
        log.failAlways(.append, with: .error(.refused))
        await expect(.refused) { try await store.dispatch(.book(4)) }
        #expect(store.statistics.failure?.code == .refused)
        #expect(store.statistics.unconfirmedActions == 1)
        #expect(store.statistics.committedRevision == 3)
        #expect(store.snapshot.amounts == [1, 2, 3, 4])
        await expect(.refused) { try await store.dispatch(.book(5)) }
        await expect(.refused) { try await store.commit() }
        await expect(.refused) { try await store.checkpoint() }
        #expect(store.send(.book(5)) == .refused(.rejected(by: "log")))
        #expect(store.snapshot.amounts == [1, 2, 3, 4])
        let report = await store.end()
        #expect(report.unwrittenActions == 1)
        #expect(report.failure?.code == .refused)
        #expect(!report.isComplete)
        let second = try await LedgerStore.open(memory)
        #expect(second.snapshot.amounts == [1, 2, 3])
        await second.end()
    }

    @Test("A store whose write lease was lost with the end of its log reports the lost end", arguments: 0..<3)
    func lostRight(round: Int) async throws {
        let memory = MemoryLog()
        let log = FaultyLog(memory)
        let store = try await LedgerStore.open(log, DurabilityConfiguration(leaseDuration: .milliseconds(100)))
        try await store.book(1...3)
        let last = try memory.connect().status().end.position
        // Its renewal is requested when the log is available again.
        log.disconnect()
        memory.loseEnd(after: last - 1)
        let connection = try memory.connect()
        var claim = LeaseClaim(name: "writer", holder: "other", for: .seconds(60))
        try connection.release(try connection.claim(claim))
        claim.isNew = true
        #expect(try connection.claim(claim).holder == "other")
        // Another store has continued, or not.
        if round == 1 {
            let entry = ActionLogEntry(ActionLogEntry.Identity(origin: "x", number: 1), header: "", payload: Data())
            try connection.append([entry], if: AppendCondition(.contains(.start)))
        }
        log.reconnect()
        switch round {
        case 0: await expect(.lostEntries, at: last) { try await store.dispatch(.book(4)) }
        case 1: await expect(.lostEntries, at: last) { try await store.readBarrier() }
        default: try await until { store.statistics.failure != nil }
        }
        #expect(store.statistics.failure?.code == .lostEntries)
        await store.end()
    }

    @Test("A store opened while another one deletes its entries continues with the newest snapshot")
    func trimmedWhileOpening() async throws {
        let memory = MemoryLog()
        let first = try await LedgerStore.open(memory)
        try await first.book(1...10)
        let log = FaultyLog(memory)
        let isTrimmed = DispatchSemaphore(value: 0)
        log.fail(.read, with: .wait(isTrimmed))
        let opening = Task { try await LedgerStore.open(log) }
        try await until { log.count(of: .read) > 0 }
        try await first.compact(keepingSnapshots: 1)
        try await first.dispatch(.book(11))
        await first.end()
        isTrimmed.signal()
        let second = try await opening.value
        #expect(second.snapshot.amounts == Array(1...11))
        #expect(second.recovery.problems.isEmpty)
        // So does a reader of the past.
        try await second.book(12...13)
        let isTrimmedAgain = DispatchSemaphore(value: 0)
        log.fail(.read, with: .wait(isTrimmedAgain))
        let count = log.count(of: .read)
        let past = Task { try await second.state(at: 12) }
        try await until { log.count(of: .read) > count }
        try await second.dispatch(.book(14))
        try await second.compact(keepingSnapshots: 1)
        isTrimmedAgain.signal()
        await expect(.unknownRevision) { try await past.value }
        #expect(try await second.state(at: 14).amounts == Array(1...14))
        await second.end()
    }

    @Test("A store that accepts losses does not count entries as lost that another one is writing or deleting")
    func acceptingBesideAnother() async throws {
        let memory = MemoryLog()
        let first = try await LedgerStore.open(memory)
        try await first.book(1...10)
        try await first.checkpoint()
        try await first.compact(keepingSnapshots: 1)
        let log = FaultyLog(memory)
        log.fail(.part, with: .error(.damaged))
        var durability = DurabilityConfiguration(recovery: .acceptingLoss)
        durability.openingTimeout = .seconds(60)
        let opening = Task { [durability] in try await LedgerStore.open(log, durability) }
        try await until { log.count(of: .claim) > 0 }
        await first.end()
        let second = try await opening.value
        #expect(second.snapshot.amounts == Array(1...10))
        #expect(second.recovery.problems.isEmpty)
        await second.end()
    }

    @Test("A transient failure fences the store when it has lasted too long")
    func retryLimit() async throws {
        let log = FaultyLog(MemoryLog())
        let store = try await LedgerStore.open(log, DurabilityConfiguration(retryLimit: .milliseconds(30)))
        log.failAlways(.append, with: .error(.full))
        await expect(.full) { try await store.dispatch(.book(1)) }
        #expect(store.statistics.failure?.code == .full)
        await store.end()
    }

    @Test("Actions beyond the limit of waiting ones are refused, and accepted again later", arguments: [1, 2])
    func bound(kind: Int) async throws {
        let log = FaultyLog(MemoryLog())
        let durability =
            kind == 1 ? DurabilityConfiguration(pendingLimit: 10) : DurabilityConfiguration(pendingByteLimit: 600)
        let store = try await LedgerStore.open(log, durability)
        let goOn = DispatchSemaphore(value: 0)
        log.fail(.append, with: .wait(goOn))
        var sent = 0
        while store.send(.book(sent)).isAccepted { sent += 1 }
        #expect(kind == 1 ? sent == 10 : (5...20).contains(sent))
        await expect(.overloaded) { try await store.dispatch(.book(-1)) }
        await #expect(throws: StoreError.rejected(by: "log")) { try await store.store.dispatch(.book(-1)) }
        goOn.signal()
        try await store.commit()
        try await store.dispatch(.book(sent))
        #expect(store.snapshot.amounts == Array(0...sent))
        await store.end()
    }

    @Test("A store whose lease was taken over acknowledges nothing more")
    func takeover() async throws {
        let memory = MemoryLog()
        let durability = DurabilityConfiguration(leaseDuration: .milliseconds(300), openingTimeout: .seconds(60))
        let log = FaultyLog(memory)
        let first = try await LedgerStore.open(log, durability)
        try await first.book(1...3)
        // Its thread is suspended, like that of a program on a stopped machine.
        let goOn = DispatchSemaphore(value: 0)
        log.failAlways(.claim, with: .wait(goOn))
        try await until { log.count(of: .claim) > 1 }
        let second = try await LedgerStore.open(memory, durability)
        #expect(second.snapshot.amounts == [1, 2, 3])
        try await second.dispatch(.book(4))
        // The first one shows an old state by now.
        #expect(first.snapshot.amounts == [1, 2, 3])
        try await second.readBarrier()
        goOn.signal()
        await expect(.fenced) { try await first.readBarrier() }
        await expect(.fenced) { try await first.dispatch(.book(5)) }
        #expect(first.statistics.failure?.code == .fenced)
        try await second.dispatch(.book(6))
        await first.end()
        await second.end()
        let third = try await LedgerStore.open(memory)
        #expect(third.snapshot.amounts == [1, 2, 3, 4, 6])
        await third.end()
    }

    @Test("An idle store whose lease was claimed writes nothing more, and is notified of it", arguments: [true, false])
    func claimedRight(isIdle: Bool) async throws {
        let memory = MemoryLog()
        let log = FaultyLog(memory)
        let store = try await LedgerStore.open(log, DurabilityConfiguration(leaseDuration: .milliseconds(100)))
        try await store.dispatch(.book(1))
        log.failAlways(.claim, with: .error(.busy))
        let other = LeaseClaim(name: "writer", holder: "other", for: .seconds(600))
        try await until { try memory.connect().claim(other).holder == "other" }
        if isIdle {
            log.failAlways(.claim, with: nil)
            let count = log.count(of: .claim)
            try await until { log.count(of: .claim) > count + 1 || store.statistics.failure != nil }
        } else {
            // The other one still has something to write.
            await expect(.fenced) { try await store.dispatch(.book(2)) }
        }
        #expect(store.statistics.failure?.code == .fenced)
        #expect(try memory.connect().status().end.position == 2)
        await store.end()
    }

    @Test("A shutdown writes reduced actions that are still to be written, also without a snapshot")
    func unwrittenActions() async throws {
        let log = MemoryLog()
        let durability = DurabilityConfiguration(level: .interval(.seconds(3_600)), snapshotAtShutdown: false)
        let store = try await LedgerStore.open(log, durability)
        try await store.book(1...5)
        #expect(store.statistics.committedRevision == 0)
        #expect(await store.end().isComplete)
        let next = try await LedgerStore.open(log)
        #expect(next.snapshot.amounts == Array(1...5))
        await next.end()
    }

    @Test("A shutdown with a deadline returns in time, also from a hanging log, and reports what is left")
    func hangingLog() async throws {
        let log = FaultyLog(MemoryLog())
        let store = try await LedgerStore.open(log)
        try await store.book(1...3)
        let goOn = DispatchSemaphore(value: 0)
        log.failAlways(.append, with: .wait(goOn))
        store.send(.book(4))
        try await until { store.revision == 4 }
        let report = await store.shutdown(drain: .finishEffects, within: .milliseconds(50))
        #expect(report.unwrittenActions == 1)
        goOn.signal()
    }

    @Test("A shutdown with a deadline does not wait for the reducer of the confirmed state")
    func slowConfirmedState() async throws {
        let (goOn, turns, isOver) = (DispatchSemaphore(value: 0), LockedValue(0), LockedValue(false))
        let store = try await Store.durable(
            in: MemoryLog(),
            initialState: 0,
            durability: DurabilityConfiguration(keepsConfirmedState: true)
        ) { (state: inout Int, number: Int) in
            // The first turn is that of the store, the second one that of the confirmed state.
            let turn = turns.withLock { turns in
                turns += 1
                return turns
            }
            if turn == 2 { goOn.wait() }
            state += number
        }
        store.send(1)
        try await until { turns.withLock { $0 } == 2 }
        // A generous bound, so that a shutdown that waits fails instead of hanging.
        DispatchQueue.global().asyncAfter(deadline: .now() + 60) {
            isOver.withLock { $0 = true }
            goOn.signal()
        }
        await store.shutdown(drain: .finishEffects, within: .milliseconds(10))
        #expect(isOver.withLock { !$0 })
        goOn.signal()
    }

    @Test("Waits for a snapshot, and a shutdown, continue after the log has failed", arguments: 0..<20)
    func snapshotsOfAFailedLog(round: Int) async throws {
        let log = FaultyLog(MemoryLog())
        let store = try await LedgerStore.open(log, DurabilityConfiguration(snapshots: SnapshotInterval(actions: 3)))
        try await store.book(1...2)
        let goOn = DispatchSemaphore(value: 0)
        log.fail(.write, with: .wait(goOn))
        store.send(.book(3))
        let first = Task { try? await store.checkpoint() }
        let second = Task { try? await store.checkpoint() }
        await letOtherTasksRun(yields: round * 10)
        log.failAlways(.append, with: .error(.refused))
        store.send(.book(4))
        goOn.signal()
        _ = await (first.value, second.value)
        await store.end()
    }

    @Test("An effect of an action reduced at the log's end never begins, and delays no shutdown")
    func endWithinTurn() async throws {
        let reducer = Interrupted()
        let store = try await Store.durable(in: MemoryLog(), initialState: Ledger.State(), reducer: reducer)
        reducer.whileReducing.withLock { [log = store.log] body in
            body = { log.end(ActionLogError(.refused, in: "memory", "A test ends the log.")) }
        }
        await expect(.refused) { try await store.dispatch(.pay(2)) }
        let report = await store.shutdown(drain: .finishEffects)
        #expect(report.unwrittenActions == 1)
        #expect(store.statistics.unconfirmedActions == 1)
        #expect(reducer.outside.amounts.isEmpty)
    }

    @Test("Entries sent by an earlier attempt may reach the log late, between two checks", arguments: [1, 5])
    func lateArrival(count: Int) async throws {
        let memory = MemoryLog()
        let log = FaultyLog(memory)
        let store = try await LedgerStore.open(log)
        log.fail(.append, with: .late(.disconnected))
        await withThrowingTaskGroup { tasks in
            for amount in 1...count { tasks.addTask { try await store.dispatch(.book(amount)) } }
        }
        #expect(store.statistics.failure == nil)
        #expect(store.statistics.committedRevision == UInt64(count))
        let amounts = store.snapshot.amounts
        await store.end()
        let second = try await LedgerStore.open(memory)
        #expect(second.snapshot.amounts == amounts)
        await second.end()
    }

    @Test("A barrier recognizes an entry that reaches the log late, while the barrier looks at it")
    func lateArrivalAtBarrier() async throws {
        let memory = MemoryLog()
        let log = FaultyLog(memory)
        let store = try await LedgerStore.open(log)
        log.failAlways(.append, with: .error(.disconnected))
        let dispatch = Task { try await store.dispatch(.book(1)) }
        try await until { store.statistics.lastProblem != nil }
        let (goOn, looks) = (DispatchSemaphore(value: 0), log.count(of: .status))
        log.fail(.status, with: .wait(goOn))
        let barrier = Task { try await store.log.writer.checkEnd(store.log) }
        try await until { log.count(of: .status) > looks }
        try memory.connect().append(store.log.unappended(through: .max), if: AppendCondition(.contains(.start)))
        log.failNoMore()
        goOn.signal()
        try await barrier.value
        _ = try await dispatch.value
        try await store.dispatch(.book(2))
        #expect(store.statistics.failure == nil)
        #expect(await store.end().isComplete)
        let second = try await LedgerStore.open(memory)
        #expect(second.snapshot.amounts == [1, 2])
        await second.end()
    }

    @Test("A failure that a barrier finds resolved does not count for a later one")
    func failureResolvedByBarrier() async throws {
        let log = FaultyLog(MemoryLog())
        let store = try await LedgerStore.open(log, DurabilityConfiguration(retryLimit: .seconds(1)))
        let appends = log.count(of: .append)
        let busy = FaultyLog.Fault.error(.busy)
        // The last wait leaves enough time for the barrier.
        log.fail(.append, with: busy, busy, busy, busy, busy, .lostAnswer(.busy))
        let dispatch = Task { try await store.dispatch(.book(1)) }
        try await until { log.count(of: .append) == appends + 6 }
        try await store.log.writer.checkEnd(store.log)
        _ = try await dispatch.value
        try await Task.sleep(for: .milliseconds(1_100))
        log.fail(.append, with: busy)
        try await store.dispatch(.book(2))
        #expect(store.statistics.failure == nil)
        #expect(await store.end().isComplete)
    }

    @Test("A shutdown releases the log although its connection is broken", arguments: [false, true])
    func releaseByAnotherConnection(isKnown: Bool) async throws {
        let log = FaultyLog(MemoryLog())
        let store = try await LedgerStore.open(
            log,
            DurabilityConfiguration(leaseDuration: isKnown ? .seconds(2) : .seconds(600))
        )
        try await store.dispatch(.book(1))
        #expect(try await store.checkpoint() == 1)
        // The renewal of the lease closes the connection.
        if isKnown {
            log.failAlways(.claim, with: .error(.disconnected))
            try await until { store.statistics.lastProblem != nil }
            log.failAlways(.claim, with: nil)
        }
        log.breakConnections()
        #expect(await store.end().isComplete)
        let second = try await LedgerStore.open(log)
        #expect(second.snapshot.amounts == [1])
        await second.end()
    }

    @Test("A store whose log did not respond in time releases the log when it responds, and writes no more")
    func releaseAfterTheLimit() async throws {
        let memory = MemoryLog()
        for call in [FaultyLog.Call.append, .connect] {
            let log = FaultyLog(memory)
            let store = try await LedgerStore.open(log, DurabilityConfiguration(leaseDuration: .seconds(600)))
            let end = try memory.connect().status().end
            let goOn = DispatchSemaphore(value: 0)
            log.breakConnections()
            log.fail(call, with: .wait(goOn))
            store.send(.book(1))
            try await until { log.count(of: call) == 2 }
            let report = await store.shutdown(drain: .finishEffects, within: .milliseconds(20))
            #expect(report.unwrittenActions == 1)
            goOn.signal()
            try await until {
                (try? memory.connect().claim(LeaseClaim(name: "writer", holder: "x", for: .zero)))?.holder == "x"
            }
            #expect(try memory.connect().status().end == end)
        }
    }

    @Test("An earlier state can be read although its snapshot is deleted behind a newer one meanwhile")
    func pastOfADeletedSnapshot() async throws {
        let log = FaultyLog(MemoryLog())
        let store = try await LedgerStore.open(log)
        try await store.book(1...3)
        try await store.compact(keepingSnapshots: 1)
        try await store.book(4...6)
        let (goOn, parts) = (DispatchSemaphore(value: 0), log.count(of: .part))
        log.fail(.part, with: .wait(goOn))
        let past = Task { try await store.state(at: 6) }
        try await until { log.count(of: .part) > parts }
        try await store.compact(keepingSnapshots: 1)
        goOn.signal()
        #expect(try await past.value.amounts == Array(1...6))
        await expect(.unknownRevision) { try await store.state(at: 5) }
        await store.end()
    }

    @Test("An opening that fails releases the log although its connection is broken")
    func releaseAfterOpening() async throws {
        let log = FaultyLog(MemoryLog())
        let goOn = DispatchSemaphore(value: 0)
        log.fail(.append, with: .wait(goOn))
        let opening = Task { try await LedgerStore.open(log, DurabilityConfiguration(leaseDuration: .seconds(600))) }
        try await until { log.count(of: .append) == 1 }
        log.breakConnections()
        goOn.signal()
        await expect(.disconnected) { try await opening.value }
        let store = try await LedgerStore.open(log)
        await store.end()
    }

    @Test("A store with endless writes renews its lease, and answers barriers")
    func sustainedLoad() async throws {
        let log = FaultyLog(MemoryLog())
        log.failAlways(.append, with: .delay(.milliseconds(5)))
        let store = try await LedgerStore.open(
            log,
            DurabilityConfiguration(level: .interval(.milliseconds(1)), leaseDuration: .milliseconds(150))
        )
        let isOver = CancellationNote()
        let load = Task {
            while !isOver.isNoted {
                store.send(.book(1))
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        let claims = log.count(of: .claim)
        let barrier = CancellationNote()
        Task {
            try await store.readBarrier()
            barrier.note()
        }
        let end = ContinuousClock.now + .seconds(5)
        while !barrier.isNoted || log.count(of: .claim) < claims + 3, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(barrier.isNoted)
        #expect(log.count(of: .claim) >= claims + 3)
        isOver.note()
        try await load.value
        await store.end()
    }

    @Test("A snapshot with a lost response is saved, and a broken connection loses no snapshot")
    func snapshotAnswer() async throws {
        let memory = MemoryLog()
        let log = FaultyLog(memory)
        let store = try await LedgerStore.open(log)
        try await store.book(1...3)
        log.fail(.finish, with: .lostAnswer(.disconnected))
        #expect(try await store.checkpoint() == 3)
        try await store.dispatch(.book(4))
        log.fail(.finish, with: .lostAnswer(.busy))
        _ = try? await store.checkpoint()
        #expect(try await store.checkpoint() == 4)
        try await store.dispatch(.book(5))
        log.breakConnections()
        await store.end()
        #expect(store.statistics.snapshotRevision == 5)
        #expect(try memory.connect().snapshots().count == 3)
    }

    @Test("A snapshot that cannot be written is given up, and actions continue")
    func failingSnapshot() async throws {
        let log = FaultyLog(MemoryLog())
        let store = try await LedgerStore.open(log)
        try await store.book(1...3)
        for call in [FaultyLog.Call.write, .finish] {
            log.fail(call, with: .error(.full))
            await expect(.full) { try await store.checkpoint() }
            // Its parts do not take the room of actions.
            #expect(log.count(of: .discard) == (call == .write ? 1 : 2))
            #expect(store.statistics.lastProblem?.code == .full)
            try await store.dispatch(.book(4))
        }
        #expect(try await store.checkpoint() == 5)
        await store.end()
    }

    @Test("A checkpoint throws if the log has a snapshot of another store in its place")
    func snapshotOfAnother() async throws {
        let log = MemoryLog()
        let store = try await LedgerStore.open(log)
        try await store.book(1...3)
        let connection = try log.connect()
        #expect(try connection.finish(ActionLogSnapshot(at: try connection.status().end, header: "?", parts: 0)))
        await expect(.refused) { try await store.checkpoint() }
        #expect(store.statistics.snapshotRevision == nil)
        try await store.dispatch(.book(4))
        #expect(try await store.checkpoint() == 4)
        await store.end()
    }

    @Test("A shutdown waits for snapshots that are read back, and nothing uses the log afterwards")
    func readingBack() async throws {
        let log = FaultyLog(MemoryLog())
        let store = try await LedgerStore.open(
            log,
            DurabilityConfiguration(snapshotAtShutdown: false, retention: .snapshots(1))
        )
        try await store.book(1...3)
        let goOn = DispatchSemaphore(value: 0)
        log.fail(.part, with: .wait(goOn))
        try await store.checkpoint()
        try await until { log.count(of: .part) == 1 }
        let shutdown = Task { await store.end() }
        try await until { store.store.phase.description == "ended" }
        await letOtherTasksRun()
        // It would have returned the lease by now.
        await expect(.inUse) { try await LedgerStore.open(log) }
        goOn.signal()
        #expect(await shutdown.value.isComplete)
        let connections = log.count(of: .connect)
        try await Task.sleep(for: .milliseconds(20))
        #expect(log.count(of: .connect) == connections)
    }
}

/// Runs a closure during its reduction.
private struct Interrupted: Reducer {
    let outside = Outside()
    let whileReducing = LockedValue<(@Sendable () -> Void)?>(nil)

    func reduce(into state: inout Ledger.State, action: Ledger.Action) -> Effect<Ledger.Action> {
        whileReducing.withLock { $0 }?()
        return .run { [outside] _ in outside.tell(1) }
    }
}
