import Foundation
import Testing

@testable import ActorStorePersistence

@Suite("Pending entries")
struct PendingEntriesTests {
    private func entry(_ number: UInt64) -> ActionLogEntry {
        ActionLogEntry(ActionLogEntry.Identity(origin: "a", number: number), header: "", payload: Data(count: 10))
    }

    private func pending(interval: Duration? = nil, limit: Int = 100) -> PendingEntries<Int> {
        PendingEntries(after: 1, limit: limit, byteLimit: 1_000, interval: interval)
    }

    @Test("Entries that arrive while a group is appended form the next group")
    func groups() {
        var pending = pending()
        #expect(pending.append(entry(2)) == .now)
        #expect(pending.take(atMost: 1_000, hasOtherWork: false).map(\.identity.number) == [2])
        #expect(pending.append(entry(3)) == .no)
        #expect(pending.append(entry(4)) == .no)
        pending.noteAppended(through: 2)
        #expect(pending.take(atMost: 1_000, hasOtherWork: false).map(\.identity.number) == [3, 4])
        pending.noteAppended(through: 4)
        #expect(pending.take(atMost: 1_000, hasOtherWork: false).isEmpty)
        #expect(!pending.isAwake)
        #expect(pending.bytes == 0)
    }

    @Test("A group has a maximum of bytes, and a minimum of one entry")
    func bytes() {
        var pending = pending()
        for number in UInt64(2)...6 { _ = pending.append(entry(number)) }
        #expect(pending.take(atMost: 25, hasOtherWork: false).map(\.identity.number) == [2, 3])
        #expect(pending.take(atMost: 1, hasOtherWork: false).map(\.identity.number) == [4])
        #expect(pending.take(atMost: 1_000, hasOtherWork: false).map(\.identity.number) == [5, 6])
    }

