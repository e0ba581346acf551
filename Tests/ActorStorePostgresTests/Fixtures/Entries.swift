#if Postgres
    import ActorStorePersistence
    import Foundation
    import Synchronization

    /// Entries of an origin with some numbers.
    func entries(_ origin: String, _ numbers: ClosedRange<UInt64>) -> [ActionLogEntry] {
        numbers.map { number in
            ActionLogEntry(
                ActionLogEntry.Identity(origin: origin, number: number),
                header: "",
                payload: Data("\(origin) \(number)".utf8)
            )
        }
    }

    /// A closure on its own thread, with a wait for its end.
    final class BackgroundWork<Value: Sendable>: Sendable {
        private let outcome = Mutex<Result<Value, any Error>?>(nil)
        private let group = DispatchGroup()

        init(_ body: @escaping @Sendable () throws -> Value) {
            group.enter()
            let thread = Thread { [self] in
                let result = Result { try body() }
                outcome.withLock { $0 = result }
                group.leave()
            }
            thread.start()
        }

        var isFinished: Bool { outcome.withLock { $0 != nil } }

        /// Waits for its end.
        func value() throws -> Value {
            group.wait()
            guard let result = outcome.withLock({ $0 }) else { throw FixtureFailure("The work has not ended.") }
            return try result.get()
        }
    }
#endif
