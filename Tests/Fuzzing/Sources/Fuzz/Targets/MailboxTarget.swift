@testable import ActorStore

/// A mailbox against lists of pending messages, for all policies.
enum MailboxTarget {
    enum Message: MailboxMessage, Equatable {
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
        var waiting: [Message] = []
        var suspended: [(key: UInt64, message: Message)] = []
        var dropped = 0
        var isClosed = false

        var actions: Int { waiting.reduce(0) { $0 + $1.weight } }

        /// Messages without weight take no room from those that wait for it.
        func hasRoom(for message: Message) -> Bool {
            (suspended.isEmpty || message.weight == 0) && actions + message.weight <= limit
        }

        mutating func offer(_ message: Message, whenClosed: Bool) -> String {
            if isClosed && !whenClosed { return "closed" }
            if hasRoom(for: message) {
                waiting.append(message)
                return "accepted"
            }
            if policy == .suspend || policy == .reject { return "full" }
            if policy == .dropNewest || message.weight > limit {
                dropped += message.weight
                return "dropped"
            }
            var displaced: [Message] = []
            while actions + message.weight > limit, let oldest = waiting.firstIndex(where: { $0.weight > 0 }) {
                displaced.append(waiting.remove(at: oldest))
                dropped += displaced.last?.weight ?? 0
            }
            waiting.append(message)
            return "in place of \(displaced)"
        }

        mutating func take() -> [Message] {
            defer {
                waiting = []
                while actions < limit, !suspended.isEmpty { waiting.append(suspended.removeFirst().message) }
            }
            return waiting
        }
    }

    static func run(_ bytes: inout Bytes) {
        let policies: [MailboxCapacity.OverflowPolicy] = [.suspend, .reject, .dropNewest, .dropOldest]
        let policy = policies[bytes.below(4)]
        let limit = bytes.below(9) + 1
        let capacity = limit == 9 ? MailboxCapacity.unbounded : .bounded(limit, whenFull: policy)
        var mailbox = Mailbox<Message>(capacity: capacity)
        var model = Model(limit: limit == 9 ? .max : limit, policy: capacity.policy)
        var number = 0
        while let operation = bytes.next() {
            number += 1
            operate(&mailbox, &model, Int(operation % 8), number, &bytes)
            demand(mailbox.messages.filter { !$0.isRemoved } == model.waiting, "What waits is \(mailbox.messages).")
            demand(mailbox.waitingActions == model.actions, "Counted: \(mailbox.waitingActions).")
            demand(mailbox.droppedActions == model.dropped, "Dropped: \(mailbox.droppedActions).")
            demand(mailbox.suspended.count == model.suspended.count, "Suspended: \(mailbox.suspended.count).")
            demand(mailbox.waitingActions <= mailbox.limit, "More wait than may.")
        }
    }

    private static func operate(
        _ mailbox: inout Mailbox<Message>,
        _ model: inout Model,
        _ operation: Int,
        _ number: Int,
        _ bytes: inout Bytes
    ) {
        switch operation {
        case 0...2:
            let message = Message.actions(number, count: operation == 0 ? 1 : bytes.below(12))
            let whenClosed = bytes.below(8) == 0
            let admission = name(mailbox.offer(message, whenClosed: whenClosed), &mailbox)
            let expected = model.offer(message, whenClosed: whenClosed)
            demand(admission == expected, "\(message) was \(admission), and not \(expected).")
        case 3:
            mailbox.append(.task(number))
            model.waiting.append(.task(number))
        case 4:
            let message = Message.actions(number, count: 1)
            if let key = mailbox.suspend(message) {
                demand(!model.hasRoom(for: message), "It was suspended although there was room.")
                model.suspended.append((key, message))
            } else {
                demand(model.hasRoom(for: message), "It was accepted although there was no room.")
                model.waiting.append(message)
            }
        case 5 where !model.suspended.isEmpty:
            let (key, message) = model.suspended.remove(at: bytes.below(model.suspended.count))
            demand(mailbox.withdraw(key) && mailbox.takeRefused().map(\.message) == [message], "withdraw")
            demand(!mailbox.withdraw(key), "Withdrawn twice")
        case 6 where bytes.below(8) == 0:
            if bytes.isTrue() {
                let isEmpty = model.waiting.isEmpty && model.suspended.isEmpty
                demand(mailbox.closeIfEmpty() == isEmpty || !mailbox.messages.isEmpty, "closeIfEmpty")
                model.isClosed = mailbox.isClosed
            } else {
                mailbox.close()
                demand(mailbox.takeRefused().map(\.message) == model.suspended.map(\.message), "close")
                model.suspended = []
                model.isClosed = true
            }
        default:
            var batch: [Message] = []
            mailbox.take(into: &batch)
            demand(batch.filter { !$0.isRemoved } == model.take(), "take")
        }
    }

    private static func name(_ admission: Mailbox<Message>.Admission, _ mailbox: inout Mailbox<Message>) -> String {
        switch admission {
        case .accepted: "accepted"
        case .acceptedInPlaceOfOthers: "in place of \(mailbox.takeRefused().map(\.message))"
        case .dropped: "dropped"
        case .full: "full"
        case .closed: "closed"
        }
    }
}
