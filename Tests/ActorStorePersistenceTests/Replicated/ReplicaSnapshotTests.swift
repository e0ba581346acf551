import ActionLogConformance
import ActorStore
import Dispatch
import Foundation
import TestFixtures
import Testing

@testable import ActorStorePersistence

@Suite("Shared snapshots of replicas, and deletions from the log", .timeLimit(.minutes(10)))
struct ReplicaSnapshotTests {
    let log = MemoryLog()

    private var impatient: ReplicationConfiguration {
        ReplicationConfiguration(
            reconnection: RetryPolicy(maxAttempts: .max, backoff: .constant(.milliseconds(1))),
            snapshotAtShutdown: false,
            replicaPatience: .zero
        )
    }

    /// Leaves three snapshots, as a former replica that keeps everything.
    ///
    /// - Returns: The origin of that replica.
    @discardableResult
    private func leaveSnapshots() async throws -> String {
        var replication = impatient
        replication.retention = .everything
        let former = try await ShopStore.open(log, replication)
        try await former.orderWithSnapshots(1...3)
        await former.end()
        return former.replica.writer.origin
    }

    private func revisions() throws -> [UInt64] {
        struct Header: Decodable { let revision: UInt64 }
        return try log.connect().snapshots().map {
            try JSONDecoder().decode(Header.self, from: Data($0.header.utf8)).revision
        }
    }

    @Test("A snapshot that is requested before the first entry of the log was read waits for it")
    func snapshotOfAnEmptyLog() async throws {
        let log = FaultyLog(MemoryLog())
        let goOn = DispatchSemaphore(value: 0)
        // The first read is that of the opening.
        log.fail(.read, number: 2, with: .wait(goOn))
        let store = try await ShopStore.open(log)
        let snapshot = Task { try await store.checkpoint() }
        try await Task.sleep(for: .milliseconds(20))
        goOn.signal()
        #expect(try await snapshot.value == 0)
        #expect(try log.base.connect().snapshots().count == 1)
        await store.end()
    }

    @Test("A snapshot that a server has lost is written again by a checkpoint and by a shutdown")
    func lostSnapshots() async throws {
        var replication = impatient
        let store = try await ShopStore.open(log, replication)
        try await store.order(1...3)
        try await store.checkpoint()
        log.loseNewestSnapshot()
        #expect(try await store.checkpoint() == 3)
        #expect(try revisions() == [3])
        await store.end()
        replication.snapshotAtShutdown = true
        // It does not look by itself.
        replication.replicaPatience = .seconds(3_600)
        let faulty = FaultyLog(log)
        let second = try await ShopStore.open(faulty, replication)
        log.loseNewestSnapshot()
        faulty.fail(.snapshots, with: .error(.busy), .error(.busy))
        await second.end()
        #expect(try revisions() == [3])
    }

    @Test("A checkpoint succeeds if another replica has deleted its entries behind a newer snapshot")
    func overtakenCheckpoint() async throws {
        let slow = FaultyLog(log)
        let goOn = DispatchSemaphore(value: 0)
        var replication = impatient
        replication.retention = .snapshots(1)
        let first = try await ShopStore.open(slow, replication)
        let second = try await ShopStore.open(log, replication)
        try await first.order(1...5)
        slow.fail(.finish, with: .wait(goOn))
        let checkpoint = Task { try await first.checkpoint() }
        try await until { slow.count(of: .finish) == 1 }
        try await second.order(6...9)
        try await second.checkpoint()
        try await until { try log.connect().status().first > 7 }
        goOn.signal()
        #expect(try await checkpoint.value == 9)
        for store in [first, second] { await store.end() }
    }

