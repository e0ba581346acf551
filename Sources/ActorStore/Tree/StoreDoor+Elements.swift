// Stores that come and go with a part of the state.

extension StoreDoor {
    /// Makes a store for each entry of a table when it comes, and lets it go with the entry.
    @inlinable
    func stores<Table: ObservableTable & Sendable, Shown: Sendable, ElementAction: Sendable>(
        forEach keyPath: KeyPath<State, Table> & Sendable,
        _ make:
            @escaping @Sendable (
                _ key: Table.Key, _ value: Table.Value, _ states: StateDoor<Table.Value>
            ) -> (StoreDoor<Shown, ElementAction>, TreeNode?)
    ) -> StoreChildren<Table.Key, Shown, ElementAction> where Table.Key: Sendable, Table.Value: Sendable {
        let table = StoreTable<Table.Key, Shown, ElementAction>()
        let last = LastValue<Table>()
        let states = states
        let observation = observe(Observed<State, Table>.part(keyPath)) { [self] entries in
            entries.visitDifference(from: last.replace(by: entries) ?? Table()) { key, _, value in
                guard let value else { return table.remove(key) }
                guard table[key] == nil else { return }
                let source = ElementSource(value, root: root)
                let (door, node) = make(key, value, states.element(source) { $0[keyPath: keyPath].value(forKey: key) })
                let observation = observe(Observed<State, Table.Value?>.entry(of: keyPath, key: key)) { value in
                    if let value { source.update(value) }
                }
                table.insert(Store(door: door), source, observation, node, for: key)
            }
        }
        return StoreChildren(table, observation)
    }

    /// Makes a store of what an optional part holds, each time that it comes, and lets it go with that.
    @inlinable
    func store<Part: Equatable & Sendable, PartAction: Sendable>(
        ifLet keyPath: KeyPath<State, Part?> & Sendable,
        _ make: @escaping @Sendable (_ part: Part, _ states: StateDoor<Part>) -> StoreDoor<Part, PartAction>
    ) -> OptionalScope<Part, PartAction> {
        let current = OptionalStore<Part, PartAction>(root: root)
        let (states, root) = (states, root)
        let observation = observe(Observed<State, Part?>.part(keyPath), finish: { current.finish() }) { part in
            guard let part else { return current.leave() }
            if let source = current.source { return source.update(part) }
            let source = ElementSource(part, root: root)
            let door = make(part, states.element(source) { $0[keyPath: keyPath] })
            current.enter(Store(door: door), source)
        }
        return OptionalScope(current, observation)
    }

    @inlinable
    func observe<Value: Sendable>(
        _ observed: Observed<State, Value>,
        finish: (@Sendable () -> Void)? = nil,
        fileID: String = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (Value) -> Void
    ) -> Observation {
        let place = place(of: observed.extent)
        let host = place.source === node ? nil : node
        return root.observe(
            observed,
            in: place,
            through: host,
            at: SourceLocation(fileID: fileID, line: line),
            finish: finish,
            body
        )
    }
}
