public import ActorStore

extension ReplicatedStore {
    /// Does work that must be done, for each entry of a part of the state, until the entry is gone: again after a
    /// failure, and by another replica when the one that does it is gone.
    ///
    /// As with a durable store, what must happen stands in the state until it has happened:
    ///
    /// ```swift
    /// stock.runEffects(for: \.unshipped) { id, order in
    ///     try await warehouse.ship(order, requestID: id)
    ///     return .shipped(id)
    /// }
    /// ```
    ///
    /// The replica that has the lease of effects does it, so that all replicas call this, with
    /// ``EffectPlacement/leaseHolder(lasting:)``; with another placement this is a programmer error, and traps. When a
    /// replica loses the lease its attempts are cancelled, and what they return is reduced nowhere; the next holder
    /// begins with all entries. So the work of each entry is done at least once, and can be done twice. Give the key to
    /// whoever must do it once.
    ///
    /// An attempt has succeeded when the action that it returns has come back by the log, and the entry is gone.
    /// Otherwise there is another one after a wait; errors go to `Store.errors`. If the entry goes meanwhile, the work is
    /// cancelled. It ends with the store's shutdown, which lets attempts finish or cancels them, and begins no further
    /// ones. A change of the part costs time in proportion to its entries.
    ///
    /// - Parameters:
    ///   - keyPath: The entries. Give each a key that does not come again.
    ///   - limit: How many attempts run at a time.
    ///   - policy: How often it is tried, and after which waits; without end by default, after a second at first and
    ///     after a minute at most. When there are no more attempts, the entry waits for the next holder.
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
        requireLease(for: "runEffects(for:)")
        let changes = store.values(of: keyPath, fileID: fileID, line: line)
        replica.onLease { [root = root.weak, weak replica] token in
            DurableEffectRunner(
                root,
                { $0.state[keyPath: keyPath] },
                limit: limit,
                retry: policy,
                clock: clock,
                at: CodeLocation(fileID: fileID, line: line),
                commit: { [weak replica] in replica?.lease?.token == token },
                // One that is being shut down lets attempts finish, and begins no others.
                isInCharge: { [weak replica] in
                    guard let replica, !replica.isClosing else { return false }
                    return replica.lease?.token == token
                },
                settle: { [weak replica] in try? await replica?.wait() },
                work: { key, value in
                    .local(try await work(key, value), LocalSender(lease: token, isEffect: true))
                }
            )
            .start(changes)
        }
    }

    /// Sends an action when a time has come that a part of the state names, from the replica that has the lease of
    /// effects.
    ///
    /// ```swift
    /// bookings.sendReminders(for: \.reservations, clock: WallClock()) { seat in .reservationEnded(seat) }
    /// ```
    ///
    /// All replicas call this, with ``EffectPlacement/leaseHolder(lasting:)``; with another placement it is a programmer
    /// error, and traps. A reminder of a replica that has lost the lease is reduced nowhere, and the next holder sends
    /// what is due then. The action has to take the entry away, or give it another time; an entry that stays as it is
    /// has its action sent again by the next holder, and not by this one. One that is refused is sent again after a
    /// second. A change of the part costs time in proportion to its entries.
    ///
    /// - Parameters:
    ///   - keyPath: The times.
    ///   - clock: Tells the time, and waits for it. Its times have to mean the same on all machines, as those of the
    ///     `WallClock` of ActorStoreFoundation do.
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
        requireLease(for: "sendReminders(for:)")
        let changes = store.values(of: keyPath, fileID: fileID, line: line)
        replica.onLease { [root = root.weak, weak replica] token in
            ReminderSender(
                root,
                { $0.state[keyPath: keyPath] },
                clock: clock,
                at: CodeLocation(fileID: fileID, line: line),
                commit: { [weak replica] in replica?.lease?.token == token },
                action: { .local(action($0), LocalSender(lease: token, isEffect: true)) }
            )
            .start(changes)
        }
    }

    private func requireLease(for function: String) {
        guard replica.configuration.effects.leaseDuration == nil else { return }
        fatalError(
            """
            \(function) of a replicated store needs one replica that does the work. Create it with \
            `effects: .leaseHolder(lasting:)`.
            """
        )
    }
}
