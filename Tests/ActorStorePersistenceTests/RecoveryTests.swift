import ActionLogConformance
import ActorStore
import Dispatch
import Foundation
import Testing

@testable import ActorStorePersistence

@Suite("Recovery", .timeLimit(.minutes(10)))
struct RecoveryTests {
    /// A log with the amounts up to `count`, and with no entries before a snapshot at its end.
    private func compacted(_ count: Int) async throws -> MemoryLog {
        let log = MemoryLog()
        let store = try await LedgerStore.open(log)
        try await store.book(1...count)
        try await store.compact(keepingSnapshots: 1)
        await store.end()
        return log
    }

    @Test("A recovery stops when its only snapshot is unreadable and the actions before it were deleted")
    func unreadableSnapshot() async throws {
        let log = FaultyLog(try await compacted(100))
        log.failAlways(.part, with: .error(.damaged))
        await expect(.trimmed) { try await LedgerStore.open(log) }
        log.failNoMore()
        // The next release, without a migration from the older one.
        let next = DurabilityConfiguration(schema: StateSchema(version: 2))
        await expect(.unknownSchema) { try await LedgerStore.open(log, next) }
        // Nothing has been changed by that.
        let again = try await LedgerStore.open(log)
        #expect(again.snapshot.amounts == Array(1...100))
        await again.end()
    }

    @Test("A snapshot that a server has lost is written again by a checkpoint and by a shutdown")
    func lostSnapshots() async throws {
        let log = MemoryLog()
        let faulty = FaultyLog(log)
        let durability = DurabilityConfiguration(retention: .snapshots(2))
        let store = try await LedgerStore.open(faulty, durability)
        try await store.bookWithSnapshots(1...3)
        log.loseNewestSnapshot()
        #expect(try await store.checkpoint() == 3)
        #expect(try log.connect().snapshots().first?.point == log.connect().status().end)
        await store.log.writer.finishRetention(store.log)
        log.loseNewestSnapshot()
        faulty.fail(.snapshots, with: .error(.busy), .error(.busy))
        #expect(await store.end().isComplete)
        #expect(try log.connect().snapshots().first?.point == log.connect().status().end)
    }

    @Test("A snapshot that the log cannot be asked for at a shutdown does not count as written")
    func unknownSnapshot() async throws {
        let log = FaultyLog(MemoryLog())
        var durability = DurabilityConfiguration()
        durability.retryLimit = .milliseconds(20)
        let store = try await LedgerStore.open(log, durability)
        try await store.bookWithSnapshots(1...2)
        log.failAlways(.snapshots, with: .error(.busy))
        for _ in 1...2 {
            #expect(await store.end().isComplete)
            #expect(store.statistics.snapshotRevision == nil)
            #expect(store.statistics.lastProblem?.code == .busy)
        }
    }

    @Test("A lost snapshot behind a recovery with losses is written again, whatever older ones there are")
    func lostSnapshotBehindLosses() async throws {
        let memory = MemoryLog()
        let log = FaultyLog(memory)
        var durability = DurabilityConfiguration(snapshotAtShutdown: false)
        let first = try await LedgerStore.open(log, durability)
        try await first.bookWithSnapshots(1...2)
        try await first.book(3...4)
        await first.end()
        // The two snapshots are of revisions 1 and 2, and the last entry is unreadable.
        let connection = try memory.connect()
        let end = try connection.status().end
        let entry = try #require(try connection.read(after: end.position - 1, atMost: 1).first)
        let number = entry.identity.number + 1
        let broken = ActionLogEntry(
            ActionLogEntry.Identity(origin: entry.identity.origin, number: number),
            header: "{",
            payload: Data()
        )
        try connection.append([broken], if: AppendCondition(.end(end)))
        durability.recovery = .acceptingLoss
        let second = try await LedgerStore.open(log, durability)
        try await until { second.statistics.snapshotRevision == second.revision }
        memory.loseNewestSnapshot()
        // As a service does whose run() follows the end of the store.
        for _ in 1...2 {
            #expect(await second.end().isComplete)
            #expect(second.statistics.snapshotRevision == second.revision)
        }
        durability.recovery = .strict
        let third = try await LedgerStore.open(log, durability)
        #expect(third.snapshot.amounts == [1, 2, 3, 4])
        await third.end()
    }

    @Test("A compaction deletes nothing if its snapshot cannot be read back, although older ones can")
    func compactionBehindUnreadable() async throws {
        let memory = MemoryLog()
        let log = FaultyLog(memory)
        let first = try await LedgerStore.open(log)
        try await first.bookWithSnapshots(1...2)
        await first.end()
        let store = try await LedgerStore.open(log)
        try await store.dispatch(.book(3))
        log.failAlways(.part, with: .error(.damaged))
        await expect(.damaged) { try await store.compact(keepingSnapshots: 1) }
        await store.log.writer.finishRetention(store.log)
        #expect(try memory.connect().status().first == 1)
        #expect(try memory.connect().snapshots().count == 3)
        await store.end()
    }

    @Test("A lease's renewal finds that a server has lost the newest snapshot")
    func noticedLoss() async throws {
        let memory = MemoryLog()
        let log = FaultyLog(memory)
        var durability = DurabilityConfiguration(snapshotAtShutdown: false)
        durability.leaseDuration = .milliseconds(30)
        let store = try await LedgerStore.open(log, durability)
        try await store.bookWithSnapshots(1...2)
        #expect(store.statistics.snapshotRevision == 2)
        for revision in [1, nil] as [UInt64?] {
            memory.loseNewestSnapshot()
            log.breakConnections()
            let renewals = log.count(of: .claim)
            try await until { log.count(of: .claim) > renewals + 3 }
            #expect(store.statistics.snapshotRevision == revision)
        }
        #expect(store.statistics.snapshotAge == nil)
        await store.end()
    }