    @Test("If a snapshot of a replica has no room, what existing snapshots make unnecessary is deleted")
    func room() async throws {
        var replication = impatient
        replication.retention = .everything
        let former = try await ShopStore.open(log, replication)
        for amounts in [1...3, 4...6] {
            try await former.order(amounts)
            try await former.checkpoint()
        }
        await former.end()
        let full = FaultyLog(log)
        full.failAlways(.write, with: .error(.full))
        replication.retention = .snapshots(1)
        let store = try await ShopStore.open(full, replication)
        try await store.order(7...9)
        let error = await #expect(throws: ActionLogError.self) { try await store.checkpoint() }
        #expect(error?.code == .full)
        try await until { try log.connect().snapshots().count == 1 && log.connect().status().first > 6 }
        full.failAlways(.write, with: nil)
        #expect(try await store.checkpoint() == 9)
        await store.end()
    }

    @Test("A replica that lags deletes nothing that it has not reduced, also behind a snapshot of another one")
    func laggingReplica() async throws {
        let slow = FaultyLog(log)
        var replication = impatient
        replication.retention = .snapshots(1)
        let lagging = try await ShopStore.open(slow, replication)
        try await lagging.order(1...3)
        replication.retention = .everything
        let other = try await ShopStore.open(log, replication)
        for call in [.read, .wait] as [FaultyLog.Call] { slow.failAlways(call, with: .error(.disconnected)) }
        slow.breakConnections()
        try await until { !lagging.statistics.isConnected }
        let position = lagging.replica.progress.point.position
        // Its thread waits, and does not look for newer snapshots meanwhile.
        let goOn = DispatchSemaphore(value: 0)
        slow.fail(.write, with: .wait(goOn), .error(.full))
        let checkpoint = Task { try await lagging.checkpoint() }
        try await until { slow.count(of: .write) == 1 }
        try await other.order(4...9)
        try await other.checkpoint()
        goOn.signal()
        let error = await #expect(throws: ActionLogError.self) { try await checkpoint.value }
        #expect(error?.code == .full)
        await lagging.replica.writer.finishRetention()
        #expect(try log.connect().status().first <= position + 1)
        slow.failNoMore()
        try await lagging.readBarrier()
        #expect(lagging.snapshot == other.snapshot)
        for store in [lagging, other] { await store.end() }
    }

    @Test("A snapshot that another replica deletes while it is read back is not damaged")
    func deletedMeanwhile() async throws {
        let slow = FaultyLog(log)
        let goOn = DispatchSemaphore(value: 0)
        let store = try await ShopStore.open(slow, impatient)
        try await store.order(1...3)
        slow.fail(.part, with: .wait(goOn))
        try await store.checkpoint()
        try await until { slow.count(of: .part) == 1 }
        let other = try await ShopStore.open(log, impatient)
        try await other.order(4...6)
        try await other.checkpoint()
        let connection = try log.connect()
        let newest = try #require(try connection.snapshots().first).point.position
        while try connection.trim(through: newest) {}
        goOn.signal()
        await store.replica.writer.finishRetention()
        #expect(store.statistics.lastProblem == nil)
        for store in [store, other] { await store.end() }
    }

    @Test("One replica makes a snapshot after a number of actions, from any replica")
    func automatic() async throws {
        let replication = ReplicationConfiguration(snapshots: SnapshotInterval(actions: 50), snapshotAtShutdown: false)
        let stores = try await [ShopStore.open(log, replication), .open(log, replication)]
        try await stores[0].order(1...40)
        try await stores[1].order(41...60)
        try await until { try revisions() == [50] }
        try await stores[0].order(61...100)
        try await until { try revisions() == [100, 50] }
        for store in stores { await store.end() }
        #expect(try revisions() == [100, 50])
    }

    @Test("The holder of a lease makes the snapshots")
    func byTheHolder() async throws {
        let replication = ReplicationConfiguration(
            effects: .leaseHolder(lasting: .seconds(600)),
            snapshots: SnapshotInterval(actions: 20),
            snapshotAtShutdown: false
        )
        let log = FaultyLog(log)
        let other = FaultyLog(self.log)
        let first = try await ShopStore.open(log, replication)
        try await until { first.lease != nil && first.effectsHolder.snapshot?.token == first.lease?.token }
        let second = try await ShopStore.open(other, replication)
        try await second.order(1...50)
        try await until { try revisions().first == 40 || revisions().first == 20 }
        #expect(log.count(of: .finish) > 0)
        #expect(other.count(of: .finish) == 0)
        for store in [first, second] { await store.end() }
    }

