import ActorStore

/// Sends the reminders of a part of the state, as effects of the store.
final class ReminderSender<State: Sendable, Action: Sendable, Key: Hashable & Sendable, Time: Clock>: Sendable
where Time.Duration == Duration {
    private let store: WeakStore<State, Action>
    private let clock: Time
    private let source: CodeLocation
    /// Waits until the log has the current state, and returns whether the store still accepts actions.
    private let commit: @Sendable () async -> Bool
    private let room: LogRoom
    private let action: @Sendable (Key, Time.Instant) -> Action
    /// Used in the turn of the store, and by the task that sends.
    private let schedule = LockedValue(ReminderSchedule<Key, Time.Instant>())
    /// Signals that the times have changed, or that one has come.
    private let (wakeUps, waker) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    init(
        _ store: WeakStore<State, Action>,
        clock: Time,
        at source: CodeLocation,
        commit: @escaping @Sendable () async -> Bool,
        room: LogRoom,
        action: @escaping @Sendable (Key, Time.Instant) -> Action
    ) {
        self.store = store
        self.clock = clock
        self.source = source
        self.commit = commit
        self.room = room
        self.action = action
    }

    /// Starts, and continues until the store is shut down or released.
    ///
    /// - Parameter observe: Observes the entries in the turn of the store, so that no change is missed.
    func start(_ observe: (@escaping @Sendable ([Key: Time.Instant]) -> Void) -> StoreObservation?) {
        // The task below would miss an entry that is removed and added again between two of its looks.
        observe { [weak self, waker] times in
            // The former values are released without the lock.
            _ = self?.schedule.withLock { schedule in
                let former = schedule
                schedule.note(times)
                return former
            }
            waker.yield()
        }?.bound(to: self)
        begin { [self] send in
            // Once this effect is cancelled, it could still begin a wait.
            defer { store.begin(.cancel(id: waitID)) }
            for await _ in wakeUps {
                guard try await sendDue(send) else { return }
            }
        }
    }

    /// Identifies the wait for the next time.
    private struct WaitID: Hashable { let sender: ObjectIdentifier }

    private var waitID: WaitID { WaitID(sender: ObjectIdentifier(self)) }

    private func begin(
        id: WaitID? = nil,
        _ body: @escaping @Sendable (Send<Action>) async throws -> Void
    ) {
        let work = Effect.run(id: id, policy: .cancelInFlight, fileID: source.fileID, line: source.line, body)
        store.begin(work.cancelOnShutdown())
    }

    /// Sends the due reminders, and waits for the next time.
    ///
    /// - Returns: Whether the store still accepts actions.
    private func sendDue(_ send: Send<Action>) async throws -> Bool {
        guard store.isAlive else { return false }
        // The clock is read without the lock: a turn can wait for this one, and the owner of a clock's lock for a turn.
        let current = schedule.withLock { $0 }
        var plan = current.plan(at: clock.now)
        if !plan.due.isEmpty {
            guard await commit() else { return false }
            for key in plan.due {
                // Another action may have changed the entry first.
                guard let due = current.times[key], schedule.withLock({ $0.noteSent(key, for: due) }) else { continue }
                do {
                    if try await room.send(action(key, due), by: send) { continue }
                    schedule.withLock { $0.noteUnsent(key) }
                    // The log would refuse the others, too.
                    wait(until: clock.now.advanced(by: .untilRoom))
                    return true
                } catch {
                    try Task.checkCancellation()
                    // An interceptor has refused the action.
                    let now = clock.now
                    schedule.withLock { $0.noteRefused(key, at: now) }
                }
            }
            plan = schedule.withLock { $0 }.plan(at: clock.now)
        }
        if !plan.due.isEmpty { waker.yield() } else if let next = plan.next { wait(until: next) }
        return true
    }

    private func wait(until next: Time.Instant) {
        begin(id: waitID) { [clock, waker] _ in
            try await clock.sleep(until: next, tolerance: nil)
            waker.yield()
        }
    }
}
