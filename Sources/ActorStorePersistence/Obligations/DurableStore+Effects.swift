public import ActorStore

extension DurableStore {
    /// Runs an operation for each entry of a part of the state until the entry is removed: again after a failure, and
    /// again after a crash.
    ///
    /// Keep an effect that must happen in the state, and so in the log, until it has happened:
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
    /// The operation of an entry starts when the log has the actions that added it. The action that it returns is sent.
    /// While the log is full, it waits. If the entry still exists afterwards, or the operation throws, another attempt
    /// follows after a delay; errors go to `Store.errors`. If the entry is removed meanwhile, the operation is
    /// cancelled, and an action that waits is dropped.
    ///
    /// So each operation runs at least once. It can run twice: in a program that crashed, or was suspended, before the
    /// action was in the log, and in the program that continues. Pass the key to services that must act once.
    ///
    /// Operations belong to the store, like effects. The store's shutdown lets attempts finish or cancels them, and
    /// starts no more. `Store.cancelAllEffects()` ends this, too. You can call this again afterwards: the operation of
    /// an entry then waits until a cancelled one of the same entry has ended. Otherwise, call this once for each part,
    /// when the store is ready for it; it finds the recovered entries.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the entries. Do not use a key twice.
    ///   - limit: The maximum number of concurrent attempts. The operation of a removed entry counts until it ends,
    ///     and one that waits for a cancelled one counts, too.
    ///   - policy: The number of attempts and their delays; by default without limit, after a second at first and at
    ///     most a minute. After the last attempt, the entry waits for the next start.
    ///   - clock: The clock that measures the delays, also those of an action for which the log has no room. Pass a
    ///     test clock in tests.
    ///   - fileID: The file of the caller, for diagnostics.
    ///   - line: The line of the caller, for diagnostics.
    ///   - work: The operation. It returns the action that removes the entry.
    /// - Complexity: O(*n*) for each change of the part, where *n* is the number of its entries.
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
            of: ObligationPart(keyPath: keyPath),
            limit: limit,
            retry: policy,
            clock: clock,
            at: CodeLocation(fileID: fileID, line: line),
            commit: { [log] in await log.commitAll() },
            room: log.room,
            work: work
        )
        .start { signal in store.observe(keyPath, fileID: fileID, line: line) { _ in signal() } }
    }

    /// Sends an action at each time in a part of the state, even if the time came while no program was running.
    ///
    /// ```swift
    /// // In the reducer
    /// case .reserved(let seat, let end): state.reservations[seat] = end        // A WallClock.Instant
    /// case .reservationEnded(let seat, let end):
    ///     if state.reservations[seat] == end { state.reservations[seat] = nil }
    ///
    /// // After the start
    /// bookings.sendReminders(for: \.reservations, clock: WallClock()) { seat, end in .reservationEnded(seat, end) }
    /// ```
    ///
    /// The times are in the log, because they are part of the state. Each action is sent once, when the log has the
    /// current state: soon after its time, in the order of the times, or at the start if the time has already passed.
    /// While the log is full, they wait. An action that an interceptor refuses is sent again: after a second of the
    /// clock, then after twice the delay each time, up to a minute. Other reminders do not wait for it.
    ///
    /// The action must remove the entry, or change its time. If the entry stays unchanged, the next program sends the
    /// action again, but this one does not. Compare the times in the reducer, as above: another action can be
    /// reduced between the time and this action, and change the entry.
    ///
    /// This ends with the store's shutdown, like an effect with `cancelOnShutdown()`, and with
    /// `Store.cancelAllEffects()`. Call this once for each part.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the times.
    ///   - clock: The clock of the times. Its instants must mean the same after a restart, like those of the
    ///     `WallClock` of ActorStoreFoundation, and unlike those of a `ContinuousClock`.
    ///   - fileID: The file of the caller, for diagnostics.
    ///   - line: The line of the caller, for diagnostics.
    ///   - action: Returns the action for an entry: its key, and its time.
    /// - Complexity: O(*n*) for each change of the part, where *n* is the number of its entries.
    public func sendReminders<Key: Hashable & Sendable, Time: Clock>(
        for keyPath: KeyPath<State, [Key: Time.Instant]> & Sendable,
        clock: Time,
        fileID: String = #fileID,
        line: UInt = #line,
        _ action: @escaping @Sendable (_ key: Key, _ time: Time.Instant) -> Action
    ) where Time.Duration == Duration {
        ReminderSender(
            store.weak,
            clock: clock,
            at: CodeLocation(fileID: fileID, line: line),
            commit: { [log] in await log.commitAll() },
            room: log.room,
            action: action
        )
        .start { store.observe(keyPath, fileID: fileID, line: line, $0) }
    }
}

extension RetryPolicy {
    /// Retries without limit: after a second at first, then after twice the delay each time, up to a minute, with half
    /// of the delay as jitter.
    public static let untilItSucceeds = RetryPolicy(
        maxAttempts: .max,
        backoff: .exponential(base: .seconds(1), cap: .seconds(60)),
        jitter: .equal
    )
}