    @Test("A snapshot is due after a number of bytes as well")
    func bytes() async throws {
        let replication = ReplicationConfiguration(
            snapshots: SnapshotInterval(actions: .max, bytes: 2_000),
            snapshotAtShutdown: false
        )
        let store = try await ShopStore.open(log, replication)
        try await store.order(1...100)
        try await until { try !revisions().isEmpty }
        await store.end()
    }

    @Test("A snapshot does not replace a newer one, and a checkpoint returns the existing one")
    func newer() async throws {
        let stores = try await [ShopStore.open(log), .open(log)]
        try await stores[0].order(1...10)
        try await stores[1].readBarrier()
        #expect(try await stores[0].checkpoint() == 10)
        #expect(try await stores[1].checkpoint() == 10)
        #expect(try revisions() == [10])
        for store in stores { await store.end() }
    }

    @Test("A replica that was away reads the next snapshot if one is replaced during the read")
    func replacedSnapshot() async throws {
        let faulty = FaultyLog(log)
        var replication = impatient
        replication.retention = .snapshots(1)
        let away = try await ShopStore.open(faulty, replication)
        faulty.disconnect()
        try await until { !away.statistics.isConnected }
        let store = try await ShopStore.open(log, replication)
        func makeSnapshot(of orders: ClosedRange<Int>) async throws {
            try await store.order(orders)
            try await store.checkpoint()
            try await until { try log.connect().status().first > store.statistics.position }
        }
        try await makeSnapshot(of: 1...10)
        let goOn = DispatchSemaphore(value: 0)
        faulty.failAlways(.part, with: .wait(goOn))
        faulty.reconnect()
        try await until { faulty.count(of: .part) > 0 }
        try await makeSnapshot(of: 11...20)
        faulty.failNoMore()
        goOn.signal()
        await away.reaches { $0.orders == Array(1...20) }
        try await store.order([21])
        try await away.readBarrier()
        #expect(away.snapshot == store.snapshot)
        #expect(away.statistics.failure == nil)
        await away.end()
        await store.end()
    }

    @Test("Entries that a present replica has not reduced are not deleted")
    func slowReplicas() async throws {
        var replication = impatient
        replication.replicaPatience = .seconds(3_600)
        let store = try await ShopStore.open(log, replication)
        try await store.order(1...10)
        let position = store.statistics.position
        let connection = try log.connect()
        for checkpoint in 1...3 {
            try connection.report(ReplicaPresence(origin: "slow", position: position))
            try await store.order(checkpoint * 100..<checkpoint * 100 + 20)
            try await store.checkpoint()
        }
        try await until { try connection.status().first == position + 1 }
        #expect(try connection.snapshots().count == 3)
        // One with a shorter timeout does not wait for it.
        let other = try await ShopStore.open(log, impatient)
        try await other.order([1])
        try await other.checkpoint()
        try await until { try connection.status().first > position + 40 }
        for store in [store, other] { await store.end() }
    }

    @Test("Replicas that live for less than an interval still delete what their snapshots make obsolete")
    func shortLives() async throws {
        for life in 1...4 {
            let store = try await ShopStore.open(log, ReplicationConfiguration(replicaPatience: .zero))
            try await store.order(life * 10..<life * 10 + 10)
            #expect(await store.shutdown(drain: .finishEffects).isComplete)
            // The oldest of the two kept snapshots is that of the previous life.
            #expect(try log.connect().status().first > UInt64(max(life - 1, 0)) * 10)
        }
        #expect(try revisions() == [40, 30])
    }

