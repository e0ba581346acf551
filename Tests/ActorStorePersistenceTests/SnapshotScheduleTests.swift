import Foundation
import Testing

@testable import ActorStorePersistence

@Suite("The schedule of snapshots")
struct SnapshotScheduleTests {
    private func schedule(_ interval: SnapshotInterval, recovered revision: UInt64? = nil) -> SnapshotSchedule<Int> {
        SnapshotSchedule(interval, recovered: revision)
    }

    @Test("A snapshot is due after a number of actions or bytes, whichever comes first, and one at a time")
    func intervals() {
        var schedule = schedule(SnapshotInterval(actions: 2, bytes: 100))
        var isDue = schedule.noteAction(at: 1, bytes: 10)
        #expect(!isDue)
        isDue = schedule.noteAction(at: 2, bytes: 10)
        #expect(isDue)
        #expect(schedule.begin(at: 2) == .makes)
        for revision in UInt64(3)...6 {
            isDue = schedule.noteAction(at: revision, bytes: 200)
            #expect(!isDue)
        }
        #expect(schedule.begin(at: 6) == .waits)
        #expect(schedule.finish(isSaved: true) == [])
        #expect(schedule.saved == 2)
        isDue = schedule.noteAction(at: 7, bytes: 1)
        #expect(isDue)
        #expect(schedule.begin(at: 7) == .makes)
        _ = schedule.finish(isSaved: true)
        // By its bytes alone.
        isDue = schedule.noteAction(at: 8, bytes: 100)
        #expect(isDue)
    }

    @Test("Actions before the snapshot of a recovery do not count")
    func recovered() {
        var schedule = schedule(SnapshotInterval(actions: 3), recovered: 10)
        var isDue = schedule.noteAction(at: 12, bytes: 0)
        #expect(!isDue)
        isDue = schedule.noteAction(at: 13, bytes: 0)
        #expect(isDue)
        #expect(schedule.begin(at: 10) == .over)
    }

    @Test("Whether a failed snapshot is tried again depends on its own problem, not on later ones")
    func problems() {
        var account = DurableAccount("a", "log", DurabilityConfiguration(), LogAccount(), snapshot: nil, first: 1)
        _ = account.endSnapshot(ActionLogError(.full, in: "log", "No room."), at: .now)
        account.problem = ActionLogError(.damaged, in: "log", "Another snapshot is damaged.")
        #expect(account.snapshotProblem?.code == .full)
        _ = account.endSnapshot(nil, at: .now)
        #expect(account.snapshotProblem == nil)
    }

    @Test("A store that has ended keeps no snapshot that was being encoded")
    func encodedAfterTheEnd() async throws {
        let store = try await LedgerStore.open(MemoryLog())
        let logged = LoggedState(state: Ledger.State())
        let encoded = try SnapshotCoding(coding: store.log.coding).encode(logged)
        var account = DurableAccount("a", "log", DurabilityConfiguration(), LogAccount(), snapshot: nil, first: 1)
        _ = account.end(ActionLogError(.full, in: "log", "No room."))
        _ = account.write(encoded)
        #expect(account.take(atMost: 1_000, hasOtherWork: false).encoded == nil)
        await store.end()
    }

    @Test("Waiters resume when the snapshot is saved or given up, and see which")
    func waiters() {
        var schedule = schedule(.never)
        var waits = schedule.wait(1)
        #expect(!waits)
        #expect(schedule.begin(at: 4) == .makes)
        for waiter in 1...2 {
            waits = schedule.wait(waiter)
            #expect(waits)
        }
        #expect(schedule.finish(isSaved: false) == [1, 2])
        #expect(schedule.saved == nil)
        #expect(schedule.begin(at: 4) == .makes)
        #expect(schedule.finish(isSaved: true) == [])
        #expect(schedule.begin(at: 4) == .over)
        waits = schedule.wait(3)
        #expect(!waits)
    }

    @Test("A request for a snapshot of at least a revision ends with the first such snapshot")
    func sufficientSnapshot() {
        var schedule = schedule(.never)
        #expect(schedule.begin(at: 3) == .makes)
        // A snapshot from revision 5 on is needed.
        #expect(schedule.begin(at: 5, unlessSavedFrom: 5) == .waits)
        _ = schedule.finish(isSaved: true)
        #expect(schedule.begin(at: 6) == .makes)
        #expect(schedule.begin(at: 7, unlessSavedFrom: 5) == .waits)
        _ = schedule.finish(isSaved: true)
        #expect(schedule.begin(at: 8) == .makes)
        #expect(schedule.begin(at: 9, unlessSavedFrom: 5) == .over)
        #expect(schedule.begin(at: 9) == .waits)
    }

    @Test("A snapshot of the state before the first action counts as saved")
    func firstState() {
        var schedule = schedule(.never)
        schedule.noteNewest(0)
        #expect(schedule.saved == 0)
        #expect(schedule.begin(at: 0) == .over)
    }

    @Test("A snapshot that the log has lost is written again")
    func lostSnapshot() {
        var schedule = schedule(.never)
        schedule.noteNewest(2)
        #expect(schedule.begin(at: 2) == .over)
        schedule.noteNewest(1)
        #expect(schedule.saved == 1)
        #expect(schedule.begin(at: 2) == .makes)
        // What another store has written is seen after this one's.
        schedule.noteNewest(3)
        #expect(schedule.finish(isSaved: true) == [])
        #expect(schedule.saved == 2)
        schedule.noteNewest(nil)
        #expect(schedule.begin(at: 2) == .makes)
    }

