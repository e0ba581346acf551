/// The operations on a store that are available to drivers of state-driven effects. Call them within the store's turn,
/// unless a comment says otherwise.
@usableFromInline
package struct EffectDriverHost<State: Sendable, Action: Sendable>: Sendable {
    private let scopeNode: ScopeNode<State, Action>

    /// - Parameter scopeNode: The node of the store, which does not retain a child.
    fileprivate init(_ scopeNode: ScopeNode<State, Action>) { self.scopeNode = scopeNode.ofOneObserver }

    private var root: TreeRoot { scopeNode.root }

    /// The store itself. Can be read from any thread.
    package var store: StoreReference<State, Action> { StoreReference(.view(scopeNode)) }

    /// Whether the store can run no more effects.
    package var hasEnded: Bool { scopeNode.hasEnded }

    /// Whether the part of the state that the store shows is gone.
    package var hasLeft: Bool { scopeNode.hasLeft }

    /// The state as the observations of this driver see it.
    package var state: State { scopeNode.observedState }

    /// Returns storage for a last value, whose old values are released after the turn.
    @usableFromInline
    package func lastValue<Value>(of type: Value.Type = Value.self) -> LastValue<Value> {
        LastValue(retiringTo: root.deferred)
    }

    /// Returns storage for the entries of a table at the previous check.
    @usableFromInline
    package func seenTable<Table>(_ table: Table) -> SeenTable<Table> { SeenTable(table, retiringTo: root.deferred) }

    /// Runs user code with the store's dependencies in force.
    package func whileDependenciesAreInForce<Result>(_ body: () -> Result) -> Result {
        scopeNode.dependencies.whileInForce(body)
    }

    /// Registers an effect that was not requested by an action. Its tasks start at the end of the turn.
    package func take(_ effect: Effect<Action>) { scopeNode.take(effect) }

    /// Releases a value after the turn.
    package func retire<Value>(_ value: Value) { root.retire(value) }

    /// Releases a value in a background task.
    package func abandon<Value>(_ value: Value) { root.deferred.abandon(value) }

    /// Calls a closure after all observers of the turn have been notified.
    package func afterObservers(_ body: @escaping () -> Void) { root.drivenWork.departures.append(body) }

    /// Starts effects that were requested outside an action, unless the turn of an action is under way: they then start
    /// after it.
    package func startEffectsIfIdle() { root.startDrivenEffectsIfIdle() }

    /// Makes the tree check the entries of a table between the actions of a batch, if the store's observers are
    /// notified of all changes.
    ///
    /// - Parameters:
    ///   - seen: The table at the previous check.
    ///   - isNeeded: Returns whether there is anything to check.
    ///   - visit: Receives each entry that differs from the previous check.
    /// - Returns: The argument of ``stopChecking(_:inBackground:)``; nil if the table is not checked.
    @usableFromInline
    package func check<Table: ObservableTable & Sendable>(
        _ keyPath: KeyPath<State, Table> & Sendable,
        _ seen: SeenTable<Table>,
        ifNeeded isNeeded: @escaping () -> Bool,
        _ visit: @escaping (_ key: Table.Key, _ oldValue: Table.Value?, _ newValue: Table.Value?) -> Void
    ) -> UInt64? {
        // Observers of a deduplicated state do not see changes that count as unchanged.
        guard scopeNode.states.deduplicated == nil else { return nil }
        return root.addTable(scopeNode.tableCheck(of: keyPath, seen, ifNeeded: isNeeded, visit))
    }

    /// Stops checking a table.
    package func stopChecking(_ table: UInt64, inBackground: Bool) {
        root.removeTable(table, inBackground: inBackground)
    }

    /// Calls `body` with each value of a part after the current one, in later turns.
    package func observeAfterThisTurn<Value: Sendable>(
        _ observed: Observed<State, Value>,
        at source: CodeLocation,
        _ body: @escaping @Sendable (Value) -> Void
    ) -> Postponement {
        let place = scopeNode.place(of: observed.byteRange)
        let host = place.source === scopeNode.node ? nil : scopeNode.node
        return root.observeAfterThisTurn(observed, in: place, through: host, at: source, body)
    }
}

extension EffectDriverHost {
    /// Lets a part of the state drive effects until the store ends or the returned token is cancelled. Can be called
    /// from any thread.
    ///
    /// - Parameters:
    ///   - hold: A closure that receives the observation of the part when it starts.
    ///   - cancel: A closure that is called on cancellation, on the cancelling thread.
    ///   - end: A closure that is called at the end, with or without a cancellation.
    ///   - follow: A closure that receives the current value of the part, and then each change.
    @usableFromInline
    package func drive<Value: Sendable>(
        by observed: Observed<State, Value>,
        at source: CodeLocation,
        hold: @escaping (StoreObservation) -> Void,
        cancel: @escaping @Sendable () -> Void,
        end: @escaping @Sendable () -> Void,
        _ follow: @escaping @Sendable (_ value: Value) -> Void
    ) -> StoreObservation {
        let (root, place) = (root, scopeNode.place(of: observed.byteRange))
        _ = root.observe(
            observed,
            in: place,
            through: scopeNode.host(of: place),
            isDriver: true,
            at: source,
            // Both in one turn, so that no action comes between a postponement and the observation that it waits for.
            then: { observation in
                hold(observation)
                if root.progress.contains(.drivenEffects) { root.startDrivenEffects() }
            },
            finish: end,
            follow
        )
        // The driver continues to follow the state until its turn comes, and only ends effects that the state no longer
        // requires.
        let ending = EffectDriverEnd { [weak root] in
            cancel()
            root?.inNextTurn { end() }
        }
        return StoreObservation(of: ending, endsWhenReleased: false)
    }
}

/// The cancellation of a driver.
private final class EffectDriverEnd: ObservationTarget {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    func cancelObservation() { end() }
}

extension StoreReference {
    /// The store's host for a driver of state-driven effects. It does not retain a child.
    @usableFromInline
    package var driverHost: EffectDriverHost<State, Action> {
        switch backing {
        case .root(let core): EffectDriverHost(ScopeNode(core))
        case .view(let scopeNode): EffectDriverHost(scopeNode)
        }
    }
}