    @Test("A shutdown waits until what a checkpoint makes obsolete is deleted")
    func checkpointBeforeShutdown() async throws {
        let faulty = FaultyLog(log)
        faulty.failAlways(.part, with: .delay(.milliseconds(20)))
        for life in 1...4 {
            let store = try await ShopStore.open(faulty, ReplicationConfiguration(replicaPatience: .zero))
            try await store.order(life * 10..<life * 10 + 10)
            try await store.checkpoint()
            #expect(await store.shutdown(drain: .finishEffects).isComplete)
            #expect(try log.connect().status().first > UInt64(max(life - 1, 0)) * 10)
        }
        #expect(try revisions() == [40, 30])
    }

    @Test("Actions without room are appended when a replica that needs the entries has ended, or a deletion succeeds")
    func roomForActions() async throws {
        let faulty = FaultyLog(log)
        var replication = impatient
        replication.replicaPatience = .milliseconds(500)
        let store = try await ShopStore.open(faulty, replication)
        let connection = try log.connect()
        try connection.report(ReplicaPresence(origin: "ended", position: 1))
        try await store.orderWithSnapshots(1...3)
        await store.replica.writer.finishRetention()
        #expect(try connection.snapshots().count == 3)
        faulty.failAlways(.append, with: .error(.full))
        faulty.fail(.trim, with: .error(.busy))
        faulty.fail(.presences, with: .error(.busy))
        let order = Task { try await store.order([4]) }
        // At least a millisecond for each attempt.
        try await until { try connection.snapshots().count == 2 || faulty.count(of: .append) > 3_000 }
        #expect(try connection.snapshots().count == 2)
        faulty.failNoMore()
        try await order.value
        await store.end()
    }

    @Test("A replica is opened in the room of what snapshots make unnecessary, if no other replica needs it")
    func roomForAnOpening() async throws {
        var replication = impatient
        try await leaveSnapshots()
        let (faulty, connection) = (FaultyLog(log), try log.connect())
        replication.retention = .snapshots(9)
        faulty.fail(.append, with: .error(.full))
        // Old parts of unfinished snapshots.
        let another = try await ShopStore.open(faulty, replication)
        #expect(faulty.count(of: .trim) == 1)
        #expect(try connection.snapshots().count == 3)
        await another.end()
        replication.retention = .snapshots(1)
        replication.replicaPatience = .seconds(3_600)
        try connection.report(ReplicaPresence(origin: "slow", position: 1))
        faulty.failAlways(.append, with: .error(.full))
        await expect(.full) { try await ShopStore.open(faulty, replication) }
        #expect(try connection.snapshots().count == 3)
        faulty.failNoMore()
        faulty.fail(.append, with: .error(.full))
        replication.replicaPatience = .zero
        let store = try await ShopStore.open(faulty, replication)
        #expect(try revisions() == [3])
        await store.end()
    }

    @Test("A snapshot that was lost and written again is read back before anything is deleted behind it")
    func snapshotOfTheSamePosition() async throws {
        let faulty = FaultyLog(log)
        var replication = impatient
        replication.retention = .snapshots(1)
        let store = try await ShopStore.open(faulty, replication)
        try await store.order(1...3)
        faulty.failAlways(.trim, with: .error(.busy))
        try await store.checkpoint()
        await store.replica.writer.finishRetention()
        faulty.failNoMore()
        log.loseNewestSnapshot()
        faulty.failAlways(.part, with: .error(.damaged))
        try await store.checkpoint()
        await store.replica.writer.finishRetention()
        #expect(try log.connect().status().first == 1)
        await store.end()
    }