    @Test("Parts of unfinished snapshots are deleted once a day, without ending another deletion")
    func unfinishedParts() throws {
        let (connection, start) = (try MemoryLog().connect(), ContinuousClock.now)
        var upload = SnapshotUpload(.everything, isOnlyWriter: false)
        upload.trim(through: 7)
        upload.trimUnfinished(at: start)
        _ = try upload.advance(by: connection)
        #expect(upload.isIdle)
        for (days, isDue) in [(0, true), (0.9, false), (1, true), (1.5, false), (2.5, true)] as [(Double, Bool)] {
            upload.trimUnfinished(at: start + .seconds(86_400) * days)
            #expect(upload.isIdle == !isDue, "\(days)")
            _ = try upload.advance(by: connection)
            #expect(upload.isIdle)
        }
        // A search that has failed is repeated.
        upload.trimUnfinished(at: start + .seconds(86_400) * 4)
        upload.cancel(by: connection)
        upload.trimUnfinished(at: start + .seconds(86_400) * 4)
        #expect(!upload.isIdle)
        // The only writer has discarded them before its snapshot.
        var only = SnapshotUpload(.everything, isOnlyWriter: true)
        only.trimUnfinished(at: start)
        #expect(only.isIdle)
    }

    @Test("A snapshot without room starts one search for old parts of unfinished snapshots")
    func lackOfRoom() throws {
        let (log, start) = (MemoryLog(), ContinuousClock.now)
        let connection = try log.connect()
        let coding = try EntryCoding(StateCoding(codec: JSONStateCodec(), schema: StateSchema()), reducer: 1, log: log)
        let encoded = try SnapshotCoding(coding: coding).encode(LoggedState(state: 1))
        var upload = SnapshotUpload(.snapshots(2), isOnlyWriter: false)
        func fail(_ code: ActionLogError.Code, at moment: ContinuousClock.Instant) {
            upload.begin(encoded)
            upload.cancel(by: connection, because: ActionLogError(code, in: "log", ""), at: moment)
        }
        fail(.disconnected, at: start)
        #expect(upload.isIdle)
        fail(.full, at: start)
        #expect(!upload.isIdle && !upload.isWriting)
        _ = try upload.advance(by: connection)
        fail(.full, at: start)
        #expect(upload.isIdle)
        // A deletion continues.
        upload.trim(through: 1)
        fail(.full, at: start)
        #expect(!upload.isIdle)
        _ = try upload.advance(by: connection)
        #expect(upload.isIdle)
        upload.trim(through: 1)
        fail(.disconnected, at: start)
        #expect(upload.isIdle)
        // Not if the deletion itself has no room.
        upload.trim(through: 1)
        upload.cancel(by: connection, because: ActionLogError(.full, in: "log", ""), at: start + .seconds(90_000))
        #expect(upload.isIdle)
    }

    @Test("The only writer of a log discards unfinished snapshots before its own", arguments: [true, false])
    func remains(isOnlyWriter: Bool) throws {
        let log = MemoryLog()
        let connection = try log.connect()
        let entry = ActionLogEntry(ActionLogEntry.Identity(origin: "a", number: 1), header: "", payload: Data())
        try connection.append([entry], if: AppendCondition(.end(.start)))
        let coding = try EntryCoding(StateCoding(codec: JSONStateCodec(), schema: StateSchema()), reducer: 1, log: log)
        var logged = LoggedState(state: 1)
        _ = logged.account.admit(EntryHeader(.opening), of: entry.identity)
        var upload = SnapshotUpload(.snapshots(2), isOnlyWriter: isOnlyWriter)
        for round in 1...2 {
            let left = ActionLogSnapshot(at: logged.account.point, header: "", parts: 2)
            try connection.write(Data(), 0, of: left)
            upload.begin(try SnapshotCoding(coding: coding).encode(logged))
            while !upload.isIdle { _ = try upload.advance(by: connection) }
            #expect(try (connection.part(0, of: left) == nil) == isOnlyWriter, "\(round)")
            #expect(try connection.snapshots().count == 1)
        }
    }

    @Test("A writer forgets the snapshots that it deletes")
    func forgottenSnapshots() {
        let snapshots = [30, 20, 10].map { position in
            ActionLogSnapshot(at: ActionLogPoint(position: position, identity: nil), header: "", parts: 1)
        }
        var upload = SnapshotUpload(.snapshots(2), isOnlyWriter: true)
        #expect(upload.retained.limit() == nil)
        upload.retained.replace(with: snapshots)
        #expect(upload.retained.limit() == 20)
        upload.trim(through: 20)
        #expect(snapshots.map { upload.retained.contains($0) } == [true, true, false])
    }

    @Test("No snapshot begins after the end, and waiters of an unfinished one resume")
    func end() {
        var schedule = schedule(SnapshotInterval(actions: 1))
        #expect(schedule.begin(at: 1) == .makes)
        _ = schedule.wait(1)
        #expect(schedule.end() == [1])
        #expect(schedule.saved == nil)
        #expect(schedule.begin(at: 2) == .over)
        let isDue = schedule.noteAction(at: 3, bytes: 1)
        #expect(!isDue)
        #expect(!schedule.isMaking)
    }
}
