import ActionLogConformance
import ActorStore
import Dispatch
import Foundation
import Testing

@testable import ActorStorePersistence

@Suite("Replicas whose log loses its end", .timeLimit(.minutes(10)))
struct ReplicaLossTests {
    let log = MemoryLog()

    /// Fast enough for tests that wait for a connection.
    private var replication: ReplicationConfiguration {
        ReplicationConfiguration(reconnection: RetryPolicy(maxAttempts: .max, backoff: .constant(.milliseconds(1))))
    }

    @Test("An idle replica detects that its entries are gone, names them, and accepts no more actions")
    func idle() async throws {
        let store = try await ShopStore.open(log)
        try await store.order(1...8)
        let position = store.statistics.position
        log.loseEnd(after: position - 3)
        let error = try #require(await store.failure())
        #expect(error.code == .lostEntries)
        #expect(error.position == position)
        #expect(error.reason.contains("from \(position - 2) to \(position)"))
        await expect(.lostEntries, at: position) { try await store.dispatch(.order(9)) }
        await expect(.lostEntries) { try await store.commit() }
        await expect(.lostEntries) { try await store.checkpoint() }
        #expect(store.send(.order(9)) == .refused(.rejected(by: "log")))
        #expect(store.snapshot.orders == Array(1...8))
        #expect(await store.end().failure?.code == .lostEntries)
    }

    @Test("A log that was begun anew is detected, also when it is longer than before")
    func otherLog() async throws {
        let faulty = FaultyLog(log)
        let store = try await ShopStore.open(faulty, replication)
        try await store.order(1...3)
        faulty.disconnect()
        try await until { !store.statistics.isConnected }
        log.loseEnd(after: 0)
        let next = try await ShopStore.open(log)
        try await next.order(10...20)
        faulty.reconnect()
        #expect(await store.failure()?.code == .lostEntries)
        #expect(store.snapshot.orders == [1, 2, 3])
        await store.end()
        await next.end()
    }

    @Test("A busy replica appends nothing behind a lost end, and the others can continue: R1", arguments: 0..<10)
    func busy(round: Int) async throws {
        let logs = [FaultyLog(log), FaultyLog(log)]
        let stores = try await [ShopStore.open(logs[0], replication), .open(logs[1], replication)]
        try await stores[0].order(1...5)
        let kept = stores[0].statistics.position
        try await stores[0].order(6...8)
        for store in stores { await store.reaches { $0.orders.count == 8 } }
        for log in logs { log.disconnect() }
        log.loseEnd(after: round.isMultiple(of: 2) ? kept : 0)
        for store in stores { for number in 9...10 { store.send(.order(number)) } }
        for log in logs { log.reconnect() }
        for store in stores {
            #expect(await store.failure()?.code == .lostEntries)
            #expect(await store.end().unwrittenActions == 2)
        }
        let numbers = try log.connect().readAll().map(\.identity.number)
        #expect(numbers.count == (round.isMultiple(of: 2) ? Int(kept) : 0))
        let next = try await ShopStore.open(log)
        #expect(next.snapshot.orders == (round.isMultiple(of: 2) ? Array(1...5) : []))
        try await next.dispatch(.order(9))
        await next.end()
    }