    @Test("A deletion for actions that fails for the moment is repeated at once")
    func repeatedDeletion() async throws {
        let faulty = FaultyLog(log)
        var replication = impatient
        replication.replicaPatience = .seconds(3_600)
        let former = try await leaveSnapshots()
        replication.retention = .snapshots(1)
        let store = try await ShopStore.open(faulty, replication)
        // That of the former replica.
        try log.connect().report(ReplicaPresence(origin: former, position: 1_000))
        let connection = try log.connect()
        faulty.failAlways(.append, with: .error(.full))
        for call in [.trim, .presences] as [FaultyLog.Call] { faulty.fail(call, with: .error(.busy)) }
        let order = Task { try await store.order([4]) }
        // Without pause, within much less than the interval of five seconds.
        try await until { try connection.snapshots().count == 1 || faulty.count(of: .append) > 1_000 }
        #expect(try connection.snapshots().count == 1)
        faulty.failNoMore()
        try await order.value
        await store.end()
    }

    @Test("Nothing is deleted if so configured")
    func everything() async throws {
        var replication = impatient
        replication.retention = .everything
        let store = try await ShopStore.open(log, replication)
        try await store.orderWithSnapshots(1...4)
        #expect(try log.connect().status().first == 1)
        #expect(try revisions() == [4, 3, 2, 1])
        await store.end()
    }

    @Test("A replica that keeps everything trims parts of unfinished snapshots after a snapshot")
    func unfinishedSnapshots() async throws {
        let faulty = FaultyLog(log)
        var replication = impatient
        replication.retention = .everything
        let replica = try await ShopStore.open(faulty, replication)
        try await replica.order(1...3)
        try await replica.checkpoint()
        await replica.end()
        #expect(faulty.count(of: .trim) == 1)
        #expect(try log.connect().status().first == 1)
    }

    /// Opens a replica for which the newest snapshot is unreadable, and which cannot read its first entry before a
    /// semaphore is signalled.
    private func openBehindUnreadable(
        _ reads: DispatchSemaphore,
        _ replication: ReplicationConfiguration
    ) async throws -> ShopStore {
        let first = try await ShopStore.open(log, impatient)
        try await first.order(1...5)
        try await first.checkpoint()
        try await first.order(6...10)
        try await first.checkpoint()
        await first.end()
        let (faulty, opens) = (FaultyLog(log), DispatchSemaphore(value: 0))
        faulty.fail(.part, with: .error(.damaged))
        faulty.fail(.append, with: .wait(opens))
        let opening = Task { try await ShopStore.open(faulty, replication) }
        try await until { faulty.count(of: .append) == 1 }
        faulty.failAlways(.read, with: .wait(reads))
        opens.signal()
        return try await opening.value
    }

    @Test("A checkpoint and a shutdown end if the log has lost the first entry of the replica")
    func lostFirstEntry() async throws {
        let reads = DispatchSemaphore(value: 0)
        let position = UInt64(11)
        let store = try await openBehindUnreadable(reads, ReplicationConfiguration())
        log.loseEnd(after: position)
        reads.signal()
        await expect(.refused) { try await store.checkpoint() }
        let report = await store.shutdown(drain: .finishEffects)
        #expect(report.unwrittenActions == 0)
        // The unreadable one is still the newest.
        #expect(try revisions() == [10, 5])
        #expect(try log.connect().status().end.position == position)
    }

    @Test("A checkpoint is refused where the log has a snapshot of an earlier revision, whatever has failed before")
    func earlierRevision() async throws {
        let faulty = FaultyLog(log)
        let store = try await ShopStore.open(faulty, ReplicationConfiguration())
        try await store.order(1...5)
        try await store.checkpoint()
        try await store.order([6])
        faulty.fail(.write, with: .error(.full))
        await expect(.full) { try await store.checkpoint() }
        // As of a replica that has accepted losses.
        let connection = try log.connect()
        let header = try #require(try connection.snapshots().first).header
        let earlier = header.replacingOccurrences(of: "\"revision\":5", with: "\"revision\":3")
        #expect(try connection.finish(ActionLogSnapshot(at: try connection.status().end, header: earlier, parts: 0)))
        await expect(.refused) { try await store.checkpoint() }
        let finishes = faulty.count(of: .finish)
        await store.shutdown(drain: .finishEffects)
        #expect(faulty.count(of: .finish) == finishes + 1)
    }

