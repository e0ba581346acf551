// Stores that exist as long as a part of the state does.

extension ScopeNode {
    /// Creates a store for each entry of a table when it is added, and removes the store with the entry.
    ///
    /// - Parameter source: The location in the code that diagnostics show for the observers of the table and its
    ///   entries.
    @inlinable
    func stores<Table: ObservableTable & Sendable, Shown: Sendable, ElementAction: Sendable>(
        forEach keyPath: KeyPath<State, Table> & Sendable,
        at source: CodeLocation,
        _ make:
            @escaping @Sendable (
                _ key: Table.Key, _ value: Table.Value, _ element: ElementReader<State, Table.Value>
            ) -> (ScopeNode<Shown, ElementAction>, (any StoreNode)?)
    ) -> StoreChildren<Table.Key, Shown, ElementAction> where Table.Key: Sendable, Table.Value: Sendable {
        let table = StoreTable<Table.Key, Shown, ElementAction>(root: root, node: node)
        // The entries after the last turn that has changed them, and after the last action of a batch.
        let last = LastValue<Table>(retiringTo: root.deferred)
        let seen = SeenTable(Table(), retiringTo: root.deferred)
        let insert: @Sendable (Table.Key, Table.Value) -> Void = { [self] key, value in
            guard table.isInUse else { return }
            let element = ElementStorage(value, in: states.element, root: root)
            let (scopeNode, node) = make(
                key,
                value,
                ElementReader(source: element) { $0[keyPath: keyPath].value(forKey: key) }
            )
            table.insert(Store(scopeNode: scopeNode), element, node, for: key)
        }
        // A store ends with its entry, even if another action of the same batch adds an entry with the same key. The
        // stores of new entries are created at the end of the turn, with the entries' values at that time.
        let makeCheck: @Sendable () -> TableCheck = { [self] in
            tableCheck(of: keyPath, seen) { [element = states.element] in
                element?.hasLeft != true
            } _: { key, oldValue, newValue in
                if let oldValue, newValue == nil {
                    guard let element = table.source(of: key) as? ElementStorage<Table.Value> else { return }
                    element.leave(oldValue)
                    table.remove(key)
                } else if oldValue == nil, let newValue, last.kept?.value(forKey: key) != nil {
                    insert(key, newValue)
                } else if let newValue {
                    (table.source(of: key) as? ElementStorage<Table.Value>)?.renew(newValue)
                }
            }
        }
        // Observers of a deduplicated state do not see changes that count as unchanged.
        let isFollowed = states.deduplicated == nil
        let actual = isFollowed ? nil : LastValue<Table>(retiringTo: root.deferred)
        let memory = actual.map { actual in
            followUndeduplicated(keyPath, at: source) { entries in
                entries.visitDifference(from: actual.replace(by: entries) ?? Table()) { key, _, value in
                    if let value { (table.source(of: key) as? ElementStorage<Table.Value>)?.renew(value) }
                }
            }
        }
        let observed = Observed<State, Table>.part(keyPath)
        let observation = observe(observed, at: source, finish: { table.finish() }) { entries in
            // Ends the memory observation with this one.
            withExtendedLifetime(memory) {}
            if isFollowed {
                seen.replace(by: entries)
                table.follow(makeCheck())
            }
            entries.visitDifference(from: last.replace(by: entries) ?? Table()) { key, _, value in
                guard let value else { return table.remove(key) }
                // Updates the entry here. An observation of the entry would start only after actions that already wait.
                if let element = table.source(of: key) as? ElementStorage<Table.Value> {
                    if isFollowed { element.update(value) }
                    return
                }
                insert(key, actual?.kept?.value(forKey: key) ?? value)
            }
        }
        return StoreChildren(table, observation)
    }

    /// Returns the check of a table between the actions of a batch.
    ///
    /// - Parameters:
    ///   - seen: The table at the previous check.
    ///   - isNeeded: Returns whether there is anything to check.
    ///   - visit: Receives each entry that differs from the previous check.
    @inlinable
    func tableCheck<Table: ObservableTable & Sendable>(
        of keyPath: KeyPath<State, Table> & Sendable,
        _ seen: SeenTable<Table>,
        ifNeeded isNeeded: @escaping () -> Bool,
        _ visit: @escaping (_ key: Table.Key, _ oldValue: Table.Value?, _ newValue: Table.Value?) -> Void
    ) -> TableCheck {
        // The address of the table, if it is in the memory of a root or a child; the memory of an element is updated
        // only after the turn.
        let part = states.capture == nil ? StoredPart(keyPath) : nil
        let place = part == nil ? nil : states.locate(Observed<State, Table>.part(keyPath).byteRange)
        let offset = (place?.offset ?? 0) + (part?.offset ?? 0)
        return TableCheck(at: place?.source.stateAddress, offset, seen, in: root) { [states] in
            guard isNeeded() else { return }
            let entries: Table = place?.source.load(at: offset) ?? states.load()[keyPath: keyPath]
            entries.visitDifference(from: seen.replace(by: entries), visit)
        }
    }