    @Test("A store that continues without an unreadable snapshot loses no action that it acknowledges afterwards")
    func acceptedLoss() async throws {
        let log = FaultyLog(try await compacted(100))
        var durability = DurabilityConfiguration(
            snapshots: SnapshotInterval(actions: 10),
            retention: .snapshots(1),
            recovery: .acceptingLoss
        )
        log.failAlways(.part, with: .error(.damaged))
        let second = try await LedgerStore.open(log, durability)
        log.failNoMore()
        #expect(second.snapshot.amounts == [])
        #expect(second.recovery.problems.map(\.code) == [.damaged, .trimmed])
        try await second.book(1_001...1_055)
        try await second.checkpoint()
        try await second.dispatch(.book(2_000))
        await second.end()
        durability.recovery = .strict
        let third = try await LedgerStore.open(log, durability)
        #expect(third.snapshot.amounts == Array(1_001...1_055) + [2_000])
        await third.end()
    }

    @Test("Retention deletes nothing for a snapshot that cannot be read back")
    func unverifiedSnapshot() async throws {
        let memory = MemoryLog()
        let log = FaultyLog(memory)
        let durability = DurabilityConfiguration(snapshotAtShutdown: false, retention: .snapshots(1))
        let store = try await LedgerStore.open(log, durability)
        try await store.book(1...10)
        log.failAlways(.part, with: .error(.damaged))
        try await store.checkpoint()
        try await until { store.statistics.lastProblem?.code == .damaged }
        try await store.book(11...20)
        await expect(.damaged) { try await store.compact(keepingSnapshots: 1) }
        #expect(try memory.connect().status().first == 1)
        log.failAlways(.part, with: nil)
        try await store.dispatch(.book(21))
        try await store.checkpoint()
        try await until { (try? memory.connect().status().first).map { $0 > 10 } == true }
        await store.end()
    }

    @Test("An unreadable snapshot does not count as one behind which entries are deleted")
    func uncountedSnapshot() async throws {
        let memory = MemoryLog()
        let log = FaultyLog(memory)
        var durability = DurabilityConfiguration(snapshotAtShutdown: false, retention: .everything)
        let first = try await LedgerStore.open(log, durability)
        try await first.bookWithSnapshots(1...2)
        await first.end()
        durability.retention = .snapshots(2)
        let oldest = try #require(try memory.connect().snapshots().last)
        log.fail(.part, with: .error(.damaged))
        let second = try await LedgerStore.open(log, durability)
        #expect(second.recovery.snapshotRevision == 1)
        // Behind the two parts of the next snapshot.
        log.fail(.part, number: log.count(of: .part) + 3, with: .error(.damaged))
        try await second.dispatch(.book(3))
        try await second.checkpoint()
        await second.log.writer.finishRetention(second.log)
        await second.end()
        #expect(try memory.connect().snapshots().last == oldest)
        #expect(try memory.connect().status().first == oldest.point.position + 1)
    }

    @Test("However many snapshots are written while one is read back, one read-back runs at a time")
    func slowVerification() async throws {
        let memory = MemoryLog()
        let log = FaultyLog(memory)
        let durability = DurabilityConfiguration(snapshotAtShutdown: false, retention: .snapshots(2))
        let store = try await LedgerStore.open(log, durability)
        let goOn = DispatchSemaphore(value: 0)
        log.failAlways(.part, with: .wait(goOn))
        for amount in 1...10 {
            try await store.dispatch(.book(amount))
            try await store.checkpoint()
            try await until { log.count(of: .part) > 0 }
        }
        #expect(log.count(of: .part) == 1)
        goOn.signal()
        await store.log.writer.finishRetention(store.log)
        // The first and the two newest ones, each of two parts.
        #expect(log.count(of: .part) == 6)
        #expect(try memory.connect().snapshots().count == 2)
        await store.end()
    }

    @Test("A read-back counts the snapshots that exist, whatever was read before")
    func existingSnapshots() async throws {
        let log = MemoryLog()
        let store = try await LedgerStore.open(log)
        try await store.bookWithSnapshots(1...3)
        let connection = try log.connect()
        let snapshots = try connection.snapshots()
        var known = RetainedSnapshots(.snapshots(1))
        // One that a server has lost, another one of its position, and one that exists.
        let lost = ActionLogSnapshot(at: snapshots[0].point, header: "{}", parts: 1)
        known.replace(with: [lost, snapshots[2]])
        let read = try connection.readBack(Ledger.State.self, newest: 1, except: known, coding: store.log.coding)
        #expect(read.snapshots == [snapshots[0], snapshots[2]])
        #expect(read.problem == nil)
        await store.end()
    }

