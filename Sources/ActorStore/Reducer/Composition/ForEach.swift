/// A reducer with one for each entry of a table: the entry's first, then the parent; and an entry's effects end with
/// it.
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
        // From a table that is computed an entry can go by what its own reducer makes of it.
        let earlierVersion =
            part.stored == nil && options.effects == .endWithChild
            ? part.read(&state) { $0.entryVersion } : nil
        let childEffect = reduceChild(into: &state, action: action)
        guard options.effects == .endWithChild else {
            return childEffect.merged(with: parent.reduce(into: &state, action: action))
        }
        // After the entry's reducer, which therefore changes it in place.
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
    /// Cancels the effects of entries that have gone.
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
    /// Composes a reducer for each entry of a table.
    ///
    /// ```swift
    /// enum Action { case row(id: Int, action: Row.Action), … }
    ///
    /// Reduce { state, action in … }
    ///     .forEach(\.rows, action: .row) { Row() }
    /// ```
    ///
    /// An entry sees its actions before this reducer does, and is changed in place. When this reducer removes it, its
    /// effects are cancelled, begun or not, and what they still send is dropped and counted in
    /// ``StoreStatistics/lateActions``. ``ReducibleTable`` says what it costs to see that.
    ///
    /// An entry is told from others by its identity alone. One that is removed and added again under the same identity
    /// while one action is reduced has only changed, and keeps its effects. If two actions do that, also of one batch,
    /// it is another entry. To tell two entries apart that an action exchanges, give them different identities; a
    /// `StackState` does so.
    ///
    /// - Parameters:
    ///   - table: The key path of the table: a `TreeDictionary`, a `KeyedArray`, a `Dictionary`, or an `Array` of
    ///     elements with identities.
    ///   - action: The case of the entries' actions, which has an identity and the action of the entry with that.
    ///   - whenMissing: What becomes of an action for an entry that is not there. This reducer gets it all the same.
    ///   - effects: Whether the effects of an entry end with it.
    ///   - fileID: Where the reducer is composed; leave the default.
    ///   - line: Where the reducer is composed; leave the default.
    ///   - column: Where the reducer is composed; leave the default.
    ///   - child: The reducer of an entry, or several.
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
