extension Store {
    /// Follows a part of the state: the current value first, then each change, never two equal values in a row.
    ///
    /// ```swift
    /// for await count in store.values(of: \.count) { print(count) }
    /// ```
    ///
    /// The observation does not keep the store alive, but a task that names the store does. Make the sequence outside:
    ///
    /// ```swift
    /// let counts = store.values(of: \.count)
    /// let display = Task { for await count in counts { show(count) } }
    /// ```
    ///
    /// The observation begins with this call and ends when the store is shut down or released, after the newest value,
    /// or when the iterating task is cancelled. An observer of a part that did not change is not woken, and observers
    /// of the same key path share one comparison after each turn.
    ///
    /// - Parameters:
    ///   - keyPath: The part. A stored property costs about a nanosecond to look at, a computed one about 100 times as
    ///     much. Keeping the last value of a collection makes the next change of it copy it.
    ///   - buffering: What is kept for an observer who is busy. ``BufferingPolicy/latest`` skips values between.
    ///   - fileID: Where the observer is written; leave the default.
    ///   - line: Where the observer is written; leave the default.
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

    /// Follows one entry of a table: its current value first, nil if there is none, then each change of it.
    ///
    /// ```swift
    /// for await flight in store.values(of: \.flights, key: id) { … }  // Flight?
    /// ```
    ///
    /// The same as of ``Observed/entry(of:key:)``.
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

    /// Follows what changes in a table: all its entries first, as inserted, and then differences.
    ///
    /// ```swift
    /// for await changes in store.changes(of: \.flights) {
    ///     for entry in changes.inserted { show(entry.value) }
    /// }
    /// ```
    @inlinable
    public nonisolated func changes<Table: ObservableTable & Sendable>(
        of keyPath: KeyPath<State, Table> & Sendable,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> TableChanges<Table> where Table.Key: Sendable, Table.Value: Sendable {
        TableChanges(versions: values(of: keyPath, fileID: fileID, line: line))
    }

    /// The same as ``values(of:buffering:fileID:line:)-(KeyPath<State,Value>Sendable,_,_,_)`` for those who need an
    /// `AsyncStream`. It costs about twice as much. It is for one task: two that wait for its next element trap, as two
    /// on one iterator of a ``StoreSequence`` do.
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

    /// Every action that is reduced from now on, with the state after it, without gaps.
    ///
    /// Observers of actions get every action of a batch, with the state after it.
    ///
    /// As long as someone observes actions, each one has to keep a copy of the state, so that the next action copies
    /// the collections that it changes; and an observer that falls behind costs memory without a bound. See
    /// ``transitions(buffering:fileID:line:)`` for a bound.
    public nonisolated var actions: StoreSequence<(action: Action, state: State)> { actions(.unbounded, at: nil) }

    /// The same, as far as `buffering` keeps them.
    ///
    /// - Parameter source: Where the observer is written, if that is known.
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

    /// Errors of effects and interceptors that nobody made an action of, from all stores of the tree.
    ///
    /// Of those that happen while nobody observes, the last 64 are kept for the first observer; the ones before, and
    /// those that nobody has observed when the store is released, go to the ``StoreIssueReporter``.
    /// ``StoreStatistics/failures`` counts all. An observer that falls more than 1,024 behind misses the oldest, and
    /// can tell by ``StoreSequence/droppedCount``. What it has not taken when it is cancelled is not kept for the next
    /// one.
    public nonisolated var errors: StoreSequence<StoreFailure> {
        let root = root
        return StoreSequence { [weak root] in root?.subscribeToErrors(policy: .bounded(1_024)) ?? .ended }
    }
}

extension Store {
    /// Every action that is reduced from now on, with the states before and after it, without gaps.
    ///
    /// ```swift
    /// for await transition in store.transitions() where transition.old.level != transition.new.level {
    ///     audit.note(transition.action, at: transition.revision)
    /// }
    /// ```
    ///
    /// The actions of a ``send(contentsOf:)`` are published together, so that they have one
    /// ``StateTransition/revision``, that of the last of them. Their order is that in which they were reduced.
    ///
    /// A scope shows its own actions, with its part before and after; a child those that were sent to it or came up to
    /// it. Actions that an interceptor has stopped are not included. Changes by ``withIsolation(_:isolation:_:)`` are
    /// made by no action: the transition after such a change begins with the state after it.
    ///
    /// It costs nothing as long as nobody asks for it. While somebody does, it costs what ``actions`` cost: a copy of
    /// the state is kept for each action, so that the next one copies the collections that it changes. An observer of
    /// values is told of a ``Change`` without its action, because a change that it is told of can be that of several
    /// actions: of a batch, or of those that were reduced while it was busy.
    ///
    /// - Parameters:
    ///   - buffering: What is kept for an observer who is busy; without a bound if nothing is said. What is kept is
    ///     whole: the state before an action is that state also if the action before was dropped.
    ///   - fileID: Where the observer is written; leave the default.
    ///   - line: Where the observer is written; leave the default.
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