    @Test("A barrier of a replica before its detection of a loss throws, so that no lost state is read")
    func barrier() async throws {
        let logs = [FaultyLog(log), FaultyLog(log), FaultyLog(log)]
        let isOver = DispatchSemaphore(value: 0)
        var stores: [ShopStore] = []
        for log in logs { stores.append(try await ShopStore.open(log, replication)) }
        try await stores[0].order(1...5)
        let kept = stores[0].statistics.position
        try await stores[0].order(6...8)
        for store in stores.dropFirst() { await store.reaches { $0.orders.count == 8 } }
        // They check only what a barrier requests.
        for log in logs { log.failAlways(.read, with: .wait(isOver)) }
        log.loseEnd(after: kept)
        await expect(.lostEntries, at: kept + 3) { try await stores[0].readBarrier() }
        // Others have put other entries in their place.
        let next = try await ShopStore.open(log)
        try await next.order(10...10)
        await expect(.lostEntries, at: kept + 3) { try await stores[1].readBarrier() }
        try await next.order(11...11)
        #expect(next.statistics.position == kept + 3)
        await expect(.lostEntries, at: kept + 3) { try await stores[2].readBarrier() }
        for store in stores { #expect(store.statistics.failure?.code == .lostEntries) }
        for _ in 0..<100 { isOver.signal() }
        for log in logs { log.failNoMore() }
        for store in stores { await store.end() }
        await next.end()
    }

    @Test("A barrier throws if the log loses its unread entries, and the replica continues")
    func barrierForLostEntries() async throws {
        let (faulty, isOver) = (FaultyLog(log), DispatchSemaphore(value: 0))
        let store = try await ShopStore.open(faulty, replication)
        let other = try await ShopStore.open(log)
        try await store.readBarrier()
        let kept = store.statistics.position
        faulty.failAlways(.read, with: .wait(isOver))
        let reads = faulty.count(of: .read)
        try await until { faulty.count(of: .read) > reads }
        try await other.order(1...3)
        let barrier = Task { try await store.readBarrier() }
        try await until { store.replica.awaitedPosition == kept + 3 }
        log.loseEnd(after: kept)
        faulty.failNoMore()
        for _ in 0..<100 { isOver.signal() }
        await expect(.lostEntries, at: kept + 3) { try await barrier.value }
        try await store.readBarrier()
        try await store.dispatch(.order(4))
        #expect(store.snapshot.orders == [4])
        await store.end()
        await other.end()
    }

    @Test("A barrier that is under way when the replica ends says why that has ended")
    func barrierAtEnd() async throws {
        let (faulty, goOn) = (FaultyLog(log), DispatchSemaphore(value: 0))
        let store = try await ShopStore.open(faulty, replication)
        try await store.order(1...3)
        let asked = faulty.count(of: .status)
        faulty.fail(.status, with: .wait(goOn))
        let barrier = Task { try await store.readBarrier() }
        try await until { faulty.count(of: .status) > asked }
        log.loseEnd(after: store.statistics.position - 1)
        #expect(await store.failure()?.code == .lostEntries)
        goOn.signal()
        await expect(.lostEntries) { try await barrier.value }
        await store.end()
    }

    @Test("A replica that was away does not continue with a snapshot of a past without its own entries: R2")
    func snapshotOfAnotherPast() async throws {
        let faulty = FaultyLog(log)
        let first = try await ShopStore.open(faulty, replication)
        try await first.order(1...5)
        let kept = first.statistics.position
        try await first.order(6...8)
        faulty.disconnect()
        try await until { !first.statistics.isConnected }
        log.loseEnd(after: kept)
        var patient = replication
        patient.replicaPatience = .zero
        let second = try await ShopStore.open(log, patient)
        for number in 1...3 {
            try await second.order(number * 100..<number * 100 + 10)
            try await second.checkpoint()
        }
        try await until { try log.connect().status().first > first.statistics.position }
        faulty.reconnect()
        #expect(await first.failure()?.code == .lostEntries)
        #expect(first.snapshot.orders == Array(1...8))
        #expect(second.statistics.failure == nil)
        await first.end()
        await second.end()
    }

    @Test("A replica that continued with a snapshot detects that the log has lost it, like others")
    func lostSnapshot() async throws {
        let faulty = FaultyLog(log)
        var impatient = replication
        (impatient.replicaPatience, impatient.snapshotAtShutdown) = (.zero, false)
        let away = try await ShopStore.open(faulty, impatient)
        faulty.disconnect()
        try await until { !away.statistics.isConnected }
        let first = try await ShopStore.open(log, impatient)
        try await first.order(1...10)
        try await first.checkpoint()
        let kept = first.statistics.position
        try await first.order(11...20)
        try await first.checkpoint()
        try await until { try log.connect().status().first > kept }
        // It reads only the snapshot, and is informed later that it is gone.
        faulty.reconnect()
        await away.reaches { $0.orders.count == 20 }
        faulty.disconnect()
        try await until { !away.statistics.isConnected }
        await first.end()
        log.loseEnd(after: kept)
        let second = try await ShopStore.open(log, impatient)
        for number in 1...2 {
            try await second.order(number * 100..<number * 100 + 20)
            try await second.checkpoint()
        }
        try await until { try log.connect().status().first > away.statistics.position + 1 }
        faulty.reconnect()
        #expect(await away.failure()?.code == .lostEntries)
        #expect(away.snapshot.orders == Array(1...20))
        await away.end()
        await second.end()
    }

    @Test("A position that is used again does not count as the entry that was there: R3")
    func samePosition() async throws {
        let faulty = FaultyLog(log)
        let first = try await ShopStore.open(faulty, replication)
        try await first.order(1...5)
        let kept = first.statistics.position
        try await first.order(6...8)
        faulty.disconnect()
        try await until { !first.statistics.isConnected }
        log.loseEnd(after: kept)
        let second = try await ShopStore.open(log, replication)
        // Its own first entry comes before these.
        try await second.order([666, 667])
        #expect(second.statistics.position == first.statistics.position)
        faulty.reconnect()
        #expect(await first.failure()?.code == .lostEntries)
        #expect(first.snapshot.orders == Array(1...8))
        await first.end()
        await second.end()
    }

    @Test("An entry sent again into its former place does not hide an earlier loss")
    func sameEntryBehindAnother() async throws {
        let faulty = FaultyLog(log)
        let witness = try await ShopStore.open(faulty, replication)
        func entry(_ origin: String, _ order: Int) -> ActionLogEntry {
            ActionLogEntry(
                ActionLogEntry.Identity(origin: origin, number: 1),
                header: #"{"kind":"action","reducer":1,"schema":1}"#,
                payload: Data(#"{"order":{"_0":\#(order)}}"#.utf8)
            )
        }
        let connection = try log.connect()
        try connection.append([entry("gone", 1)])
        try connection.append([entry("again", 2)])
        await witness.reaches { $0.orders == [1, 2] }
        faulty.disconnect()
        try await until { !witness.statistics.isConnected }
        log.loseEnd(after: 1)
        // A replica without a response, and without any known loss.
        try connection.append([entry("other", 3)])
        try connection.append([entry("again", 2)])
        faulty.reconnect()
        #expect(await witness.failure()?.code == .lostEntries)
        await witness.end()
    }

    /// The loss of the log after it has acknowledged an action, and before the replica has read it.
    enum Loss: CaseIterable {
        case end, endAndConnection, endAfterLostAnswer, replacedEnd, replacedAndDeleted
    }

    @Test(
        "A replica ends when its log loses an acknowledged unread action, and no caller waits for it",
        arguments: Loss.allCases
    )
    func unread(loss: Loss) async throws {
        let (faulty, isOver) = (FaultyLog(log), DispatchSemaphore(value: 0))
        let store = try await ShopStore.open(faulty, replication)
        try await store.order(1...3)
        let kept = store.statistics.position
        faulty.failAlways(.read, with: .wait(isOver))
        let reads = faulty.count(of: .read)
        try await until { faulty.count(of: .read) > reads }
        if loss == .endAfterLostAnswer { faulty.fail(.append, with: .lostAnswer(.busy)) }
        let commits = store.statistics.commits
        let dispatch = Task { try await store.dispatch(.order(4)) }
        try await until { store.statistics.commits > commits }
        if loss == .endAndConnection { faulty.disconnect() }
        log.loseEnd(after: kept)
        if loss == .replacedEnd || loss == .replacedAndDeleted {
            var impatient = replication
            impatient.replicaPatience = .zero
            let next = try await ShopStore.open(log, impatient)
            for number in 1...3 where loss == .replacedAndDeleted {
                try await next.order(number * 100..<number * 100 + 10)
                try await next.checkpoint()
            }
            try await next.order(10...20)
            if loss == .replacedAndDeleted { try await until { try log.connect().status().first > kept + 1 } }
            await next.end()
        }
        faulty.failNoMore()
        for _ in 0..<100 { isOver.signal() }
        faulty.reconnect()
        await expect(.lostEntries) { _ = try await dispatch.value }
        #expect(store.statistics.failure?.code == .lostEntries)
        #expect(await store.shutdown(drain: .finishEffects).unwrittenActions == 1)
    }

    @Test("A replica detects the loss of an acknowledged unread action also in a log that others keep busy")
    func unreadInBusyLog() async throws {
        let (faulty, goOn) = (FaultyLog(log), DispatchSemaphore(value: 0))
        let store = try await ShopStore.open(faulty, replication)
        try await store.order(1...3)
        let kept = store.statistics.position
        faulty.failAlways(.read, with: .wait(goOn))
        let reads = faulty.count(of: .read)
        try await until { faulty.count(of: .read) > reads }
        // Its position is unknown.
        faulty.fail(.append, with: .lostAnswer(.busy))
        let commits = store.statistics.commits
        let dispatch = Task { try await store.dispatch(.order(4)) }
        try await until { store.statistics.commits > commits }
        log.loseEnd(after: kept)
        let (next, isDetected) = (try await ShopStore.open(log), CancellationNote())
        // The store never finds the log without a new entry.
        let others = Task {
            let end = ContinuousClock.now + .seconds(30)
            while !isDetected.isNoted, ContinuousClock.now < end {
                try await next.dispatch(.order(5))
                try await Task.sleep(for: .milliseconds(1))
            }
            return isDetected.isNoted
        }
        try await next.readBarrier()
        faulty.failNoMore()
        for _ in 0..<100 { goOn.signal() }
        await expect(.lostEntries) { _ = try await dispatch.value }
        isDetected.note()
        #expect(try await others.value)
        await store.end()
        await next.end()
    }

    @Test(
        "A log that lost its end can be opened without the unreadable entries, for all replicas",
        arguments: [false, true]
    )
    func acceptingLoss(hasSnapshot: Bool) async throws {
        let first = try await ShopStore.open(log)
        try await first.order(1...3)
        // Of the same revision as the entries needed by the others, and before the unreadable ones.
        if hasSnapshot { try await first.checkpoint() }
        // An entry that no program can read.
        let identity = ActionLogEntry.Identity(origin: "strange", number: 1)
        try log.connect().append([
            ActionLogEntry(identity, header: #"{"kind":"action","reducer":1,"schema":1}"#, payload: Data("{".utf8))
        ])
        #expect(await first.failure()?.code == .undecodable)
        await first.shutdown(drain: .finishEffects, within: .seconds(60))
        await expect(.undecodable) { try await ShopStore.open(log) }
        let rescue = try await ShopStore.open(log, ReplicationConfiguration(recovery: .acceptingLoss))
        #expect(rescue.recovery.problems.map(\.code) == [.undecodable])
        try await rescue.order(4...5)
        // The others continue behind what it has skipped.
        let second = try await ShopStore.open(log)
        #expect(second.recovery.problems.isEmpty)
        #expect(second.snapshot.orders == [1, 2, 3, 4, 5])
        await rescue.end()
        await second.end()
    }

    @Test("An opening with losses fails if the snapshot without the unreadable entries cannot be written")
    func unwrittenSnapshotOfALoss() async throws {
        let first = try await ShopStore.open(log, ReplicationConfiguration(snapshotAtShutdown: false))
        try await first.order(1...3)
        await first.end()
        let identities = (1...2).map { ActionLogEntry.Identity(origin: "strange", number: $0) }
        try log.connect().append([
            ActionLogEntry(identities[0], header: "{", payload: Data()),
            ActionLogEntry(
                identities[1],
                header: #"{"kind":"action","reducer":1,"schema":1}"#,
                payload: Data("{".utf8)
            ),
        ])
        let faulty = FaultyLog(log)
        faulty.failAlways(.write, with: .error(.refused))
        let accepting = ReplicationConfiguration(recovery: .acceptingLoss)
        await expect(.refused) { try await ShopStore.open(faulty, accepting) }
        // Passing failures are retried.
        faulty.failAlways(.write, with: nil)
        faulty.fail(.write, with: .error(.full))
        let rescue = try await ShopStore.open(faulty, accepting)
        #expect(rescue.recovery.problems.count == 2)
        let second = try await ShopStore.open(log)
        #expect(second.snapshot.orders == [1, 2, 3])
        await rescue.end()
        await second.end()
    }

    @Test("A replica opened by a cancelled task writes the snapshot without the unreadable entries as well")
    func acceptingLossInCancelledTask() async throws {
        let first = try await ShopStore.open(log, ReplicationConfiguration(snapshotAtShutdown: false))
        try await first.order(1...3)
        await first.end()
        let identity = ActionLogEntry.Identity(origin: "strange", number: 1)
        try log.connect().append([
            ActionLogEntry(identity, header: #"{"kind":"action","reducer":1,"schema":1}"#, payload: Data("{".utf8))
        ])
        let opening = Task { [log] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await ShopStore.open(log, ReplicationConfiguration(recovery: .acceptingLoss))
        }
        let rescue = try await opening.value
        #expect(rescue.statistics.lastProblem == nil)
        let second = try await ShopStore.open(log)
        #expect(second.recovery.problems.isEmpty)
        await rescue.end()
        await second.end()
    }

    @Test("The snapshot of an opening with losses fails if the log can no longer be reached")
    func unreachableDuringAnOpening() async throws {
        let first = try await ShopStore.open(log)
        try await first.order(1...3)
        await first.end()
        let (faulty, goOn) = (FaultyLog(log), DispatchSemaphore(value: 0))
        // With an unreadable snapshot, a checkpoint has to wait for the first entry of the replica.
        faulty.failAlways(.part, with: .error(.damaged))
        faulty.fail(.append, with: .wait(goOn))
        let opening = Task { [replication] in try await ShopStore.open(faulty, replication) }
        try await until { faulty.count(of: .append) == 1 }
        faulty.failAlways(.read, with: .error(.disconnected))
        faulty.failAlways(.wait, with: .error(.disconnected))
        goOn.signal()
        let store = try await opening.value
        #expect(await store.checkpointAfterLoss(patience: .milliseconds(20))?.code == .disconnected)
        faulty.failNoMore()
        #expect(await store.checkpointAfterLoss() == nil)
        await store.end()
    }

    @Test("Interruptions of the log do not end an opening with losses", arguments: [FaultyLog.Call.connect, .status])
    func interruptedOpening(call: FaultyLog.Call) async throws {
        let faulty = FaultyLog(log)
        let store = try await ShopStore.open(faulty, replication)
        try await store.order(1...3)
        faulty.breakConnections()
        faulty.fail(call, with: .error(.disconnected), .error(.disconnected), .error(.disconnected))
        #expect(await store.checkpointAfterLoss() == nil)
        await store.end()
    }

    @Test("The lag of a replica ends if the log loses entries that the replica has not read")
    func unreadLoss() async throws {
        let faulty = FaultyLog(log)
        let stores = try await [
            ShopStore.open(log), .open(faulty, ReplicationConfiguration(replicaPatience: .zero)),
        ]
        try await stores[0].order(1...3)
        try await stores[1].readBarrier()
        faulty.failAlways(.wait, with: .error(.disconnected))
        faulty.failAlways(.read, with: .error(.disconnected))
        try await stores[0].order(4...8)
        try await until { stores[1].statistics.lag == 5 }
        log.loseEnd(after: stores[1].statistics.position)
        try await until { stores[1].statistics.lag == 0 }
        faulty.failNoMore()
        try await stores[1].order([9])
        #expect(stores[1].snapshot.orders == [1, 2, 3, 9])
        await stores[0].end()
        await stores[1].end()
    }

    @Test("A snapshot without a place in the log does not prevent further ones: R7")
    func staleSnapshot() async throws {
        let first = try await ShopStore.open(log)
        try await first.order(1...50)
        #expect(try await first.checkpoint() == 50)
        log.loseEnd(after: 1)
        #expect(await first.failure()?.code == .lostEntries)
        await first.end()
        let second = try await ShopStore.open(log)
        try await second.order(1...20)
        #expect(try await second.checkpoint() == 20)
        let third = try await ShopStore.open(log)
        #expect(third.recovery.snapshotRevision == 20)
        await second.end()
        await third.end()
    }

    @Test("An unknown snapshot in the place of a checkpoint makes it throw")
    func strangeSnapshot() async throws {
        let store = try await ShopStore.open(log)
        try await store.order(1...5)
        let connection = try log.connect()
        #expect(try connection.finish(ActionLogSnapshot(at: try connection.status().end, header: "?", parts: 0)))
        await expect(.refused) { try await store.checkpoint() }
        #expect(store.statistics.snapshotRevision == nil)
        try await store.order([6])
        #expect(try await store.checkpoint() == 6)
        await store.end()
    }

    @Test("A snapshot refused by the log makes a checkpoint throw")
    func refusedSnapshot() async throws {
        let faulty = FaultyLog(log)
        let store = try await ShopStore.open(faulty, replication)
        try await store.order(1...5)
        for call in [FaultyLog.Call.write, .finish] {
            faulty.fail(call, with: .error(.full))
            await expect(.full) { try await store.checkpoint() }
            #expect(store.statistics.lastProblem?.code == .full)
        }
        #expect(store.statistics.snapshotRevision == nil)
        #expect(try await store.checkpoint() == 5)
        #expect(try await store.checkpoint() == 5)
        await store.end()
    }
}