    @Test("A checkpoint and a shutdown replace the newest snapshot if it is unreadable", arguments: [false, true])
    func unreadableSnapshot(isShutdown: Bool) async throws {
        let reads = DispatchSemaphore(value: 0)
        var replication = impatient
        replication.snapshotAtShutdown = isShutdown
        let second = try await openBehindUnreadable(reads, replication)
        #expect(second.recovery.snapshotRevision == 5)
        #expect(second.recovery.problems.map(\.code) == [.damaged])
        #expect(second.statistics.snapshotRevision == 5)
        let checkpoint = Task { try await isShutdown ? 10 : second.checkpoint() }
        let end = Task {
            _ = await checkpoint.result
            await second.shutdown(drain: .finishEffects)
        }
        await letOtherTasksRun()
        reads.signal()
        #expect(try await checkpoint.value == 10)
        await end.value
        #expect(try revisions().prefix(2) == [10, 10])
    }

    @Test("Nothing is deleted behind a snapshot that cannot be read back")
    func readBack() async throws {
        let faulty = FaultyLog(log)
        let store = try await ShopStore.open(faulty, impatient)
        faulty.failAlways(.part, with: .error(.damaged))
        try await store.orderWithSnapshots(1...4)
        try await until { faulty.count(of: .part) >= 4 }
        #expect(try log.connect().status().first == 1)
        faulty.failAlways(.part, with: nil)
        try await store.order([5])
        try await store.checkpoint()
        try await until { try log.connect().status().first > 1 }
        await store.end()
    }

    @Test("A replica that was away while entries were deleted continues with the newest snapshot")
    func awayForLong() async throws {
        let faulty = FaultyLog(log)
        let stores = try await [ShopStore.open(log, impatient), .open(faulty, impatient)]
        try await stores[0].order(1...5)
        try await stores[1].readBarrier()
        faulty.disconnect()
        try await until { !stores[1].statistics.isConnected }
        stores[1].send(.order(-1))
        for checkpoint in 1...3 {
            try await stores[0].order(checkpoint * 100..<checkpoint * 100 + 25)
            try await stores[0].checkpoint()
        }
        try await until { try log.connect().status().first > stores[1].statistics.position + 1 }
        #expect(stores[1].snapshot.orders.count == 5)
        faulty.reconnect()
        for store in stores { await store.reaches { $0.orders.last == -1 } }
        #expect(stores[0].snapshot == stores[1].snapshot)
        #expect(stores.map(\.revision) == [81, 81])
        #expect(stores.allSatisfy { $0.statistics.failure == nil })
        for store in stores { await store.end() }
    }

    @Test("A replica that accepted losses at its opening skips nothing afterwards that the others have")
    func awayWithoutSnapshot() async throws {
        let faulty = FaultyLog(log)
        var accepting = impatient
        accepting.recovery = .acceptingLoss
        let stores = try await [ShopStore.open(log, impatient), .open(faulty, accepting)]
        try await stores[0].order(1...5)
        try await stores[1].readBarrier()
        faulty.disconnect()
        try await until { !stores[1].statistics.isConnected }
        for checkpoint in 1...3 {
            try await stores[0].order([checkpoint])
            try await stores[0].checkpoint()
        }
        try await until { try log.connect().status().first > stores[1].statistics.position + 1 }
        faulty.failAlways(.part, with: .error(.damaged))
        faulty.reconnect()
        #expect(await stores[1].failure()?.code == .trimmed)
        #expect(stores[1].snapshot.orders == Array(1...5))
        for store in stores { await store.end() }
    }

