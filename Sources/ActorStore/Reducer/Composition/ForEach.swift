/// A reducer with a child reducer for the entries of a table. The entry's reducer runs first, then the parent's. The
/// effects of an entry end with it.
@usableFromInline
struct ForEach<State: Sendable, Action: Sendable, Table: ReducibleTable, ChildAction: Sendable>: Sendable
where Table.Entry: Sendable, Table.EntryID: Sendable, Table.Members: Sendable {
    @usableFromInline let parent: PreparedReducer<State, Action>
    @usableFromInline let part: StatePart<State, Table>
    @usableFromInline let path: CasePath<Action, (id: Table.EntryID, action: ChildAction)>
    @usableFromInline let child: PreparedReducer<Table.Entry, ChildAction>
    @usableFromInline let options: ChildOptions

    @inlinable
    init(
        parent: PreparedReducer<State, Action>,
        part: StatePart<State, Table>,
        path: CasePath<Action, (id: Table.EntryID, action: ChildAction)>,
        child: PreparedReducer<Table.Entry, ChildAction>,
        options: ChildOptions
    ) {
        self.parent = parent
        self.part = part
        self.path = path
        self.child = child
        self.options = options
    }

    @inlinable
    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        // If the table is computed, the entry's own reducer can cause the removal of an entry.
        let earlierVersion =
            part.stored == nil && options.effects == .endWithChild
            ? part.read(&state) { $0.entryVersion } : nil
        let childEffect = reduceChild(into: &state, action: action)
        guard options.effects == .endWithChild else {
            return childEffect.merged(with: parent.reduce(into: &state, action: action))
        }
        // Read after the entry's reducer has run, so that the reducer changes the entry in place.
        let version = earlierVersion ?? part.read(&state) { $0.entryVersion }
        let effect = childEffect.merged(with: parent.reduce(into: &state, action: action))
        switch part.read(&state, { $0.removals(since: version) }) {
        case .none: return effect
        case let departures: return effect.merged(with: .cancelElements(below: part.step, departures))
        }
    }

    @inlinable
    func reduceChild(into state: inout State, action: Action) -> Effect<Action> {
        guard let (id, childAction) = path.extract(from: action) else { return .none }
        let effect = part.modify(&state) { table in
            table.modifyEntry(id) { child.reduce(into: &$0, action: childAction) }
        }
        guard let effect else { return missing(action, id) }
        return effect.isNone ? .none : embed(effect, of: id)
    }

    @usableFromInline
    func embed(_ effect: Effect<ChildAction>, of id: Table.EntryID) -> Effect<Action> {
        let effectPath = effectPath(of: id).found(by: .entry(id, in: part, options.effects))
        return effect.embedded(under: effectPath) { [path] in path.embed((id, $0)) }
    }

    @usableFromInline
    func missing(_ action: Action, _ id: Table.EntryID) -> Effect<Action> {
        options.missing(action, .noElement(EffectID(id)), effectPath(of: id))
    }

    private func effectPath(of id: Table.EntryID) -> EffectPath { EffectPath(part.step, .element(of: id)) }
}

extension Effect {
    /// Returns an effect that cancels the effects of removed entries.
    @usableFromInline
    static func cancelElements<EntryID: Hashable & Sendable, Members: TableMembers<EntryID> & Sendable>(
        below step: EffectStep,
        _ departures: RemovedEntries<EntryID, Members>
    ) -> Effect {
        switch departures {
        case .none:
            return .none
        case .these(let ids):
            return merge(ids.map { .cancelAll(below: EffectPath(step, .element(of: $0))) })
        case .allExcept(let members):
            return cancelElements(below: EffectPath(step)) { id in
                (id.value as? ElementKey<EntryID>).map { members.contains($0.key) } ?? false
            }
        }
    }
}

extension Reducer {
    /// Composes a reducer for the entries of a table.
    ///
    /// ```swift
    /// enum Action { case row(id: Int, action: Row.Action), … }
    ///
    /// Reduce { state, action in … }
    ///     .forEach(\.rows, action: .row) { Row() }
    /// ```
    ///
    /// An entry receives its actions before this reducer does, and is changed in place. When this reducer removes the
    /// entry, its effects are cancelled, pending or running, and actions that they still send are dropped and counted
    /// in ``StoreStatistics/lateActions``. ``ReducibleTable`` describes the cost of detecting removals.
    ///
    /// Entries are identified only by their identities. If one action removes an entry and adds one with the same
    /// identity, the entry has only changed, and keeps its effects. If two actions do so, even in one batch, it is a
    /// new entry. If an action replaces one entity by another, give them different identities to distinguish them; a
    /// `StackState` does so.
    ///
    /// - Parameters:
    ///   - table: The key path of the table: a `TreeDictionary`, a `KeyedArray`, a `Dictionary`, or an `Array` of
    ///     identifiable elements.
    ///   - action: The case of the entries' actions, which carries the identity of an entry and its action.
    ///   - whenMissing: What happens to an action for an entry that does not exist. This reducer receives the action in
    ///     any case.
    ///   - effects: Whether the effects of an entry end with it.
    ///   - fileID: The file of the composition, for diagnostics.
    ///   - line: The line of the composition, for diagnostics.
    ///   - column: The column of the composition, for diagnostics.
    ///   - child: A builder that returns the reducers of an entry.
    /// - Returns: The composed reducer.
    @inlinable
    public func forEach<Table: ReducibleTable, ChildState, ChildAction, Child: Reducer<ChildState, ChildAction>>(
        _ table: WritableKeyPath<State, Table> & Sendable,
        action: CasePath<Action, (id: Table.EntryID, action: ChildAction)>,
        whenMissing: MissingChildPolicy = .report,
        effects: ChildEffects = .endWithChild,
        fileID: String = #fileID,
        line: UInt = #line,
        column: UInt = #column,
        @ReducerBuilder<ChildState, ChildAction> child: () -> Child
    ) -> PreparedReducer<State, Action>
    where ChildState == Table.Entry, Table.EntryID: Sendable, Table.Members: Sendable {
        let reducer = ForEach(
            parent: prepared(),
            part: StatePart(table),
            path: action,
            child: child().prepared(),
            options: ChildOptions(whenMissing, effects, fileID, line, column)
        )
        return PreparedReducer { reducer.reduce(into: &$0, action: $1) }
    }
}