    /// Creates a store for the value of an optional part whenever there is one, and removes the store when the part
    /// becomes nil.
    ///
    /// - Parameter make: Creates the store. It receives the node of this store and must not capture it: observers of
    ///   the presence retain the closure, and must not retain a child for which there is nothing to show.
    @inlinable
    func store<Part: Equatable & Sendable, PartAction: Sendable>(
        ifLet keyPath: KeyPath<State, Part?> & Sendable,
        at source: CodeLocation,
        _ make:
            @escaping @Sendable (
                _ scopeNode: ScopeNode, _ element: ElementReader<State, Part>
            ) -> ScopeNode<Part, PartAction>
    ) -> OptionalScope<Part, PartAction> {
        let current = OptionalStore<Part, PartAction>(root: root, node: node)
        let (way, root, outer) = (WeakScopeNode(self), root, states.element)
        let isFollowed = states.deduplicated == nil
        let actual = isFollowed ? nil : LastValue<Part>(retiringTo: root.deferred)
        let memory = actual.map { actual in
            followUndeduplicated(keyPath, at: source) { part in
                actual.replace(by: part)
                if let part { current.source?.renew(part) }
            }
        }
        let observation = observe(Observed<State, Part?>.part(keyPath), at: source, finish: { current.finish() }) {
            part in
            // Ends the memory observation with this one.
            withExtendedLifetime(memory) {}
            guard let part else { return current.leave() }
            if let element = current.source {
                if isFollowed { element.update(part) }
                return
            }
            // The child is unused and about to end.
            guard let scopeNode = way.held else { return current.leave() }
            let element = ElementStorage(actual?.kept ?? part, in: outer, root: root)
            let scope = make(scopeNode, ElementReader(source: element) { $0[keyPath: keyPath] })
            current.enter(Store(scopeNode: scope), element)
        }
        return OptionalScope(current, observation, keeping: self)
    }

    /// Follows the owner of elements of a deduplicated state through all changes, and updates the elements' memories.
    /// The deduplicated observers do not see changes that count as unchanged, and they can see states that never
    /// existed, such as a part computed from an earlier state of the parent and the present state of a child.
    @inlinable
    func followUndeduplicated<Value: Equatable & Sendable>(
        _ keyPath: KeyPath<State, Value> & Sendable,
        at source: CodeLocation,
        _ body: @escaping @Sendable (Value) -> Void
    ) -> StoreObservation {
        let observed = Observed<State, Value>.part(keyPath)
        let place = undeduplicatedPlace(of: observed.byteRange)
        return root.observe(observed, in: place, through: host(of: place), at: source, body)
    }

    /// Returns the node of a scope of an element.
    @inlinable
    func scope<Element: Sendable, ElementAction: Sendable>(
        _ element: ElementReader<State, Element>,
        _ embed: @escaping @Sendable (ElementAction) -> Action,
        extract: @escaping @Sendable (Action) -> ElementAction?
    ) -> ScopeNode<Element, ElementAction> {
        // Looks at each action: an action that removes the element is published with the element's value before it.
        scope(states.element(element), embed, extract: extract, looksAtAll: true) { element.find(inRecorded: $0) }
    }

    /// Returns the child whose end ends an observation, if the observed state is not the child's own.
    @usableFromInline
    func host(of place: StateLocation) -> (any StoreNode)? { node.isRoot || place.source === node ? nil : node }

    @inlinable
    func observe<Value: Sendable>(
        _ observed: Observed<State, Value>,
        at source: CodeLocation,
        finish: (@Sendable () -> Void)? = nil,
        _ body: @escaping @Sendable (Value) -> Void
    ) -> StoreObservation {
        let place = place(of: observed.byteRange)
        let host = host(of: place)
        return root.observe(
            observed,
            in: place,
            through: host,
            at: source,
            finish: finish,
            body
        )
    }
}