    @Test("A compaction forgets the snapshots that it deletes")
    func forgottenSnapshots() async throws {
        let log = MemoryLog()
        let store = try await LedgerStore.open(log)
        try await store.bookWithSnapshots(1...3)
        let snapshots = try log.connect().snapshots()
        try await store.compact(keepingSnapshots: 3)
        let writer = store.log.writer
        for snapshot in snapshots { #expect(await writer.upload.retained.contains(snapshot)) }
        try await store.compact(keepingSnapshots: 1)
        #expect(await writer.upload.retained.contains(snapshots[0]))
        for snapshot in snapshots.dropFirst() { #expect(await !writer.upload.retained.contains(snapshot)) }
        await store.end()
    }

    @Test("A compaction ignores a snapshot that is deleted before it is read back")
    func compactionBesideAnother() async throws {
        let memory = MemoryLog()
        let log = FaultyLog(memory)
        let store = try await LedgerStore.open(log)
        try await store.bookWithSnapshots(1...2)
        let goOn = DispatchSemaphore(value: 0)
        log.fail(.part, with: .wait(goOn))
        let compaction = Task { try await store.compact(keepingSnapshots: 2) }
        try await until { log.count(of: .part) == 1 }
        let connection = try memory.connect()
        while try connection.trim(through: connection.snapshots()[0].point.position) {}
        goOn.signal()
        try await compaction.value
        #expect(try connection.snapshots().count == 1)
        await store.end()
    }

    @Test("Snapshots are made under any load, and delay nothing for longer than a part of one")
    func snapshotsUnderLoad() async throws {
        let log = MemoryLog()
        let durability = DurabilityConfiguration(snapshots: SnapshotInterval(actions: 200), retention: .everything)
        let store = try await LedgerStore.open(log, durability)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    // As many as a busy machine needs for three snapshots; a hundred are due in time.
                    for number in 0..<2_500 {
                        if number.isMultiple(of: 100), try log.connect().snapshots().count >= 3 { return }
                        try await store.dispatch(.book(task * 10_000 + number))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try log.connect().snapshots().count >= 3)
        await store.end()
    }

    @Test("A snapshot is finished although there are always further actions to write")
    func snapshotAmongActions() async throws {
        let log = FaultyLog(MemoryLog())
        let store = try await LedgerStore.open(log, DurabilityConfiguration(snapshots: SnapshotInterval(actions: 1)))
        // While a group is in flight the next action comes, so that the writer always has something to write.
        var goOn = DispatchSemaphore(value: 0)
        let before = log.count(of: .append)
        log.fail(.append, with: .wait(goOn))
        store.send(.book(1))
        var number = 1
        // The thread that encodes the snapshot may wait for a processor for long.
        let limit = ContinuousClock.now + .seconds(300)
        while log.count(of: .finish) == 0, ContinuousClock.now < limit {
            try await until { log.count(of: .append) == before + number }
            number += 1
            let next = DispatchSemaphore(value: 0)
            log.fail(.append, with: .wait(next))
            store.send(.book(number))
            try await until { store.revision == UInt64(number) }
            goOn.signal()
            goOn = next
        }
        #expect(log.count(of: .finish) > 0)
        goOn.signal()
        await store.end()
    }

    @Test("A log that lost its end is detected by the writing store before anything is built on it")
    func lostEnd() async throws {
        let log = MemoryLog()
        let store = try await LedgerStore.open(log)
        try await store.book(1...8)
        log.loseEnd(after: 5)
        await expect(.lostEntries) { try await store.dispatch(.book(9)) }
        #expect(store.statistics.failure?.code == .lostEntries)
        await store.end()
        let next = try await LedgerStore.open(log)
        #expect(next.snapshot.amounts == Array(1...4))
        try await next.dispatch(.book(10))
        await next.end()
    }

    @Test("A recovery detects that its reducer makes other states of the same actions")
    func divergence() async throws {
        let log = MemoryLog()
        var durability = DurabilityConfiguration(snapshotAtShutdown: false, digestInterval: 5)
        let store = try await LedgerStore.open(log, durability)
        try await store.book(1...12)
        // The digest is computed beside the store.
        try await until { (try? log.connect().read(after: 0, atMost: .max).filter { $0.payload.isEmpty }.count) == 3 }
        await store.end()
        await expect(.diverged) { try await LedgerStore.open(log, durability, Ledger(factor: 2)) }
        let same = try await LedgerStore.open(log, durability)
        #expect(same.snapshot.amounts == Array(1...12))
        await same.end()
        durability.digestInterval = nil
        let unchecked = try await LedgerStore.open(log, durability, Ledger(factor: 2))
        #expect(unchecked.snapshot.amounts.first == 2)
        await unchecked.end()
    }

    @Test("The digest of a state with another schema is not compared with a migrated state")
    func digestOfOtherSchema() async throws {
        let log = MemoryLog()
        var durability = DurabilityConfiguration(snapshotAtShutdown: false, digestInterval: 5)
        let store = try await LedgerStore.open(log, durability)
        try await store.book(1...12)
        try await until { (try? log.connect().read(after: 0, atMost: .max).filter { $0.payload.isEmpty }.count) == 3 }
        await store.end()
        durability.schema = StateSchema(version: 2) { _, data in
            guard case .book(let amount) = try JSONDecoder().decode(Ledger.Action.self, from: data) else { return data }
            return try JSONEncoder().encode(Ledger.Action.book(amount * 10))
        }
        let next = try await LedgerStore.open(log, durability)
        #expect(next.snapshot.amounts == (1...12).map { $0 * 10 })
        try await next.book(13...20)
        try await until { (try? log.connect().read(after: 0, atMost: .max).filter { $0.payload.isEmpty }.count) == 6 }
        await next.end()
        await expect(.diverged) { try await LedgerStore.open(log, durability, Ledger(factor: 2)) }
    }

    @Test("A reducer of another version does not reduce older actions, and continues from a later snapshot")
    func reducerVersions() async throws {
        let log = MemoryLog()
        var old = DurabilityConfiguration(snapshotAtShutdown: false)
        let first = try await LedgerStore.open(log, old)
        try await first.book(1...5)
        await first.end()
        let new = DurabilityConfiguration(reducerVersion: 2)
        await expect(.otherReducer) { try await LedgerStore.open(log, new, Ledger(factor: 2)) }
        old.snapshotAtShutdown = true
        let second = try await LedgerStore.open(log, old)
        await second.end()
        let third = try await LedgerStore.open(log, new, Ledger(factor: 2))
        try await third.dispatch(.book(6))
        #expect(third.snapshot.amounts == [1, 2, 3, 4, 5, 12])
        await third.end()
        // The older program cannot go back behind the newer one's actions, and can continue from its snapshot.
        let fourth = try await LedgerStore.open(log, old)
        #expect(fourth.snapshot.amounts == [1, 2, 3, 4, 5, 12])
        await fourth.end()
    }

    @Test("The error for an action of an older version says why the snapshot behind it is not used")
    func unusableSeam() async throws {
        let log = MemoryLog()
        let first = try await LedgerStore.open(log)
        try await first.book(1...5)
        await first.end()
        // The type of the state has not changed, so that a migration of states was forgotten.
        let schema = StateSchema(version: 2) { _, data in data }
        for recovery in [RecoveryPolicy.strict, .acceptingLoss] {
            let new = DurabilityConfiguration(recovery: recovery, schema: schema, reducerVersion: 2)
            let error = await #expect(throws: ActionLogError.self) { try await LedgerStore.open(log, new) }
            #expect(error?.code == .otherReducer)
            let reason = "The snapshot at 6 cannot be used. The snapshot has version 1 of the schema"
            #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
        }
    }

    @Test(
        "A program that cannot read the schema of the snapshots does not begin without their state",
        arguments: [RecoveryPolicy.strict, .acceptingLoss]
    )
    func newerSchema(recovery: RecoveryPolicy) async throws {
        let log = MemoryLog()
        let new = DurabilityConfiguration(retention: .snapshots(2), schema: StateSchema(version: 2))
        let store = try await LedgerStore.open(log, new)
        try await store.bookWithSnapshots(1...3)
        await store.end()
        #expect(try log.connect().status().first > 1)
        let old = DurabilityConfiguration(recovery: recovery)
        await expect(.unknownSchema) { try await LedgerStore.open(log, old) }
        let next = try await LedgerStore.open(log, new)
        #expect(next.snapshot.amounts == [1, 2, 3])
        await next.end()
    }

    @Test("A release that has reduced nothing can be rolled back, also if only one snapshot is kept")
    func rollbackOfOpening() async throws {
        let log = MemoryLog()
        let durability = DurabilityConfiguration(retention: .snapshots(1))
        let old = try await LedgerStore.open(log, durability)
        try await old.book(1...5)
        try await old.checkpoint()
        try await until { try log.connect().status().first > 1 }
        await old.end()
        var newer = DurabilityConfiguration(
            retention: .snapshots(1),
            schema: StateSchema(version: 2) { _, data in
                data
            } migrateState: { _, data in
                data
            },
            reducerVersion: 2
        )
        let new = try await LedgerStore.open(log, newer)
        await new.end()
        #expect(try log.connect().snapshots().count == 2)
        let again = try await LedgerStore.open(log, durability)
        #expect(again.snapshot.amounts == Array(1...5))
        await again.end()
        // Later snapshots replace both.
        newer.snapshotAtShutdown = false
        let last = try await LedgerStore.open(log, newer)
        try await last.dispatch(.book(6))
        try await last.checkpoint()
        try await until { try log.connect().snapshots().count == 1 }
        await last.end()
    }

    @Test("A snapshot directly after an opening replaces older ones")
    func checkpointsAtStart() async throws {
        let log = MemoryLog()
        let durability = DurabilityConfiguration(snapshotAtShutdown: false, retention: .snapshots(1))
        for life in 1...3 {
            let store = try await LedgerStore.open(log, durability)
            try await store.checkpoint()
            try await until { try log.connect().snapshots().count == 1 }
            try await store.dispatch(.book(life))
            await store.end()
        }
    }

    @Test("A store with a newer reducer counts no snapshot of the former one")
    func failedSeam() async throws {
        let log = FaultyLog(MemoryLog())
        let old = try await LedgerStore.open(log)
        try await old.book(1...5)
        await old.end()
        log.failAlways(.finish, with: .error(.refused))
        let new = try await LedgerStore.open(log, DurabilityConfiguration(reducerVersion: 2))
        try await until { new.statistics.lastProblem?.code == .refused }
        await expect(.refused) { try await new.checkpoint() }
        log.failNoMore()
        #expect(try await new.checkpoint() == 5)
        #expect(try log.connect().snapshots().count == 2)
        await new.end()
    }

    @Test("A store with a newer reducer writes a snapshot as it opens, so that a damaged one does no harm")
    func secondSeam() async throws {
        let log = MemoryLog()
        let old = try await LedgerStore.open(log)
        try await old.book(1...5)
        await old.end()
        let new = DurabilityConfiguration(snapshotAtShutdown: false, reducerVersion: 2)
        let first = try await LedgerStore.open(log, new)
        try await until { try log.connect().snapshots().count == 2 }
        try await first.dispatch(.book(6))
        await first.end()
        // The next one starts from its own, and need not write another one.
        let second = try await LedgerStore.open(log, new)
        #expect(second.snapshot.amounts == Array(1...6))
        await second.end()
        #expect(try log.connect().snapshots().count == 2)
        let faulty = FaultyLog(log)
        faulty.fail(.part, with: .error(.damaged))
        let third = try await LedgerStore.open(faulty, new)
        #expect(third.recovery.problems.map(\.code) == [.damaged])
        #expect(third.snapshot.amounts == Array(1...6))
        await third.end()
    }

    @Test("A store that waited for the log continues behind entries deleted meanwhile, and behind a new reducer")
    func waitingForTheLog() async throws {
        for version in [1, 2] {
            let memory = MemoryLog()
            var durability = DurabilityConfiguration(openingTimeout: .seconds(60))
            let first = try await LedgerStore.open(memory, durability)
            try await first.book(1...10)
            durability.reducerVersion = version
            let log = FaultyLog(memory)
            let opening = Task { [durability] in try await LedgerStore.open(log, durability, Ledger(factor: version)) }
            // It has checked the log by then.
            try await until { log.count(of: .claim) > 1 }
            try await first.book(11...20)
            try await first.compact(keepingSnapshots: 1)
            try await first.book(21...25)
            await first.end()
            let second = try await opening.value
            #expect(second.snapshot.amounts == Array(1...25))
            try await second.dispatch(.book(26))
            #expect(second.snapshot.amounts.last == 26 * version)
            await second.end()
        }
    }

    @Test("A log that does not end behind its last entry stops an opening, also one that accepts losses")
    func inconsistentEnd() async throws {
        let memory = MemoryLog()
        let store = try await LedgerStore.open(memory)
        try await store.dispatch(.book(1))
        await store.end()
        let log = FaultyLog(memory)
        log.failAlways(.append, with: .error(.unexpectedEnd))
        await expect(.damaged) { try await LedgerStore.open(log, DurabilityConfiguration(recovery: .acceptingLoss)) }
    }

    @Test("A recovery that accepts losses ends also if the loss seems endless")
    func endlessDamage() async throws {
        let log = FaultyLog(MemoryLog())
        log.failAlways(.read, with: .error(.damaged))
        let replay = LogReplay<Ledger.State, Ledger.Action>(
            coding: try EntryCoding(DurabilityConfiguration().coding, reducer: 1, log: log),
            initialState: Ledger.State(),
            policy: .acceptingLoss,
            missingLimit: 100,
            digestInterval: nil
        ) { _, _ in }
        await expect(.damaged) { try replay.recover(from: log.connect()) }
        #expect(log.count(of: .read) == 101)
    }

    @Test("A cancelled opening no longer waits for the log")
    func cancelledOpening() async throws {
        let memory = MemoryLog()
        let first = try await LedgerStore.open(memory)
        let log = FaultyLog(memory)
        let durability = DurabilityConfiguration(openingTimeout: .seconds(100_000))
        let opening = Task { try await LedgerStore.open(log, durability) }
        try await until { log.count(of: .claim) > 1 }
        opening.cancel()
        await expect(.inUse) { try await opening.value }
        await first.end()
    }

    @Test(
        "Entries deleted while a recovery reads them do not count as missing, also when losses are accepted",
        arguments: [FaultyLog.Call.snapshots, .part, .read],
        [RecoveryPolicy.strict, .acceptingLoss]
    )
    func trimmedMeanwhile(call: FaultyLog.Call, policy: RecoveryPolicy) async throws {
        let memory = MemoryLog()
        let first = try await LedgerStore.open(memory)
        try await first.book(1...10)
        if call == .part { try await first.compact(keepingSnapshots: 1) }
        try await first.book(11...20)
        let (log, goOn) = (FaultyLog(memory), DispatchSemaphore(value: 0))
        log.fail(call, with: .wait(goOn))
        let durability = DurabilityConfiguration(recovery: policy, openingTimeout: .seconds(60))
        let opening = Task { try await LedgerStore.open(log, durability) }
        try await until { log.count(of: call) == 1 }
        try await first.compact(keepingSnapshots: 1)
        goOn.signal()
        await first.end()
        let second = try await opening.value
        #expect(second.snapshot.amounts == Array(1...20))
        #expect(second.recovery.problems == [])
        await second.end()
    }

    @Test(
        "A state behind deleted entries is unknown, also when losses are accepted",
        arguments: [RecoveryPolicy.strict, .acceptingLoss]
    )
    func trimmedPast(policy: RecoveryPolicy) async throws {
        let log = MemoryLog()
        let store = try await LedgerStore.open(log, DurabilityConfiguration(recovery: policy))
        try await store.book(1...10)
        #expect(try await store.state(at: 8).amounts == Array(1...8))
        // Like a compaction that still has more to delete.
        _ = try log.connect().trim(through: 5)
        await expect(.unknownRevision) { try await store.state(at: 8) }
        await store.end()
    }

    /// Returns a log with amounts up to `count`, and an entry of an unknown kind.
    private func unreadable(behind count: Int) async throws -> MemoryLog {
        let log = MemoryLog()
        let store = try await LedgerStore.open(log, DurabilityConfiguration(snapshotAtShutdown: false))
        if count > 0 { try await store.book(1...count) }
        await store.end()
        let identity = ActionLogEntry.Identity(origin: "future", number: 1)
        let entry = ActionLogEntry(identity, header: #"{"kind":"saga"}"#, payload: Data())
        try log.connect().append([entry], if: AppendCondition(.contains(.start)))
        return log
    }

    @Test("A shutdown finishes the snapshot that a recovery with losses has begun, so that the log can be opened again")
    func snapshotOfARecovery() async throws {
        /// A state that takes long to encode.
        struct Count: Codable, Sendable {
            var count = 0

            func encode(to encoder: any Encoder) throws {
                usleep(100_000)
                var container = encoder.singleValueContainer()
                try container.encode(count)
            }

            init() {}

            init(from decoder: any Decoder) throws { count = try decoder.singleValueContainer().decode(Int.self) }
        }
        let log = try await unreadable(behind: 3)
        func open(_ policy: RecoveryPolicy) async throws -> DurableStore<Count, Ledger.Action> {
            let durability = DurabilityConfiguration(snapshotAtShutdown: false, recovery: policy)
            return try await Store.durable(in: log, initialState: Count(), durability: durability) { state, _ in
                state.count += 1
            }
        }
        await (try await open(.acceptingLoss)).shutdown(drain: .finishEffects)
        let next = try await open(.strict)
        #expect(next.snapshot.count == 3)
        await next.shutdown(drain: .finishEffects)
    }

    @Test("One unreadable action costs no other one, also if all were sent for a revision and digests follow")
    func conditionalActionsBehindALoss() async throws {
        let log = MemoryLog()
        let durability = DurabilityConfiguration(snapshotAtShutdown: false, digestInterval: 5)
        let store = try await LedgerStore.open(log, durability)
        for number in 1...30 { try await store.dispatch(.book(number), expecting: UInt64(number - 1)) }
        await store.end()
        // A copy with one damaged entry.
        let copy = MemoryLog()
        for entry in try log.connect().readAll() {
            let isDamaged = entry.payload.contains { $0 == UInt8(ascii: "8") } && entry.identity.number < 15
            let payload = isDamaged ? Data("{".utf8) : entry.payload
            try copy.connect().append([ActionLogEntry(entry.identity, header: entry.header, payload: payload)])
        }
        await expect(.undecodable) { try await LedgerStore.open(copy, durability) }
        var accepting = durability
        accepting.recovery = .acceptingLoss
        let rescued = try await LedgerStore.open(copy, accepting)
        #expect(rescued.snapshot.amounts == (1...30).filter { $0 != 8 })
        #expect(rescued.recovery.problems.map(\.code) == [.undecodable])
        await rescued.end()
        let strict = try await LedgerStore.open(copy, durability)
        #expect(strict.snapshot.amounts == (1...30).filter { $0 != 8 })
        await strict.end()
    }

    @Test("Actions behind a lost snapshot are reduced, also if they were sent for a revision")
    func conditionalActionsBehindALostSnapshot() async throws {
        let memory = MemoryLog()
        let durability = DurabilityConfiguration(snapshotAtShutdown: false)
        let store = try await LedgerStore.open(memory, durability)
        try await store.book(1...10)
        try await store.compact(keepingSnapshots: 1)
        for number in 11...15 { try await store.dispatch(.book(number), expecting: UInt64(number - 1)) }
        await store.end()
        let log = FaultyLog(memory)
        log.failAlways(.part, with: .error(.damaged))
        let rescued = try await LedgerStore.open(log, DurabilityConfiguration(recovery: .acceptingLoss))
        #expect(rescued.snapshot.amounts == Array(11...15))
        #expect(rescued.recovery.problems.map(\.code) == [.damaged, .trimmed])
        log.failAlways(.part, with: nil)
        await rescued.end()
    }

    @Test(
        "A shutdown writes the snapshot of a recovery with losses that could not be written at once",
        arguments: [true, false],
        [0, 3]
    )
    func owedSnapshot(snapshotAtShutdown: Bool, count: Int) async throws {
        let memory = try await unreadable(behind: count)
        let log = FaultyLog(memory)
        log.fail(.write, with: .error(.busy))
        let durability = DurabilityConfiguration(snapshotAtShutdown: snapshotAtShutdown, recovery: .acceptingLoss)
        let rescued = try await LedgerStore.open(log, durability)
        #expect(rescued.recovery.problems.map(\.code) == [.unknownFormat])
        try await until { log.count(of: .write) == 1 }
        await rescued.end()
        let strict = try await LedgerStore.open(memory)
        #expect(strict.snapshot.amounts == Array(1..<count + 1))
        await strict.end()
    }

    /// A log with two snapshots, of which the first one is obsolete with `.snapshots(1)`.
    private func obsolete() async throws -> MemoryLog {
        let memory = MemoryLog()
        let store = try await LedgerStore.open(
            memory,
            DurabilityConfiguration(snapshotAtShutdown: false, retention: .everything)
        )
        for amounts in [1...3, 4...6] {
            try await store.book(amounts)
            try await store.checkpoint()
        }
        await store.end()
        return memory
    }

    @Test("If a snapshot has no room, what existing snapshots make unnecessary is deleted")
    func room() async throws {
        let memory = try await obsolete()
        let log = FaultyLog(memory)
        log.failAlways(.write, with: .error(.full))
        let durability = DurabilityConfiguration(snapshotAtShutdown: false, retention: .snapshots(1))
        let store = try await LedgerStore.open(log, durability)
        try await store.book(7...9)
        await expect(.full) { try await store.checkpoint() }
        try await until { try memory.connect().snapshots().count == 1 }
        try await until { try memory.connect().status().first == 8 }
        log.failAlways(.write, with: nil)
        try await store.checkpoint()
        await store.end()
        let next = try await LedgerStore.open(memory)
        #expect(next.snapshot.amounts == Array(1...9))
        await next.end()
    }

    @Test("The lack of room remains the reported problem if the existing snapshot is unreadable")
    func lastingProblem() async throws {
        let memory = try await obsolete()
        let log = FaultyLog(memory)
        let durability = DurabilityConfiguration(snapshotAtShutdown: false, retention: .snapshots(1))
        let store = try await LedgerStore.open(log, durability)
        log.failAlways(.part, with: .error(.damaged))
        try await store.dispatch(.book(7))
        try await store.checkpoint()
        try await until { store.statistics.lastProblem?.code == .damaged }
        let reads = log.count(of: .part)
        log.failAlways(.write, with: .error(.full))
        try await store.dispatch(.book(8))
        await expect(.full) { try await store.checkpoint() }
        await store.log.writer.finishRetention(store.log)
        #expect(log.count(of: .part) > reads)
        #expect(store.statistics.lastProblem?.code == .full)
        await store.end()
    }

    @Test("The snapshot of an opening by another reducer is not one of those that are kept")
    func keptSnapshots() async throws {
        let log = MemoryLog()
        var durability = DurabilityConfiguration(snapshotAtShutdown: false, retention: .snapshots(2))
        let old = try await LedgerStore.open(log, durability)
        try await old.book(1...5)
        try await old.checkpoint()
        await old.end()
        let last = try #require(try log.connect().snapshots().last)
        durability.reducerVersion = 2
        let new = try await LedgerStore.open(log, durability)
        try await new.dispatch(.book(6))
        try await new.checkpoint()
        await new.log.writer.finishRetention(new.log)
        #expect(try log.connect().snapshots().count == 3)
        #expect(try log.connect().snapshots().last == last)
        await new.end()
    }

    @Test("A release that has reduced nothing deletes nothing to make room for the snapshot of its opening")
    func roomOfOpening() async throws {
        let memory = try await obsolete()
        let log = FaultyLog(memory)
        log.failAlways(.write, with: .error(.full))
        var durability = DurabilityConfiguration(snapshotAtShutdown: false, retention: .snapshots(1))
        durability.reducerVersion = 2
        let store = try await LedgerStore.open(log, durability)
        try await until { store.statistics.lastProblem?.code == .full }
        await store.log.writer.finishRetention(store.log)
        #expect(try memory.connect().snapshots().count == 2)
        #expect(store.statistics.lastProblem?.code == .full)
        await store.end()
    }

    @Test("If there is no room for a snapshot, a compaction begins with the existing ones")
    func compactionWithoutRoom() async throws {
        let memory = try await obsolete()
        let log = FaultyLog(memory)
        let store = try await LedgerStore.open(log, DurabilityConfiguration(snapshotAtShutdown: false))
        try await store.book(7...9)
        log.fail(.write, with: .error(.full))
        try await store.compact(keepingSnapshots: 1)
        #expect(try memory.connect().snapshots().count == 1)
        log.failAlways(.write, with: .error(.full))
        try await store.book(10...10)
        await expect(.full) { try await store.compact(keepingSnapshots: 1) }
        await store.end()
        let next = try await LedgerStore.open(memory)
        #expect(next.snapshot.amounts == Array(1...10))
        await next.end()
    }

    @Test("A store that keeps everything discards unfinished snapshots before its own, and deletes nothing else")
    func unfinishedSnapshots() async throws {
        let log = FaultyLog(MemoryLog())
        let store = try await LedgerStore.open(log, DurabilityConfiguration(retention: .everything))
        try await store.book(1...3)
        try await store.checkpoint()
        await store.end()
        #expect(log.count(of: .discardUnfinished) == 1)
        #expect(log.count(of: .trim) == 0)
        #expect(try log.base.connect().status().first == 1)
    }

    @Test("The report of a shutdown has the reason why there is no snapshot of a recovery with losses")
    func missingSnapshot() async throws {
        let log = FaultyLog(try await unreadable(behind: 3))
        log.failAlways(.write, with: .error(.refused))
        let rescued = try await LedgerStore.open(log, DurabilityConfiguration(recovery: .acceptingLoss))
        try await rescued.dispatch(.book(4))
        let report = await rescued.end()
        #expect(report.unwrittenActions == 0)
        #expect(report.failure?.code == .closed)
        #expect(report.failure?.reason.hasSuffix("A fault of a test.") == true)
        #expect(!report.isComplete)
        await expect(.unknownFormat) { try await LedgerStore.open(log.base) }
    }

    @Test("An opening waits for the snapshot of a former writer whose actions it cannot decode")
    func otherActions() async throws {
        let log = MemoryLog()
        let former = try await Store.durable(in: log, initialState: Ledger.State()) {
            (state: inout Ledger.State, amount: Int) in state.amounts.append(amount)
        }
        try await former.dispatch(1)
        try await expectWait(for: former, in: log)
    }

    @Test("An opening waits for the snapshot of a former writer with another reducer")
    func otherReducer() async throws {
        let log = MemoryLog()
        let former = try await LedgerStore.open(log)
        try await former.dispatch(.book(1))
        try await expectWait(for: former, in: log, DurabilityConfiguration(reducerVersion: 2))
    }

    /// Expects that an opening waits until a store has been shut down, and continues from its snapshot.
    private func expectWait(
        for former: DurableStore<Ledger.State, some Codable & Sendable>,
        in memory: MemoryLog,
        _ durability: DurabilityConfiguration = DurabilityConfiguration()
    ) async throws {
        let log = FaultyLog(memory)
        var durability = durability
        durability.openingTimeout = .seconds(100_000)
        let opening = Task { [durability] in try await LedgerStore.open(log, durability) }
        try await until { log.count(of: .claim) > 1 }
        await former.shutdown(drain: .finishEffects)
        let store = try await opening.value
        #expect(store.snapshot.amounts == [1])
        await store.end()
    }

    /// Returns a log with some entries, and those of another log behind them.
    private func copyWithoutSnapshots(of log: MemoryLog, behind entries: [ActionLogEntry] = []) throws -> MemoryLog {
        let copy = MemoryLog()
        try copy.connect().append(entries + log.connect().readAll())
        return copy
    }

    @Test("A program with another reducer does not accept the loss of actions that the former one can read")
    func unreducedActions() async throws {
        let log = MemoryLog()
        let former = try await LedgerStore.open(log, DurabilityConfiguration(snapshotAtShutdown: false))
        try await former.book(1...3)
        await former.end()
        let accepting = DurabilityConfiguration(recovery: .acceptingLoss, reducerVersion: 2)
        await expect(.otherReducer) { try await LedgerStore.open(log, accepting) }
        let seam = try await LedgerStore.open(log)
        #expect(seam.snapshot.amounts == [1, 2, 3])
        await seam.end()
        let next = try await LedgerStore.open(log, accepting)
        #expect(next.snapshot.amounts == [1, 2, 3])
        try await next.dispatch(.book(4))
        await next.end()
        // Without the snapshots, neither can read all actions, and the version of the last one may accept the loss.
        let copy = try copyWithoutSnapshots(of: log)
        let back = DurabilityConfiguration(recovery: .acceptingLoss)
        await expect(.otherReducer) { try await LedgerStore.open(copy, back) }
        let rescued = try await LedgerStore.open(copy, accepting)
        #expect(rescued.snapshot.amounts == [4])
        #expect(rescued.recovery.problems.map(\.code) == [.otherReducer, .otherReducer, .otherReducer])
        await rescued.end()
        // The same after a rollback.
        let old = try await LedgerStore.open(log)
        try await old.dispatch(.book(5))
        await old.end()
        let copyOfOld = try copyWithoutSnapshots(of: log)
        await expect(.otherReducer) { try await LedgerStore.open(copyOfOld, accepting) }
        let rescuedOld = try await LedgerStore.open(copyOfOld, back)
        #expect(rescuedOld.snapshot.amounts == [1, 2, 3, 5])
        #expect(rescuedOld.recovery.problems.map(\.code) == [.otherReducer])
        await rescuedOld.end()
        // Also if replicas have used the log before.
        let identity = ActionLogEntry.Identity(origin: "replica", number: 1)
        let opening = ActionLogEntry(identity, header: #"{"kind":"opening","reducer":1}"#, payload: Data())
        let copyOfReplica = try copyWithoutSnapshots(of: log, behind: [opening])
        await expect(.otherReducer) { try await LedgerStore.open(copyOfReplica, accepting) }
        let last = try await LedgerStore.open(copyOfReplica, back)
        #expect(last.snapshot.amounts == [1, 2, 3, 5])
        await last.end()
    }

    @Test("An opening waits for another program that has locked the log, up to its limit")
    func lockedLog() async throws {
        let log = FaultyLog(MemoryLog())
        log.failAlways(.status, with: .error(.busy))
        await expect(.busy) { try await LedgerStore.open(log, DurabilityConfiguration(openingTimeout: .zero)) }
        let before = log.count(of: .status)
        let durability = DurabilityConfiguration(openingTimeout: .seconds(100_000))
        let opening = Task { try await LedgerStore.open(log, durability) }
        try await until { log.count(of: .status) > before + 1 }
        log.failAlways(.status, with: nil)
        let store = try await opening.value
        await store.end()
        log.failAlways(.claim, with: .error(.busy))
        let claims = log.count(of: .claim)
        let cancelled = Task { try await LedgerStore.open(log, durability) }
        try await until { log.count(of: .claim) > claims + 1 }
        cancelled.cancel()
        await expect(.busy) { try await cancelled.value }
        log.failAlways(.claim, with: nil)
    }

    @Test(
        "A file that another program locks at any moment delays an opening, and its entry is appended once",
        arguments: [FaultyLog.Call.connect, .status, .snapshots, .read, .claim, .identity, .append],
        [FaultyLog.Fault.error(.busy), .lostAnswer(.busy)]
    )
    func lockedAtAnyMoment(call: FaultyLog.Call, fault: FaultyLog.Fault) async throws {
        let memory = MemoryLog()
        let first = try await LedgerStore.open(memory, DurabilityConfiguration(snapshotAtShutdown: false))
        try await first.book(1...3)
        await first.end()
        let log = FaultyLog(memory)
        // Each second call fails, so that each place where it is made has to be repeated.
        for number in [1, 3, 5, 6] { log.fail(call, number: number, with: fault) }
        let durability = DurabilityConfiguration(openingTimeout: .seconds(100_000))
        let store = try await LedgerStore.open(log, durability)
        #expect(store.snapshot.amounts == [1, 2, 3])
        #expect(store.recovery.problems == [])
        try await store.dispatch(.book(4))
        await store.end()
        let second = try await LedgerStore.open(memory)
        #expect(second.snapshot.amounts == [1, 2, 3, 4])
        await second.end()
    }

    @Test("An opening that waited for the former writer does not go on from entries that the log has lost meanwhile")
    func lostEndDuringTheWait() async throws {
        let memory = MemoryLog()
        let durability = DurabilityConfiguration(snapshotAtShutdown: false, openingTimeout: .seconds(100_000))
        let first = try await LedgerStore.open(memory, durability)
        try await first.book(1...2)
        await first.end()
        let (log, goOn) = (FaultyLog(memory), DispatchSemaphore(value: 0))
        log.fail(.claim, with: .wait(goOn))
        let opening = Task { try await LedgerStore.open(log, durability) }
        try await until { log.count(of: .claim) == 1 }
        memory.loseEnd(after: 2)
        let other = try await LedgerStore.open(memory, durability)
        try await other.dispatch(.book(3))
        await other.end()
        goOn.signal()
        let second = try await opening.value
        #expect(second.snapshot.amounts == [1, 3])
        await second.end()
    }

    @Test("The time of a recovery does not count as a wait for the former writer")
    func longRecovery() async throws {
        let memory = MemoryLog()
        let first = try await LedgerStore.open(memory)
        let log = FaultyLog(memory)
        log.fail(.read, with: .delay(.milliseconds(600)))
        let durability = DurabilityConfiguration(openingTimeout: .milliseconds(500))
        await expect(.inUse) { try await LedgerStore.open(log, durability) }
        #expect(log.count(of: .claim) > 1)
        await first.end()
    }

    @Test("An entry of an unknown kind stops a recovery with an error, and nothing is changed")
    func unknownKind() async throws {
        let log = try await unreadable(behind: 1)
        await expect(.unknownFormat) { try await LedgerStore.open(log) }
        let accepting = try await LedgerStore.open(log, DurabilityConfiguration(recovery: .acceptingLoss))
        #expect(accepting.snapshot.amounts == [1])
        await accepting.end()
    }
}
