public import ActorStore

extension ReplicatedStore {
    /// Runs an operation for each entry of a part of the state until the entry is removed: again after a failure, and
    /// on another replica if this one fails.
    ///
    /// Keep an effect that must happen in the state until it has happened:
    ///
    /// ```swift
    /// stock.runEffects(for: \.unshipped) { id, order in
    ///     try await warehouse.ship(order, requestID: id)
    ///     return .shipped(id)
    /// }
    /// ```
    ///
    /// The replica that holds the lease of effects runs the operations. Call this on all replicas, with
    /// ``EffectPlacement/leaseHolder(lasting:)``; with another placement, this traps. If a replica loses the lease, its
    /// attempts are cancelled, and the actions that they return are not reduced; the next holder starts with all
    /// entries. So each operation runs at least once, and can run twice. Pass the key to services that must act once.
    ///
    /// An attempt has succeeded when the action that it returns was read from the log and the entry is removed.
    /// Otherwise another attempt follows after a delay; errors go to `Store.errors`. While the log refuses actions for
    /// the moment, the action waits. If the entry is removed meanwhile, the operation is cancelled. The store's
    /// shutdown lets attempts finish or cancels them, and starts no more. `Store.cancelAllEffects()` ends the
    /// operations until this replica next acquires the lease; do not call this again.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the entries. Do not use a key twice.
    ///   - limit: The maximum number of concurrent attempts. The operation of a removed entry counts until it ends; one
    ///     of an earlier lease of this replica, which was cancelled and still runs, does not count.
    ///   - policy: The number of attempts and their delays; by default without limit, after a second at first and at
    ///     most a minute. After the last attempt, the entry waits for the next holder.
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
        requireLease(for: "runEffects(for:)")
        replica.onLease { [root = root.weak, weak store, weak replica] token in
            guard let replica else { return }
            DurableEffectRunner(
                root,
                { $0.state[keyPath: keyPath] },
                // An operation of an earlier lease may never end, and another replica may have run others since.
                of: ObligationPart(keyPath: keyPath, lease: token),
                limit: limit,
                retry: policy,
                clock: clock,
                at: CodeLocation(fileID: fileID, line: line),
                commit: { [weak replica] in replica?.lease?.token == token },
                room: replica.room(under: token),
                // A replica that is being shut down lets attempts finish, and starts no more.
                isInCharge: { [weak replica] in
                    guard let replica, !replica.isClosing else { return false }
                    return replica.lease?.token == token
                },
                settle: { [weak replica] in try? await replica?.wait() },
                work: { key, value in
                    .local(try await work(key, value), LocalSender(lease: token, isEffect: true))
                }
            )
            .start { signal in store?.observe(keyPath, fileID: fileID, line: line) { _ in signal() } }
        }
    }

    /// Sends an action at each time in a part of the state, from the replica that holds the lease of effects.
    ///
    /// ```swift
    /// bookings.sendReminders(for: \.reservations, clock: WallClock()) { seat, end in .reservationEnded(seat, end) }
    /// ```
    ///
    /// Call this on all replicas, with ``EffectPlacement/leaseHolder(lasting:)``; with another placement, this traps. A
    /// reminder of a replica that has lost the lease is not reduced, and the next holder sends what is due.
    ///
    /// The action must remove the entry, or change its time. If the entry stays unchanged, the next holder sends the
    /// action again, but this one does not. Compare the times in the reducer: another replica can change the entry
    /// until this action is in the log. While too many actions are pending, reminders wait. An action that an
    /// interceptor refuses is sent again: after a second of the clock, then after twice the delay each time, up to a
    /// minute.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the times.
    ///   - clock: The clock of the times. Its instants must mean the same on all machines, like those of the
    ///     `WallClock` of ActorStoreFoundation.
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
        requireLease(for: "sendReminders(for:)")
        replica.onLease { [root = root.weak, weak store, weak replica] token in
            guard let replica else { return }
            ReminderSender(
                root,
                clock: clock,
                at: CodeLocation(fileID: fileID, line: line),
                commit: { [weak replica] in replica?.lease?.token == token },
                room: replica.room(under: token),
                action: { .local(action($0, $1), LocalSender(lease: token, isEffect: true)) }
            )
            .start { store?.observe(keyPath, fileID: fileID, line: line, $0) }
        }
    }

    private func requireLease(for function: String) {
        guard replica.configuration.effects.leaseDuration == nil else { return }
        fatalError(
            """
            \(function) of a replicated store requires one replica that runs the operations. Create the store with \
            `effects: .leaseHolder(lasting:)`.
            """
        )
    }
}
