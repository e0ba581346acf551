import ActorStore

/// Sends actions that must not be lost while a log has no room for them.
struct LogRoom: Sendable {
    /// Returns whether the log refuses actions for the moment.
    let isFull: @Sendable () -> Bool
    /// Returns the number of actions that the log has refused for the moment.
    let overloads: @Sendable () -> UInt64

    /// Sends an action, unless the log has no room for it.
    ///
    /// - Returns: Whether the store has accepted the action. If not, send it again after ``Swift/Duration/untilRoom``.
    /// - Throws: The refusal of another interceptor, or `CancellationError`.
    func send<Action>(_ action: Action, by send: Send<Action>) async throws -> Bool {
        if isFull() { return false }
        let former = overloads()
        do { try await send.waitingForRoom(action) } catch {
            try Task.checkCancellation()
            // Other senders can fill the log before the action's turn, and it can have room again by now.
            guard error.isRejectionByLog, isFull() || overloads() != former else { throw error }
            return false
        }
        return true
    }
}

extension Duration {
    /// The delay before an action is sent again for which the log had no room.
    static var untilRoom: Duration { .seconds(1) }
}

extension DurableLog {
    var room: LogRoom {
        LogRoom(isFull: { [self] in isFull }, overloads: { [self] in overloads.withLock { $0 } })
    }
}

extension Replica {
    /// The room for actions of effects.
    ///
    /// - Parameter token: The token of the lease of effects under which the actions are sent.
    func room(under token: UInt64) -> LogRoom {
        LogRoom(
            isFull: { [weak self] in self?.isFull(under: token) ?? false },
            overloads: { [weak self] in self?.overloads.withLock { $0 } ?? 0 }
        )
    }
}

extension Error {
    /// Whether the interceptor of a durable or replicated store has refused an action.
    fileprivate var isRejectionByLog: Bool { (self as? StoreError)?.interceptor == "log" }
}
