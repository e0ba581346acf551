import ActorStore

@testable import TestFixtures

extension Depot {
    /// The events in their order.
    final class Log: Sendable {
        enum Event: Sendable, Equatable {
            case intercepted(Action)
            case reduced(Action, by: String)
            /// The number of entries delivered to their observer.
            case told(Int)
        }

        let events = Collector<Event>()
        /// 1 for each beginning of an attempt, -1 for each end.
        let running = Collector<Int>()

        /// Cancels a delivery from outside.
        private let revocation = LockedValue<(@Sendable (Delivery) -> Void)?>(nil)

        func onRevocation(_ cancel: @escaping @Sendable (Delivery) -> Void) { revocation.withLock { $0 = cancel } }

        func revoke(_ delivery: Delivery) { revocation.withLock { $0 }?(delivery) }

        func reduced(_ action: Action, by reducer: String) { events.append(.reduced(action, by: reducer)) }
    }

    struct Complaint: Error, CustomStringConvertible {
        let description: String
    }

    /// Throws unless something holds.
    static func require(_ condition: Bool, _ complaint: @autoclosure () -> String) throws(Complaint) {
        if !condition { throw Complaint(description: complaint()) }
    }
}
