extension Store {
    /// Returns a sequence of the values of a part of the state: the current value first, then each change, never two
    /// equal values in a row.
    ///
    /// ```swift
    /// for await count in store.values(of: \.count) { print(count) }
    /// ```
    ///
    /// The sequence does not retain the store, but a task that captures the store does. Create the sequence outside the
    /// task:
    ///
    /// ```swift
    /// let counts = store.values(of: \.count)
    /// let display = Task { for await count in counts { show(count) } }
    /// ```
    ///
    /// The observation starts with this call. It ends when the store shuts down or is released, after the newest value,
    /// or when the iterating task is cancelled. An observer of a part that did not change is not woken, and observers
    /// of the same key path share one comparison after each turn.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the part. Looking at a stored property takes a few nanoseconds, at a computed one
    ///     about 100 times as long. Keeping the last value of a collection makes the next change of the collection copy
    ///     it.
    ///   - buffering: Which values are kept between two calls of `next()`. ``BufferingPolicy/latest`` skips
    ///     intermediate values.
    ///   - fileID: The file of the observer, for diagnostics.
    ///   - line: The line of the observer, for diagnostics.
    /// - Returns: A sequence of values.
    @inlinable
    public nonisolated func values<Value: Equatable & Sendable>(
        of keyPath: KeyPath<State, Value> & Sendable,
        buffering: BufferingPolicy = .latest,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> StoreSequence<Value> {
        sequence(of: .part(keyPath), buffering, CodeLocation(fileID: fileID, line: line))
    }

    /// Returns a sequence of the values of an observed description.
    ///
    /// The observation starts with this call. It ends when the store shuts down or is released, after the newest value,
    /// or when the iterating task is cancelled. It does not retain the store.
    ///
    /// ```swift
    /// store.values(of: .part(\.session, removeDuplicates: .by(\.id)))
    /// store.values(of: .selector(topTen), buffering: .unbounded)
    /// ```
    ///
    /// - Parameters:
    ///   - observed: What to observe: a part, its notion of equality, the first and the last value.
    ///   - buffering: Which values are kept between two calls of `next()`.
    ///   - fileID: The file of the observer, for diagnostics.
    ///   - line: The line of the observer, for diagnostics.
    /// - Returns: A sequence of values.
    @inlinable
    public nonisolated func values<Value: Sendable>(
        of observed: Observed<State, Value>,
        buffering: BufferingPolicy = .latest,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> StoreSequence<Value> {
        sequence(of: observed, buffering, CodeLocation(fileID: fileID, line: line))
    }

    /// Returns a sequence of the values of one entry of a table: the current value first, then each change. The value
    /// is nil while there is no entry.
    ///
    /// ```swift
    /// for await flight in store.values(of: \.flights, key: id) { … }  // Flight?
    /// ```
    ///
    /// With a `TreeDictionary` the cost of an action depends on what it changes, not on the size of the table or the
    /// number of observed entries. See ``ObservableTable`` for other tables. This is a shorthand for
    /// ``Observed/entry(of:key:)``.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the table.
    ///   - key: The key of the entry, or the index in an array.
    ///   - buffering: Which values are kept between two calls of `next()`.
    ///   - fileID: The file of the observer, for diagnostics.
    ///   - line: The line of the observer, for diagnostics.
    /// - Returns: A sequence of values.
    @inlinable
    public nonisolated func values<Table: ObservableTable & Sendable>(
        of keyPath: KeyPath<State, Table> & Sendable,
        key: Table.Key,
        buffering: BufferingPolicy = .latest,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> StoreSequence<Table.Value?> where Table.Key: Sendable, Table.Value: Sendable {
        sequence(of: .entry(of: keyPath, key: key), buffering, CodeLocation(fileID: fileID, line: line))
    }

    /// Returns a sequence of the changes of a table: first all entries, as inserted, then differences.
    ///
    /// ```swift
    /// for await changes in store.changes(of: \.flights) {
    ///     for entry in changes.inserted { show(entry.value) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the table.
    ///   - fileID: The file of the observer, for diagnostics.
    ///   - line: The line of the observer, for diagnostics.
    /// - Returns: A sequence of changes.
    @inlinable
    public nonisolated func changes<Table: ObservableTable & Sendable>(
        of keyPath: KeyPath<State, Table> & Sendable,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> TableChanges<Table> where Table.Key: Sendable, Table.Value: Sendable {
        TableChanges(versions: values(of: keyPath, fileID: fileID, line: line))
    }

    /// Returns an `AsyncStream` of the values of a part of the state: the current value first, then each change, never
    /// two equal values in a row.
    ///
    /// Prefer ``values(of:buffering:fileID:line:)-(KeyPath<State,Value>Sendable,_,_,_)`` unless an API requires an
    /// `AsyncStream`, which costs about twice as much. Only one task may iterate the stream: two tasks that wait for
    /// its next element trap, as two tasks on one iterator of a ``StoreSequence`` do.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the part.
    ///   - buffering: Which values are kept between two calls of `next()`.
    ///   - fileID: The file of the observer, for diagnostics.
    ///   - line: The line of the observer, for diagnostics.
    /// - Returns: A stream of values.
    @inlinable
    public nonisolated func stream<Value: Equatable & Sendable>(
        of keyPath: KeyPath<State, Value> & Sendable,
        buffering: BufferingPolicy = .latest,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> AsyncStream<Value> {
        let source = CodeLocation(fileID: fileID, line: line)
        let subscription = subscription(to: .part(keyPath), buffering, source)
        let iteration = StreamIteration()
        return AsyncStream {
            iteration.begin()
            defer { iteration.end() }
            return await subscription.next(isCancelledByCaller: true)
        } onCancel: {
            subscription.cancel()
        }
    }

    /// A sequence of every action that is reduced from now on, with the state after it, without gaps.
    ///
    /// Each action of a batch is included, with the state after it.
    ///
    /// While actions are observed, the store keeps a copy of the state for each of them, so the next action copies the
    /// collections that it changes. An observer that falls behind uses an unbounded amount of memory;
    /// ``transitions(buffering:fileID:line:)`` can set a bound.
    public nonisolated var actions: StoreSequence<(action: Action, state: State)> { actions(.unbounded, at: nil) }

    /// Returns a sequence of actions with the states after them, buffered by a policy.
    ///
    /// - Parameter source: The location of the observer in the code, if it is known.
    package nonisolated func actions(
        _ buffering: BufferingPolicy,
        at source: CodeLocation?
    ) -> StoreSequence<(action: Action, state: State)> {
        switch backing {
        case .root(let core):
            StoreSequence { [weak core] in core?.subscribeToActions(policy: buffering, at: source) ?? .ended }
        case .view(let scopeNode):
            StoreSequence { [weak scopeNode, retainer = scopeNode.retainer] in
                (scopeNode ?? retainer.object)?.subscribeToActions(buffering, source) ?? .ended
            }
        }
    }

    /// A sequence of the unhandled errors of effects and interceptors, from all stores of the tree.
    ///
    /// Without an observer, the last 64 errors are buffered for the first one. Older errors, and those still buffered
    /// when the store is released, go to the ``StoreIssueReporter``. ``StoreStatistics/failures`` counts all errors. An
    /// observer that falls more than 1,024 errors behind misses the oldest; ``StoreSequence/droppedCount`` counts them.
    /// Errors that a cancelled observer has not received are not kept for the next one.
    public nonisolated var errors: StoreSequence<StoreFailure> {
        let root = root
        return StoreSequence { [weak root] in root?.subscribeToErrors(policy: .bounded(1_024)) ?? .ended }
    }
}

extension Store {
    /// Returns a sequence of every action that is reduced from now on, with the states before and after it, without
    /// gaps.
    ///
    /// ```swift
    /// for await transition in store.transitions() where transition.old.level != transition.new.level {
    ///     audit.note(transition.action, at: transition.revision)
    /// }
    /// ```
    ///
    /// The actions of a ``send(contentsOf:)`` are published together, so they share one ``StateTransition/revision``,
    /// that of the last of them. They are published in the order in which they were reduced.
    ///
    /// A scope publishes its own actions, with its part of the state before and after; a child publishes the actions
    /// that were sent to it or propagated up to it. Actions rejected by an interceptor are not included. Changes by
    /// ``withIsolation(_:isolation:_:)`` belong to no action: the transition after such a change starts with the state
    /// after it.
    ///
    /// Without observers this costs nothing. With one it costs as much as ``actions``: a copy of the state is kept for
    /// each action, so the next one copies the collections that it changes. To observe values, a ``Change`` is cheaper;
    /// it has no action, because one change can be the result of several: those of a batch, or those that were reduced
    /// while the observer was busy.
    ///
    /// - Parameters:
    ///   - buffering: Which transitions are kept between two calls of `next()`; by default all of them. Every
    ///     transition is complete: `old` is the state directly before the action, even if the preceding transition was
    ///     dropped.
    ///   - fileID: The file of the observer, for diagnostics.
    ///   - line: The line of the observer, for diagnostics.
    /// - Returns: A sequence of transitions.
    public nonisolated func transitions(
        buffering: BufferingPolicy = .unbounded,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> StoreSequence<StateTransition<State, Action>> {
        let source = CodeLocation(fileID: fileID, line: line)
        return switch backing {
        case .root(let core):
            StoreSequence { [weak core] in
                core.map { ScopeNode($0).subscribeToTransitions(buffering, source) } ?? .ended
            }
        case .view(let scopeNode):
            StoreSequence { [weak scopeNode, retainer = scopeNode.retainer] in
                (scopeNode ?? retainer.object)?.subscribeToTransitions(buffering, source) ?? .ended
            }
        }
    }
}
