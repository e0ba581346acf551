import ActorStore

extension Store {
    /// Runs an effect for each entry of a table whose ``EffectState`` is running.
    ///
    /// ```swift
    /// store.effect(forEach: \.downloads, on: \.progress) { id, state in
    ///     .run { context in
    ///         try await fetch(id)
    ///         context.send(.downloaded(id))
    ///     }
    /// }
    /// ```
    ///
    /// Each entry's effect is what ``effect(on:owner:clock:fileID:line:_:)`` runs for one state: it is cancelled when
    /// the entry's state runs no longer, and when the entry is removed, and no others are.
    ///
    /// An entry that one action removes, and a later one adds again under the same key, is another entry with an effect
    /// of its own, also if both actions are of one batch (``Store/send(contentsOf:)``): what ran is cancelled, and
    /// `effect` is asked anew at the end of the batch. If one action does both, the entry has only changed: its effect
    /// runs on if the ``EffectAttempt`` is the same, so give the new one's state another ``EffectState/id``. (In a
    /// batch, an effect of a scope that is made with `removeDuplicates:` follows what is left at its end only.)
    ///
    /// An action that does not write to the table costs nothing more. One that does, also within a batch, costs what it
    /// takes to find the entries that differ: with a `TreeDictionary` in proportion to their number, with a
    /// `Dictionary`, a `KeyedArray` or an `Array` to that of all entries; see ``ObservableTable``. The entries of an
    /// `Array` are known by their indices, so that one that moves is another one.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - keyPath: The effect's state in an entry.
    ///   - owner: An object with which it ends, and which it does not keep alive.
    ///   - clock: Measures the delays of attempts.
    ///   - fileID: Where this is written; leave the default.
    ///   - line: Where this is written; leave the default.
    ///   - effect: Says what to do for the entry of a key. It is called in the store's turn.
    /// - Returns: what ends it; it can be ignored.
    @inlinable
    @discardableResult
    public nonisolated func effect<Table: ObservableTable & Sendable, Failure: Error & Hashable>(
        forEach table: KeyPath<State, Table> & Sendable,
        on keyPath: KeyPath<Table.Value, EffectState<Failure>> & Sendable,
        owner: (any AnyObject & Sendable)? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        fileID: String = #fileID,
        line: UInt = #line,
        _ effect: @escaping @Sendable (_ key: Table.Key, _ state: State) -> DrivenEffect<State, Action>
    ) -> StoreObservation where Table.Key: Sendable, Table.Value: Sendable {
        let source = CodeLocation(fileID: fileID, line: line)
        let host = reference.driverHost
        let driver: EffectDriver<State, Action, Table.Key, EffectAttempt> =
            host.makeDriver(owner, at: source, clock: clock, delay: { $0.delay }) { key, attempt, state in
                state[keyPath: table].value(forKey: key)?[keyPath: keyPath].attempt == attempt
            } ask: { key, _, state in
                effect(key, state)
            }
        // The entries after the last turn that has changed them, and after the last action of a batch.
        let last = host.lastValue(of: Table.self)
        let seen = host.seenTable(Table())
        return host.drive(by: .part(table), driver) { entries in
            seen.replace(by: entries)
            driver.watch { host in
                host.look(at: table, seen) {
                    driver.isAsked
                } _: { key, oldValue, newValue in
                    guard oldValue != nil, newValue == nil else { return }
                    driver.leave(key) { seen.table.value(forKey: key)?[keyPath: keyPath].attempt }
                }
            }
            entries.visitDifference(from: last.replace(by: entries) ?? Table()) { key, _, value in
                driver.follow(value?[keyPath: keyPath].attempt, for: key)
            }
        }
    }

    /// Runs an effect for each entry of a table of effects' states; otherwise like
    /// ``effect(forEach:on:owner:clock:fileID:line:_:)``.
    @inlinable
    @discardableResult
    public nonisolated func effect<Table: ObservableTable & Sendable, Failure: Error & Hashable>(
        forEach table: KeyPath<State, Table> & Sendable,
        owner: (any AnyObject & Sendable)? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        fileID: String = #fileID,
        line: UInt = #line,
        _ effect: @escaping @Sendable (_ key: Table.Key, _ state: State) -> DrivenEffect<State, Action>
    ) -> StoreObservation where Table.Key: Sendable, Table.Value == EffectState<Failure> {
        self.effect(forEach: table, on: \.self, owner: owner, clock: clock, fileID: fileID, line: line, effect)
    }

    /// Runs work for each entry of a table whose ``EffectState`` is running; otherwise like
    /// ``effect(forEach:on:owner:clock:fileID:line:_:)``.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - keyPath: The effect's state in an entry.
    ///   - owner: An object with which it ends, and which it does not keep alive.
    ///   - clock: Measures the delays of attempts.
    ///   - fileID: Where this is written; leave the default.
    ///   - line: Where this is written; leave the default.
    ///   - work: The work, given the key and the entry at the time when the attempt was asked for.
    ///   - failure: Makes an action of the key and of an error that `work` throws. Without it errors go to ``errors``.
    /// - Returns: what ends it; it can be ignored.
    @inlinable
    @discardableResult
    public nonisolated func effect<Table: ObservableTable & Sendable, Failure: Error & Hashable>(
        forEach table: KeyPath<State, Table> & Sendable,
        on keyPath: KeyPath<Table.Value, EffectState<Failure>> & Sendable,
        owner: (any AnyObject & Sendable)? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        fileID: String = #fileID,
        line: UInt = #line,
        _ work: @escaping @Sendable (Table.Key, Table.Value, SideEffectContext<State, Action>) async throws -> Void,
        catch failure: (@Sendable (_ key: Table.Key, _ error: any Error) -> Action?)? = nil
    ) -> StoreObservation where Table.Key: Sendable, Table.Value: Sendable {
        effect(forEach: table, on: keyPath, owner: owner, clock: clock, fileID: fileID, line: line) { key, state in
            guard let entry = state[keyPath: table].value(forKey: key) else { return .none }
            var entryFailure: (@Sendable (any Error) -> Action?)?
            if let failure { entryFailure = { error in failure(key, error) } }
            return .run(fileID: fileID, line: line, { try await work(key, entry, $0) }, catch: entryFailure)
        }
    }
}
