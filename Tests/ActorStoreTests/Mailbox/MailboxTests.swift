import Testing

@testable import ActorStore
@testable import TestFixtures

@Suite("The state machine of the mailbox", .timeLimit(.minutes(10)))
struct MailboxTests {
    enum Note: MailboxMessage, Equatable {
        case action(Int)
        case batch(Int, count: Int)
        case task(Int)
        case removed

        var weight: Int {
            switch self {
            case .action: 1
            case .batch(_, let count): count
            case .task, .removed: 0
            }
        }
        var isRemoved: Bool { self == .removed }
        var priority: UInt8 { 0 }
    }

    func mailbox(_ limit: Int, _ policy: MailboxCapacity.OverflowPolicy) -> Mailbox<Note> {
        Mailbox(capacity: .bounded(limit, whenFull: policy))
    }

    func take(_ mailbox: inout Mailbox<Note>) -> [Note] {
        var batch: [Note] = []
        mailbox.take(into: &batch)
        return batch.filter { !$0.isRemoved }
    }

    @Test("An unbounded mailbox accepts everything, in order")
    func unbounded() {
        var mailbox = Mailbox<Note>(capacity: .unbounded)
        for number in 0..<1_000 { #expect(mailbox.offer(.action(number)).isAccepted) }
        #expect(mailbox.offer(.batch(0, count: .max)).isAccepted == false || mailbox.waitingActions > 0)
        #expect(take(&mailbox).prefix(1_000) == (0..<1_000).map(Note.action)[...])
        #expect(take(&mailbox).isEmpty)
    }

    @Test("Taking all messages empties the mailbox, and lends the memory of the batch", arguments: [1, 2, 3])
    func taking(rounds: Int) {
        var mailbox = mailbox(2, .reject)
        for _ in 0..<rounds {
            #expect(mailbox.offer(.action(1)).isAccepted)
            #expect(mailbox.offer(.action(2)).isAccepted)
            #expect(mailbox.offer(.action(3)).isFull)
            #expect(take(&mailbox) == [.action(1), .action(2)])
            #expect(mailbox.waitingActions == 0)
        }
    }

    @Test("Messages that must not be dropped pass a full mailbox, and keep their place")
    func tasksPass() {
        var mailbox = mailbox(1, .dropOldest)
        mailbox.append(.task(0))
        #expect(mailbox.offer(.action(1)).isAccepted)
        mailbox.append(.task(2))
        #expect(mailbox.offer(.action(3)).isInPlaceOfOthers)
        #expect(mailbox.takeRefused().map(\.message) == [.action(1)])
        mailbox.append(.task(4))
        #expect(take(&mailbox) == [.task(0), .task(2), .action(3), .task(4)])
    }

    @Test("The queue stays short while the oldest messages are dropped for a long time")
    func dropOldestIsBounded() {
        var mailbox = mailbox(10, .dropOldest)
        mailbox.append(.task(0))
        for number in 0..<100_000 { _ = mailbox.offer(.action(number)) }
        #expect(mailbox.messages.count <= 25)
        #expect(mailbox.droppedActions == 99_990)
        #expect(take(&mailbox) == [.task(0)] + (99_990..<100_000).map(Note.action))
    }

    @Test("A batch displaces as many messages as it needs, and is dropped if it could never fit")
    func batches() {
        var mailbox = mailbox(4, .dropOldest)
        for number in 0..<4 { _ = mailbox.offer(.action(number)) }
        #expect(mailbox.offer(.batch(9, count: 3)).isInPlaceOfOthers)
        #expect(mailbox.takeRefused().map(\.message) == [.action(0), .action(1), .action(2)])
        #expect(mailbox.takeRefused().isEmpty)
        #expect(mailbox.offer(.batch(8, count: 5)).isDropped)
        #expect(mailbox.waitingActions == 4)
        #expect(mailbox.droppedActions == 8)
        #expect(take(&mailbox) == [.action(3), .batch(9, count: 3)])
    }

    @Test("Suspended messages enter in order as there is room, before new ones")
    func suspended() {
        var mailbox = mailbox(2, .suspend)
        #expect(mailbox.suspend(.action(0)) == nil)
        #expect(mailbox.suspend(.action(1)) == nil)
        let keys = (2..<6).map { mailbox.suspend(.action($0)) }
        #expect(keys.allSatisfy { $0 != nil })
        #expect(take(&mailbox) == [.action(0), .action(1)])
        // Two of the suspended messages have the room already, and the others come before new ones.
        #expect(mailbox.offer(.action(9)).isFull)
        #expect(keys[2].map { mailbox.withdraw($0) } == true)
        #expect(mailbox.takeRefused().map(\.message) == [.action(4)])
        #expect(keys[0].map { mailbox.withdraw($0) } == false)
        #expect(take(&mailbox) == [.action(2), .action(3)])
        #expect(take(&mailbox) == [.action(5)])
        #expect(mailbox.offer(.action(9)).isAccepted)
    }

    @Test("An empty batch is accepted also while others wait for room")
    func emptyBatch() {
        var mailbox = mailbox(1, .suspend)
        #expect(mailbox.suspend(.action(0)) == nil)
        #expect(mailbox.suspend(.action(1)) != nil)
        #expect(mailbox.offer(.batch(9, count: 0)).isAccepted)
        #expect(take(&mailbox) == [.action(0), .batch(9, count: 0)])
        #expect(take(&mailbox) == [.action(1)])
    }

    @Test("A closed mailbox accepts internal messages only, and refuses those that wait for room")
    func closing() {
        var mailbox = mailbox(1, .suspend)
        _ = mailbox.offer(.action(0))
        _ = mailbox.suspend(.action(1))
        _ = mailbox.suspend(.action(2))
        mailbox.close()
        #expect(mailbox.takeRefused().map(\.message) == [.action(1), .action(2)])
        #expect(mailbox.offer(.action(3)).isClosed)
        #expect(take(&mailbox) == [.action(0)])
        #expect(mailbox.offer(.action(4), whenClosed: true).isAccepted)
        #expect(take(&mailbox) == [.action(4)])
    }

    @Test("A mailbox can be closed on condition that no message waits in it, or for room in it")
    func closingIfEmpty() {
        var mailbox = mailbox(1, .suspend)
        _ = mailbox.offer(.action(0))
        _ = mailbox.suspend(.action(1))
        let isClosedWhenFull = mailbox.closeIfEmpty()
        #expect(take(&mailbox) == [.action(0)])
        let isClosedWithOneThatCameIn = mailbox.closeIfEmpty()
        #expect(take(&mailbox) == [.action(1)])
        let isClosedWhenEmpty = mailbox.closeIfEmpty()
        #expect(!isClosedWhenFull && !isClosedWithOneThatCameIn && isClosedWhenEmpty)
        #expect(mailbox.offer(.action(2)).isClosed)
    }
}

extension Mailbox.Admission where Message == MailboxTests.Note {
    var isAccepted: Bool { if case .accepted = self { true } else { false } }
    var isDropped: Bool { if case .dropped = self { true } else { false } }
    var isFull: Bool { if case .full = self { true } else { false } }
    var isClosed: Bool { if case .closed = self { true } else { false } }
    var isInPlaceOfOthers: Bool { if case .acceptedInPlaceOfOthers = self { true } else { false } }
}
