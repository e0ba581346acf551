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
    /// For each entry this does what ``effect(on:owner:clock:fileID:line:_:)`` does for one state. An effect is
    /// cancelled when its entry's state is no longer running, or its entry is removed; the effects of other entries
    /// continue.
    ///
    /// An entry that one action removes and a later action adds again under the same key is another entry with its own
    /// effect, even if both actions are in one batch (``Store/send(contentsOf:)``): the running effect is cancelled,
    /// and `effect` is called again at the end of the batch. If a single action does both, the entry has only changed:
    /// its effect runs on if the ``EffectAttempt`` is the same, so give the new entry's state another
    /// ``EffectState/id``. (In a batch, an effect of a scope created with `removeDuplicates:` follows only the table at
    /// the end of the batch.)
    ///
    /// An action that does not write to the table has no extra cost. One that does, also within a batch, costs the
    /// search for the entries that differ: with a `TreeDictionary` in proportion to their number, with a `Dictionary`,
    /// a `KeyedArray` or an `Array` in proportion to the number of all entries; see ``ObservableTable``. The entries of
    /// an `Array` are identified by their indices, so an entry that moves is another entry.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - keyPath: The effect's state in an entry.
    ///   - owner: An object whose release ends the effects. It is not retained.
    ///   - clock: The clock for the delays of attempts.
    ///   - fileID: The file of the caller, for diagnostics.
    ///   - line: The line of the caller, for diagnostics.
    ///   - effect: Returns the effect for the entry of a key. It runs within the store's turn, and must not block.
    /// - Returns: A token that ends the effects when it is cancelled. It can be ignored.
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
        // The entries after the last turn that changed them, and after the last action of a batch.
        let last = host.lastValue(of: Table.self)
        let seen = host.seenTable(Table())
        return host.drive(by: .part(table), driver) { entries in
            seen.replace(by: entries)
            driver.watch { host in
                host.check(table, seen) {
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

    /// Runs an effect for each running ``EffectState`` in a table of effect states.
    ///
    /// This is ``effect(forEach:on:owner:clock:fileID:line:_:)`` for a table whose entries are effect states.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - owner: An object whose release ends the effects. It is not retained.
    ///   - clock: The clock for the delays of attempts.
    ///   - fileID: The file of the caller, for diagnostics.
    ///   - line: The line of the caller, for diagnostics.
    ///   - effect: Returns the effect for the entry of a key. It runs within the store's turn, and must not block.
    /// - Returns: A token that ends the effects when it is cancelled. It can be ignored.
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

    /// Runs work for each entry of a table whose ``EffectState`` is running.
    ///
    /// This is a shorter form of ``effect(forEach:on:owner:clock:fileID:line:_:)`` for work that needs only the key and
    /// the entry.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - keyPath: The effect's state in an entry.
    ///   - owner: An object whose release ends the effects. It is not retained.
    ///   - clock: The clock for the delays of attempts.
    ///   - fileID: The file of the caller, for diagnostics.
    ///   - line: The line of the caller, for diagnostics.
    ///   - work: The work. It receives the key and the entry at the time when the attempt was requested.
    ///   - failure: Maps the key and an error that `work` throws to an action. Without this closure, errors reach
    ///     ``errors``.
    /// - Returns: A token that ends the effects when it is cancelled. It can be ignored.
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
