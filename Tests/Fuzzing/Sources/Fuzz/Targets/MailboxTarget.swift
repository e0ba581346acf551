@testable import ActorStore

/// A mailbox against lists of what waits, for all policies.
enum MailboxTarget {
    enum Letter: MailboxLetter, Equatable {
        case actions(Int, count: Int)
        case task(Int)
        case removed

        var weight: Int { if case .actions(_, let count) = self { count } else { 0 } }
        var isRemoved: Bool { self == .removed }
        var priority: UInt8 { 0 }
    }

    private struct Model {
        let limit: Int
        let policy: MailboxCapacity.OverflowPolicy
        var waiting: [Letter] = []
        var suspended: [(key: UInt64, letter: Letter)] = []
        var dropped = 0
        var isClosed = false

        var actions: Int { waiting.reduce(0) { $0 + $1.weight } }

        func hasRoom(for letter: Letter) -> Bool { suspended.isEmpty && actions + letter.weight <= limit }

        mutating func offer(_ letter: Letter, whenClosed: Bool) -> String {
            if isClosed && !whenClosed { return "closed" }
            if hasRoom(for: letter) {
                waiting.append(letter)
                return "accepted"
            }
            if policy == .suspend || policy == .reject { return "full" }
            if policy == .dropNewest || letter.weight > limit {
                dropped += letter.weight
                return "dropped"
            }
            var displaced: [Letter] = []
            while actions + letter.weight > limit, let oldest = waiting.firstIndex(where: { $0.weight > 0 }) {
                displaced.append(waiting.remove(at: oldest))
                dropped += displaced.last?.weight ?? 0
            }
            waiting.append(letter)
            return "in place of \(displaced)"
        }

        mutating func take() -> [Letter] {
            defer {
                waiting = []
                while actions < limit, !suspended.isEmpty { waiting.append(suspended.removeFirst().letter) }
            }
            return waiting
        }
    }

    static func run(_ bytes: inout Bytes) {
        let policies: [MailboxCapacity.OverflowPolicy] = [.suspend, .reject, .dropNewest, .dropOldest]
        let policy = policies[bytes.below(4)]
        let limit = bytes.below(9) + 1
        let capacity = limit == 9 ? MailboxCapacity.unbounded : .bounded(limit, whenFull: policy)
        var mailbox = Mailbox<Letter>(capacity: capacity)
        var model = Model(limit: limit == 9 ? .max : limit, policy: capacity.policy)
        var number = 0
        while let operation = bytes.next() {
            number += 1
            operate(&mailbox, &model, Int(operation % 8), number, &bytes)
            demand(mailbox.letters.filter { !$0.isRemoved } == model.waiting, "What waits is \(mailbox.letters).")
            demand(mailbox.waitingActions == model.actions, "Counted: \(mailbox.waitingActions).")
            demand(mailbox.droppedActions == model.dropped, "Dropped: \(mailbox.droppedActions).")
            demand(mailbox.suspended.count == model.suspended.count, "Suspended: \(mailbox.suspended.count).")
            demand(mailbox.waitingActions <= mailbox.limit, "More wait than may.")
        }
    }

    private static func operate(
        _ mailbox: inout Mailbox<Letter>,
        _ model: inout Model,
        _ operation: Int,
        _ number: Int,
        _ bytes: inout Bytes
    ) {
        switch operation {
        case 0...2:
            let letter = Letter.actions(number, count: operation == 0 ? 1 : bytes.below(12))
            let whenClosed = bytes.below(8) == 0
            let admission = name(mailbox.offer(letter, whenClosed: whenClosed), &mailbox)
            let expected = model.offer(letter, whenClosed: whenClosed)
            demand(admission == expected, "\(letter) was \(admission), and not \(expected).")
        case 3:
            mailbox.append(.task(number))
            model.waiting.append(.task(number))
        case 4:
            let letter = Letter.actions(number, count: 1)
            if let key = mailbox.suspend(letter) {
                demand(!model.hasRoom(for: letter), "It was suspended although there was room.")
                model.suspended.append((key, letter))
            } else {
                demand(model.hasRoom(for: letter), "It was accepted although there was no room.")
                model.waiting.append(letter)
            }
        case 5 where !model.suspended.isEmpty:
            let (key, letter) = model.suspended.remove(at: bytes.below(model.suspended.count))
            demand(mailbox.withdraw(key) && mailbox.takeRefused().map(\.letter) == [letter], "withdraw")
            demand(!mailbox.withdraw(key), "Withdrawn twice")
        case 6 where bytes.below(8) == 0:
            if bytes.isTrue() {
                let isEmpty = model.waiting.isEmpty && model.suspended.isEmpty
                demand(mailbox.closeIfEmpty() == isEmpty || !mailbox.letters.isEmpty, "closeIfEmpty")
                model.isClosed = mailbox.isClosed
            } else {
                mailbox.close()
                demand(mailbox.takeRefused().map(\.letter) == model.suspended.map(\.letter), "close")
                model.suspended = []
                model.isClosed = true
            }
        default:
            var batch: [Letter] = []
            mailbox.take(into: &batch)
            demand(batch.filter { !$0.isRemoved } == model.take(), "take")
        }
    }

    private static func name(_ admission: Mailbox<Letter>.Admission, _ mailbox: inout Mailbox<Letter>) -> String {
        switch admission {
        case .accepted: "accepted"
        case .acceptedInPlaceOfOthers: "in place of \(mailbox.takeRefused().map(\.letter))"
        case .dropped: "dropped"
        case .full: "full"
        case .closed: "closed"
        }
    }
}
