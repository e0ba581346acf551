extension ChildStep.Kind {
    /// What ends with a child.
    package init(_ effects: ChildEffects) { self = effects == .endWithChild ? .child : .outlived }
}

extension ChildStep {
    /// To a part of a state.
    @usableFromInline
    package static func part<State, Part>(_ keyPath: KeyPath<State, Part> & Sendable) -> ChildStep {
        ChildStep(.part, find: finding { (state: inout State) in state[keyPath: keyPath] })
    }

    /// To a case of a state, whose effects do not end with it.
    @usableFromInline
    static func caseOf<State, Value>(_ path: CasePath<State, Value>) -> ChildStep {
        ChildStep(.outlived, find: finding { (state: inout State) in path.extract(from: state) })
    }

    /// To a child that can be missing.
    ///
    /// - Parameter identity: That of the child; nil if effects outlive it.
    static func child<Slot: ChildSlot>(in slot: Slot, _ identity: ComparedIdentity<Slot.Identity>?) -> ChildStep {
        let findAny = finding { (state: inout Slot.State) in slot.child(in: &state) }
        guard let identity else { return ChildStep(.outlived, find: findAny) }
        return ChildStep(
            .child,
            find: finding { (state: inout Slot.State) in
                slot.identity(in: &state) == identity.value ? slot.child(in: &state) : nil
            }
        )
    }

    /// To an entry of a table; which can only be found if it is a table of this library.
    static func entry<State, Table: ReducibleTable>(
        _ id: Table.EntryID,
        in part: StatePart<State, Table>,
        _ effects: ChildEffects
    ) -> ChildStep where Table.EntryID: Sendable {
        ChildStep(Kind(effects)) { state, search in
            guard var state = state as? State,
                let table = part.read(&state, { $0 as? any ReadableTable<Table.EntryID, Table.Entry> })
            else { return .unknown }
            return table.entry(id, &search).map { .state($0) } ?? .nothing
        }
    }
}

/// The identity of a child, to be compared with that of a child that is there later.
package struct ComparedIdentity<Value: Equatable>: @unchecked Sendable {
    // Sound: it is that of a child that is Sendable, of which any thread may have a copy, whose identity it may take
    // and compare. This one is compared only in turns of one store.
    package let value: Value

    package init(value: Value) { self.value = value }
}

/// A table in which an entry can be looked at.
protocol ReadableTable<EntryID, Entry>: ReducibleTable {
    /// The entry with an identity; nil if there is none.
    func entry(_ id: EntryID, _ search: inout ChildSearch) -> Entry?
}
