/// A store as those see it who have its state drive effects: what they may do in its turns, in which all of this is
/// called unless it says otherwise.
@usableFromInline
package struct EffectDriverHost<State: Sendable, Action: Sendable>: Sendable {
    private let scopeNode: ScopeNode<State, Action>

    /// - Parameter scopeNode: The way to the store, by which no child is kept alive.
    fileprivate init(_ scopeNode: ScopeNode<State, Action>) { self.scopeNode = scopeNode.ofOneObserver }

    private var root: TreeRoot { scopeNode.root }

    /// The store itself. From anywhere.
    package var store: StoreReference<State, Action> { StoreReference(.view(scopeNode)) }

    /// Whether the store can run no more effects.
    package var hasEnded: Bool { scopeNode.hasEnded }

    /// Whether that has gone of which the store shows a part.
    package var hasLeft: Bool { scopeNode.hasLeft }

    /// The state as the observations of this driver see it.
    package var state: State { scopeNode.observedState }

    /// Keeps the value that something was told last, which is released after the turn.
    @usableFromInline
    package func lastValue<Value>(of type: Value.Type = Value.self) -> LastValue<Value> {
        LastValue(retiringTo: root.deferred)
    }

    /// Keeps the entries of a table as they were when it was looked at last.
    @usableFromInline
    package func seenTable<Table>(_ table: Table) -> SeenTable<Table> { SeenTable(table, retiringTo: root.deferred) }

    /// Runs code of users with the store's dependencies in force.
    package func whileDependenciesAreInForce<Result>(_ body: () -> Result) -> Result {
        scopeNode.dependencies.whileInForce(body)
    }

    /// Takes on an effect that no action asked for; its tasks are started at the end of the turn.
    package func take(_ effect: Effect<Action>) { scopeNode.take(effect) }

    /// Has a value released after the turn.
    package func retire<Value>(_ value: Value) { root.retire(value) }

    /// Has a value released by a background task.
    package func abandon<Value>(_ value: Value) { root.deferred.abandon(value) }

    /// Has something done after all observers of the turn have been notified.
    package func afterObservers(_ body: @escaping () -> Void) { root.drivenWork.departures.append(body) }

    /// Does what was asked for after something else than an action, which may be in the middle of the turn of one: then
    /// after that.
    package func startEffectsIfIdle() { root.startDrivenEffectsIfIdle() }

    /// Has the entries of a table looked at between the actions of a batch, if observers of the store are told of all
    /// changes.
    ///
    /// - Parameters:
    ///   - seen: The table as it was when it was looked at before.
    ///   - isNeeded: Whether there is anything to look for.
    ///   - visit: Is given each entry that is another one than it was then.
    /// - Returns: What ``stopLooking(at:inBackground:)`` takes; nil if it is not looked at.
    @usableFromInline
    package func look<Table: ObservableTable & Sendable>(
        at keyPath: KeyPath<State, Table> & Sendable,
        _ seen: SeenTable<Table>,
        ifNeeded isNeeded: @escaping () -> Bool,
        _ visit: @escaping (_ key: Table.Key, _ oldValue: Table.Value?, _ newValue: Table.Value?) -> Void
    ) -> UInt64? {
        // Observers of a deduplicated state see nothing of what counts as no change.
        guard scopeNode.states.deduplicated == nil else { return nil }
        return root.addTable(scopeNode.look(at: keyPath, seen, ifNeeded: isNeeded, visit))
    }

    /// No longer looks at a table.
    package func stopLooking(at table: UInt64, inBackground: Bool) {
        root.removeTable(table, inBackground: inBackground)
    }

    /// Has `body` called with each value of a part after the current one, in the turns after this one.
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
    /// Has a part of the state drive effects until the store ends, or what is returned is cancelled. From anywhere.
    ///
    /// - Parameters:
    ///   - hold: Given the observation of the part, when that begins.
    ///   - cancel: Called by whoever cancels it, from anywhere.
    ///   - end: Called when it ends, of itself or after a cancellation.
    ///   - follow: Told the part, first as it is, and then as it changes.
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
            // In one turn, so that no action comes between a postponement and the observation of what it waits for.
            then: { observation in
                hold(observation)
                if root.progress.contains(.drivenEffects) { root.startDrivenEffects() }
            },
            finish: end,
            follow
        )
        // The driver goes on to follow the state until its turn comes, and only ends what that no longer asks for.
        let ending = EffectDriverEnd { [weak root] in
            cancel()
            root?.inNextTurn { end() }
        }
        return StoreObservation(of: ending, endsWhenReleased: false)
    }
}

/// What cancels a driver.
private final class EffectDriverEnd: ObservationTarget {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    func cancelObservation() { end() }
}

extension StoreReference {
    /// The store for one whose effects its state drives, who keeps no child alive.
    @usableFromInline
    package var driverHost: EffectDriverHost<State, Action> {
        switch backing {
        case .root(let core): EffectDriverHost(ScopeNode(core))
        case .view(let scopeNode): EffectDriverHost(scopeNode)
        }
    }
}
