public import ActorStore

extension DurableStore {
    /// Does work that must be done, for each entry of a part of the state, until the entry is gone: again after a
    /// failure, and again after a crash.
    ///
    /// What must happen stands in the state, and so in the log, until it has happened:
    ///
    /// ```swift
    /// // In the reducer
    /// case .ordered(let order): state.unshipped[order.id] = order
    /// case .shipped(let id): state.unshipped[id] = nil
    ///
    /// // After the start
    /// orders.runEffects(for: \.unshipped) { id, order in
    ///     try await warehouse.ship(order, requestID: id)
    ///     return .shipped(id)
    /// }
    /// ```
    ///
    /// The work of an entry begins when the log has the actions that have put it there. The action that it returns is
    /// sent. If the entry is still there afterwards, or the work throws, there is another attempt after a wait; errors
    /// go to `Store.errors`. If the entry goes meanwhile, the work is cancelled. So the work of each entry is done at
    /// least once. It can be done twice: by a program that has crashed, or stood still, before the action was in the
    /// log, and by the one that goes on. Give the key to whoever must do it once.
    ///
    /// The work belongs to the store, as effects do: it ends with the store's shutdown, which lets attempts finish or
    /// cancels them, and begins no further ones. Call this once for each part, when the store is ready for it; entries
    /// that the recovery has brought are found then. A change of the part costs time in proportion to its entries.
    ///
    /// - Parameters:
    ///   - keyPath: The entries. Give each a key that does not come again.
    ///   - limit: How many attempts run at a time.
    ///   - policy: How often it is tried, and after which waits; without end by default, after a second at first and
    ///     after a minute at most. When there are no more attempts, the entry waits for the next start.
    ///   - clock: Measures the waits; a test gives one of its own.
    ///   - fileID: Where the work is written; leave the default.
    ///   - line: Where the work is written; leave the default.
    ///   - work: What is to be done; it returns the action that takes the entry away.
    public func runEffects<Key: Hashable & Sendable, Value: Equatable & Sendable>(
        for keyPath: KeyPath<State, [Key: Value]> & Sendable,
        atMost limit: Int = 16,
        retry policy: RetryPolicy = .untilItSucceeds,
        clock: any Clock<Duration> = ContinuousClock(),
        fileID: String = #fileID,
        line: UInt = #line,
        _ work: @escaping @Sendable (_ key: Key, _ value: Value) async throws -> Action
    ) {
        DurableEffectRunner(
            store.weak,
            { $0[keyPath: keyPath] },
            limit: limit,
            retry: policy,
            clock: clock,
            at: CodeLocation(fileID: fileID, line: line),
            commit: { [log] in (try? await log.commit()) != nil },
            work: work
        )
        .start(store.values(of: keyPath, fileID: fileID, line: line))
    }

    /// Sends an action when a time has come that a part of the state names: also one that came while no program ran.
    ///
    /// ```swift
    /// // In the reducer
    /// case .reserved(let seat, let end): state.reservations[seat] = end        // A WallClock.Instant
    /// case .reservationEnded(let seat): state.reservations[seat] = nil
    ///
    /// // After the start
    /// bookings.sendReminders(for: \.reservations, clock: WallClock()) { seat in .reservationEnded(seat) }
    /// ```
    ///
    /// A time is in the log, because the state is. Its action is sent once, when the log has what the state is made of:
    /// soon after the time, in the order of the times, or at the start if the time has passed. One that is refused, because
    /// the log is full for instance, is sent again after a second. The action has to take
    /// the entry away, or give it another time; an entry that stays as it is has its action sent again by the next
    /// program, and not by this one.
    ///
    /// Like an effect that says `cancelOnShutdown()`, this ends with the store's shutdown. Call this once for each part.
    /// A change of the part costs time in proportion to its entries.
    ///
    /// - Parameters:
    ///   - keyPath: The times.
    ///   - clock: Tells the time, and waits for it. Its times have to mean the same after a restart, as those of the
    ///     `WallClock` of ActorStoreFoundation do, and not those of a `ContinuousClock`.
    ///   - fileID: Where the reminders are written; leave the default.
    ///   - line: Where the reminders are written; leave the default.
    ///   - action: Makes the action for an entry.
    public func sendReminders<Key: Hashable & Sendable, Time: Clock>(
        for keyPath: KeyPath<State, [Key: Time.Instant]> & Sendable,
        clock: Time,
        fileID: String = #fileID,
        line: UInt = #line,
        _ action: @escaping @Sendable (_ key: Key) -> Action
    ) where Time.Duration == Duration {
        ReminderSender(
            store.weak,
            { $0[keyPath: keyPath] },
            clock: clock,
            at: CodeLocation(fileID: fileID, line: line),
            commit: { [log] in (try? await log.commit()) != nil },
            action: action
        )
        .start(store.values(of: keyPath, fileID: fileID, line: line))
    }
}

extension RetryPolicy {
    /// Without end: after a second at first, then twice as long each time, up to a minute, spread by half of that.
    public static let untilItSucceeds = RetryPolicy(
        maxAttempts: .max,
        backoff: .exponential(base: .seconds(1), cap: .seconds(60)),
        jitter: .equal
    )
}