    @Test("The entries of a dispatch are taken together, when it has ended")
    func dispatches() {
        var pending = pending()
        #expect(pending.append(entry(2)) == .now)
        pending.beginDispatch()
        #expect(pending.append(entry(3)) == .no)
        #expect(pending.untaken == 1)
        #expect(pending.take(atMost: 1_000, hasOtherWork: false).map(\.identity.number) == [2])
        #expect(pending.take(atMost: 1_000, hasOtherWork: false).isEmpty)
        for number in UInt64(4)...5 { #expect(pending.append(entry(number)) == .no) }
        #expect(pending.endDispatch() == .now)
        #expect(pending.append(entry(6)) == .no)
        // More bytes than a group has otherwise, also after a failure.
        #expect(pending.take(atMost: 1, hasOtherWork: false).map(\.identity.number) == [3, 4, 5])
        pending.noteAppended(through: 2)
        #expect(pending.retry(after: .zero) == .again(after: .zero))
        #expect(pending.take(atMost: 25, hasOtherWork: false).map(\.identity.number) == [3, 4, 5])
        #expect(pending.take(atMost: 25, hasOtherWork: false).map(\.identity.number) == [6])
    }

    @Test("A caller that waits for a part of a dispatch does not wait for an interval")
    func waiterWithinADispatch() {
        var pending = pending(interval: .seconds(1))
        pending.beginDispatch()
        #expect(pending.append(entry(2)) == .no)
        guard case .waits(.now) = pending.wait(for: 2, 1, pending.makeIdentity()) else {
            Issue.record("The writer is not woken.")
            return
        }
        #expect(pending.take(atMost: 1_000, hasOtherWork: false).isEmpty)
        #expect(pending.append(entry(3)) == .no)
        #expect(pending.endDispatch() == .now)
        #expect(pending.take(atMost: 1_000, hasOtherWork: false).map(\.identity.number) == [2, 3])
    }

    @Test("The entries of a dispatch that is larger than groups of engines are taken in several groups")
    func largeDispatch() {
        var pending = pending()
        let count = UInt64(PendingEntries<Int>.largestDispatch.entries)
        for number in [2, count + 2, 2 * count + 3] {
            pending.beginDispatch()
            for number in number..<number + count { #expect(pending.append(entry(number)) == .no) }
            if number > 2 { #expect(pending.append(entry(number + count)) == .no) }
            #expect(pending.endDispatch() == (number == 2 ? .now : .no))
        }
        #expect(pending.take(atMost: 10, hasOtherWork: false).count == Int(count))
        #expect(pending.take(atMost: 10, hasOtherWork: false).map(\.identity.number) == [count + 2])
        pending.noteAppended(through: 3 * count + 3)
        #expect(pending.bytes == 0)
    }

    @Test("A dispatch without an entry, or with one, wakes the writer at most once, and an interval begins at its end")
    func smallDispatches() {
        var pending = pending(interval: .seconds(1))
        pending.beginDispatch()
        #expect(pending.endDispatch() == .no)
        #expect(pending.endDispatch() == .no)
        pending.beginDispatch()
        #expect(pending.append(entry(2)) == .no)
        #expect(pending.endDispatch() == .after(.seconds(1)))
        pending.beginDispatch()
        #expect(pending.append(entry(3)) == .no)
        #expect(pending.intervalEnded() == .now)
        #expect(pending.take(atMost: 1_000, hasOtherWork: false).map(\.identity.number) == [2])
        #expect(pending.endDispatch() == .no)
        #expect(pending.take(atMost: 1_000, hasOtherWork: false).map(\.identity.number) == [3])
    }

    @Test("Waiters resume in the order of their entries, and never before these are settled")
    func waiters() {
        var pending = pending()
        for number in UInt64(2)...5 { _ = pending.append(entry(number)) }
        for (number, waiter) in [(UInt64(4), 40), (2, 20), (4, 41), (3, 30)] {
            let identity = pending.makeIdentity()
            guard case .waits = pending.wait(for: number, waiter, identity) else {
                Issue.record("Nothing is settled yet.")
                return
            }
        }
        #expect(pending.settle(through: 3) == [20, 30])
        #expect(pending.settle(through: 3) == [])
        #expect(pending.settle(through: 5) == [40, 41])
        guard case .over(nil) = pending.wait(for: 5, 50, pending.makeIdentity()) else {
            Issue.record("It is settled.")
            return
        }
    }

    @Test("Waiters are removed in any order, quickly however many there are, and the others resume in order")
    func removedWaiters() {
        let start = ContinuousClock.now
        var waiters = OrderedWaiters<Int>()
        let numbers = (0..<20_000).map { UInt64($0 / 4) }
        let identities = numbers.map { _ in waiters.makeIdentity() }
        for (index, number) in numbers.enumerated() { waiters.add(index, for: number, identities[index]) }
        for index in numbers.indices.reversed() where !index.isMultiple(of: 5) {
            #expect(waiters.remove(identities[index], for: numbers[index]) == index)
        }
        #expect(waiters.last == numbers[19_995])
        #expect(waiters.remove(identities[1], for: numbers[1]) == nil)
        #expect(waiters.remove(identities[0], for: 7) == nil)
        #expect(waiters.take(within: 5...10) == [20, 25, 30, 35, 40])
        #expect(waiters.take(through: 100) == [0, 5, 10, 15] + Array(stride(from: 45, through: 400, by: 5)))
        #expect(waiters.remove(identities[405], for: numbers[405]) == 405)
        #expect(waiters.take(through: .max) == Array(stride(from: 410, to: 20_000, by: 5)))
        #expect(waiters.last == nil)
        // A search through all of them for each removal takes minutes.
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test("A removed waiter is not the last one, also after later ones were taken")
    func removedBeforeTaken() {
        var waiters = OrderedWaiters<Int>()
        let identities = (0..<3).map { _ in waiters.makeIdentity() }
        for index in 0..<3 { waiters.add(index, for: UInt64(index), identities[index]) }
        #expect(waiters.remove(identities[1], for: 1) == 1)
        #expect(waiters.take(within: 2...2) == [2])
        #expect(waiters.last == 0)
    }

    @Test("Entries that could not be appended are taken again when their time has come, and not sooner")
    func retry() {
        var pending = pending()
        for number in UInt64(2)...4 { _ = pending.append(entry(number)) }
        _ = pending.take(atMost: 1_000, hasOtherWork: false)
        pending.noteAppended(through: 2)
        #expect(pending.retry(after: .seconds(1)) == .again(after: .seconds(1)))
        #expect(pending.append(entry(5)) == .no)
        guard case .waits(.no) = pending.wait(for: 5, 1, pending.makeIdentity()) else {
            Issue.record("It is too early to try again.")
            return
        }
        #expect(pending.wake() == .no)
        #expect(pending.waitEnded() == .now)
        #expect(pending.take(atMost: 1_000, hasOtherWork: false).map(\.identity.number) == [3, 4, 5])
        pending.noteAppended(through: 5)
    }

    @Test("Entries that could not be appended are retried before the end of an interval, and not at once by new ones")
    func retryWithinInterval() {
        var pending = pending(interval: .seconds(60))
        #expect(pending.append(entry(2)) == .after(.seconds(60)))
        guard case .waits(.now) = pending.wait(for: 2, 1, pending.makeIdentity()) else {
            Issue.record("The writer is asleep, and has to be woken.")
            return
        }
        #expect(pending.take(atMost: 1_000, hasOtherWork: false).count == 1)
        #expect(pending.retry(after: .seconds(1)) == .again(after: .seconds(1)))
        #expect(pending.append(entry(3)) == .no)
        #expect(pending.waitEnded() == .now)
        #expect(pending.take(atMost: 1_000, hasOtherWork: false).count == 2)
        #expect(pending.retry(after: .seconds(2)) == .again(after: .seconds(2)))
        #expect(pending.intervalEnded() == .no)
        #expect(pending.waitEnded() == .now)
        #expect(pending.retry(after: .seconds(2)) == .again(after: .seconds(2)))
    }

    @Test("With an interval the writer is woken once for all entries in it, and at once for a waiter")
    func interval() {
        var pending = pending(interval: .seconds(1))
        #expect(pending.append(entry(2)) == .after(.seconds(1)))
        #expect(pending.append(entry(3)) == .no)
        #expect(pending.intervalEnded() == .now)
        #expect(pending.take(atMost: 1_000, hasOtherWork: false).count == 2)
        pending.noteAppended(through: 3)
        #expect(pending.take(atMost: 1_000, hasOtherWork: false).isEmpty)
        #expect(pending.append(entry(4)) == .after(.seconds(1)))
        guard case .waits(.now) = pending.wait(for: 4, 1, pending.makeIdentity()) else {
            Issue.record("The writer is asleep, and has to be woken.")
            return
        }
        _ = pending.take(atMost: 1_000, hasOtherWork: false)
        pending.noteAppended(through: 4)
        #expect(pending.settle(through: 4) == [1])
        #expect(pending.take(atMost: 1_000, hasOtherWork: false).isEmpty)
        // There is nothing left to do at the timeout.
        #expect(pending.intervalEnded() == .no)
    }

    @Test("The queue is full at its limit of entries or bytes, until some are settled", arguments: [2, 100])
    func limits(limit: Int) {
        var pending = PendingEntries<Int>(after: 0, limit: limit, byteLimit: limit == 2 ? 1_000 : 20, interval: nil)
        _ = pending.append(entry(1))
        #expect(!pending.isFull)
        #expect(pending.isBusy)
        _ = pending.append(entry(2))
        #expect(pending.isFull)
        _ = pending.take(atMost: 1_000, hasOtherWork: false)
        #expect(pending.isFull)
        pending.noteAppended(through: 1)
        _ = pending.settle(through: 1)
        #expect(!pending.isFull)
    }

    @Test("No waiter is left at the end, whatever happened before")
    func end() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var pending = pending(interval: Bool.random(using: &generator) ? .seconds(1) : nil)
            var waiting: Set<Int> = []
            for step in 0..<40 {
                switch Int.random(in: 0..<6, using: &generator) {
                case 0, 1: _ = pending.append(entry(pending.accepted + 1))
                case 2:
                    let identity = pending.makeIdentity()
                    if case .waits = pending.wait(for: pending.accepted, step, identity) { waiting.insert(step) }
                case 3: _ = pending.take(atMost: 30, hasOtherWork: false)
                case 4: _ = pending.retry(after: .seconds(1))
                default:
                    let number = UInt64.random(in: pending.appended...pending.accepted, using: &generator)
                    pending.noteAppended(through: number)
                    for waiter in pending.settle(through: number) { #expect(waiting.remove(waiter) != nil) }
                }
            }
            let error = ActionLogError(.closed, in: "log", "The end.")
            for waiter in pending.end(error) { #expect(waiting.remove(waiter) != nil) }
            #expect(waiting.isEmpty)
            guard case .over(error) = pending.wait(for: pending.accepted + 1, 0, pending.makeIdentity()) else {
                Issue.record("A caller would wait forever.")
                return
            }
        }
    }
}
