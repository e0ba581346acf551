#if Journal
    @testable import ActorStoreJournal
    import Testing

    @Suite("What is handed over to the writer of a journal")
    struct HandOverTests {
        typealias Machine = HandOver<Int, String, Int>

        func make(
            _ level: DurabilityLevel = .everyAction,
            limit: Int = 10,
            _ snapshots: SnapshotInterval = .never
        ) -> Machine {
            Machine(level: level, limit: limit, snapshots: snapshots, recovered: RecoveryReport())
        }

        @Test("What comes while the writer writes is its next work, all together")
        func grouping() {
            var machine = make()
            #expect(machine.append("a", 0) == .now)
            #expect(machine.wait(1) == .no)
            #expect(machine.take(hasOtherWork: false)?.actions == ["a"])
            for (number, action) in ["b", "c", "d"].enumerated() {
                #expect(machine.append(action, 0) == .no)
                #expect(machine.wait(number + 2) == .no)
            }
            #expect(machine.commit(bytes: 1) == [1])
            let work = machine.take(hasOtherWork: false)
            #expect(work?.actions == ["b", "c", "d"])
            #expect(work?.first == 2)
            #expect(machine.commit(bytes: 3) == [2, 3, 4])
            #expect(machine.take(hasOtherWork: false) == nil)
            #expect(!machine.isAwake)
            #expect(machine.commits == 2)
            #expect(machine.wait(5) == nil)
        }

        @Test("After a failure everybody who waits is told, and the next action has it tried again")
        func failure() {
            let error = JournalError("file", .closed)
            var machine = make()
            _ = machine.append("a", 0)
            _ = machine.wait(1)
            _ = machine.take(hasOtherWork: false)
            _ = machine.append("b", 0)
            _ = machine.wait(2)
            #expect(machine.fail(error, isFinal: false).waiters == [1, 2])
            #expect(machine.failure == error)
            #expect(machine.unwritten == 2)
            #expect(machine.append("c", 0) == .now)
            #expect(machine.take(hasOtherWork: false)?.actions == ["b", "c"])
            _ = machine.commit(bytes: 0)
            #expect(machine.failure == nil)
            #expect(machine.committed == 3)
        }

        @Test("A closed journal takes no snapshot")
        func snapshotAfterEnd() {
            var machine = make(.everyAction, SnapshotInterval(actions: 1))
            _ = machine.fail(JournalError("file", .closed), isFinal: true)
            #expect(machine.captureNow(0) == .no)
            #expect(machine.append("a", 0) == .no)
            #expect(!machine.isMakingSnapshot)
        }

        @Test("A failure ends the snapshot that the writer has not taken yet, and tells who waits for it")
        func snapshotBesideFailure() {
            let error = JournalError("file", .closed)
            var machine = make(SnapshotInterval(actions: 2))
            _ = machine.append("a", 1)
            _ = machine.take(hasOtherWork: false)
            _ = machine.append("b", 2)
            let isOnItsWay = machine.waitForSnapshot(1)
            #expect(isOnItsWay)
            #expect(machine.fail(error, isFinal: false).waiters == [1])
            #expect(!machine.isMakingSnapshot)
            #expect(machine.problem == error)
            // Another one can be asked for, which wakes the writer.
            #expect(machine.captureNow(2) == .now)
            #expect(machine.take(hasOtherWork: false)?.snapshot?.revision == 2)
        }

        @Test("With an interval the writer is woken once for all that comes in it, and at once if somebody waits")
        func interval() {
            var machine = make(.interval(.seconds(1)))
            #expect(machine.append("a", 0) == .afterInterval)
            #expect(machine.append("b", 0) == .no)
            #expect(machine.intervalEnded() == .now)
            #expect(machine.take(hasOtherWork: false)?.actions == ["a", "b"])
            _ = machine.commit(bytes: 0)
            #expect(machine.take(hasOtherWork: false) == nil)
            #expect(machine.append("c", 0) == .afterInterval)
            #expect(machine.wait(1) == .now)
            _ = machine.take(hasOtherWork: false)
            #expect(machine.commit(bytes: 0) == [1])
            #expect(machine.take(hasOtherWork: false) == nil)
            #expect(machine.intervalEnded() == .no)
        }

        @Test("With an interval a failure is tried again after the next one")
        func intervalAfterFailure() {
            var machine = make(.interval(.seconds(1)))
            _ = machine.append("a", 0)
            _ = machine.intervalEnded()
            _ = machine.take(hasOtherWork: false)
            #expect(machine.fail(JournalError("file", .closed), isFinal: false).wake == .afterInterval)
            #expect(machine.intervalEnded() == .now)
            #expect(machine.take(hasOtherWork: false) != nil)
        }

        @Test("It is full when as many wait as may, until some are written")
        func limit() {
            var machine = make(limit: 2)
            _ = machine.append("a", 0)
            #expect(!machine.isFull)
            _ = machine.append("b", 0)
            #expect(machine.isFull)
            _ = machine.take(hasOtherWork: false)
            #expect(machine.isFull)
            _ = machine.commit(bytes: 0)
            #expect(!machine.isFull)
        }

        @Test("A state is taken when as many actions or bytes have come as a snapshot is due after, one at a time")
        func snapshots() {
            var machine = make(SnapshotInterval(actions: 2, bytes: 100))
            _ = machine.append("a", 1)
            _ = machine.append("b", 2)
            let first = machine.take(hasOtherWork: false)?.snapshot
            #expect(first?.revision == 2)
            #expect(first?.state == 2)
            for number in 3...6 { _ = machine.append("c", number) }
            _ = machine.commit(bytes: 100)
            #expect(machine.take(hasOtherWork: false)?.snapshot == nil)
            let isOnItsWay = machine.waitForSnapshot(1)
            #expect(isOnItsWay)
            #expect(machine.endSnapshot(nil) == [1])
            _ = machine.append("d", 7)
            #expect(machine.take(hasOtherWork: false)?.snapshot?.revision == 7)
            #expect(machine.captureNow(7) == nil)
            #expect(machine.endSnapshot(nil).isEmpty)
            #expect(machine.captureNow(7) == .no)
            let isAnotherOnItsWay = machine.waitForSnapshot(1)
            #expect(!isAnotherOnItsWay)
        }

        private func make(_ snapshots: SnapshotInterval) -> Machine { make(.everyAction, limit: 100, snapshots) }
    }
#endif