    @Test("The outcome of an action that this replica has not reduced itself is reported as far as it is known")
    func missedOutcomes() async throws {
        let faulty = FaultyLog(log)
        let stores = try await [ShopStore.open(log, impatient), .open(faulty, impatient)]
        // The follower is suspended, and the writer is not.
        let goOn = DispatchSemaphore(value: 0)
        for call in [FaultyLog.Call.wait, .read] { faulty.failAlways(call, with: .wait(goOn)) }
        let place = Task { try await stores[1].ask(Shop.Queue(order: -1)) }
        await stores[0].reaches { $0.orders.last == -1 }
        let dispatch = Task { try await stores[1].dispatch(.order(-2)) }
        await stores[0].reaches { $0.orders.last == -2 }
        let expected = Task { try await stores[1].dispatch(.order(-3), expecting: 2) }
        await stores[0].reaches { $0.orders.last == -3 }
        let performed = Task { try await stores[1].perform(.order(-4)) }
        await stores[0].reaches { $0.orders.last == -4 }
        let ofInnerStore = Task { try await stores[1].store.perform(.order(-5)) }
        await stores[0].reaches { $0.orders.last == -5 }
        for number in 1...3 {
            try await stores[0].order([number])
            try await stores[0].checkpoint()
        }
        try await until { try log.connect().status().first > 7 }
        for call in [FaultyLog.Call.wait, .read] { faulty.failAlways(call, with: nil) }
        goOn.signal()
        await expect(.unknownOutcome) { try await place.value }
        await expect(.unknownOutcome) { try await expected.value }
        _ = try await dispatch.value
        // Its effects have not run.
        for performed in [performed, ofInnerStore] { await expect(.unknownOutcome) { try await performed.value } }
        #expect(stores[1].snapshot.orders.prefix(5) == [-1, -2, -3, -4, -5])
        for store in stores { await store.end() }
    }

    @Test("An unreadable snapshot is skipped for the previous one, or for the whole log")
    func broken() async throws {
        var replication = impatient
        replication.retention = .everything
        let store = try await ShopStore.open(log, replication)
        try await store.orderWithSnapshots(1...4)
        let faulty = FaultyLog(log)
        faulty.fail(.part, with: .error(.damaged))
        let second = try await ShopStore.open(faulty)
        #expect(second.snapshot.orders == [1, 2, 3, 4])
        #expect(second.recovery.snapshotRevision == 3)
        faulty.failAlways(.part, with: .error(.damaged))
        let third = try await ShopStore.open(faulty)
        #expect(third.snapshot.orders == [1, 2, 3, 4])
        #expect(third.recovery.snapshotRevision == nil)
        // Without the beginning of the log there is nothing to begin with.
        _ = try log.connect().trim(through: 3)
        await expect(.trimmed) { try await ShopStore.open(faulty) }
        for store in [store, second, third] { await store.end() }
    }

    @Test(
        "A snapshot with invalid numbers, or of another place, is skipped",
        arguments: [(#""revision":2"#, #""revision":18446744073709551615"#), (#""position":3"#, #""position":2"#)]
    )
    func strangeSnapshot(original: String, changed: String) async throws {
        let store = try await ShopStore.open(log)
        try await store.order(1...2)
        try await store.checkpoint()
        let connection = try log.connect()
        let snapshot = try #require(try connection.snapshots().first)
        let account = String(decoding: try #require(try connection.part(0, of: snapshot)), as: UTF8.self)
        let strange = account.replacingOccurrences(of: original, with: changed)
        #expect(strange != account)
        try connection.write(Data(strange.utf8), 0, of: snapshot)
        let second = try await ShopStore.open(log)
        #expect(second.snapshot.orders == [1, 2])
        #expect(second.revision == 2)
        #expect(second.recovery.problems.map(\.code) == [.damaged])
        for store in [store, second] { await store.end() }
    }
}

extension ShopStore {
    /// Writes a snapshot after each order.
    fileprivate func orderWithSnapshots(_ numbers: ClosedRange<Int>) async throws {
        for number in numbers {
            try await order([number])
            try await checkpoint()
        }
    }
}
