extension Store {
    /// Makes a child for each entry of a table, which comes and goes with the entry.
    ///
    /// A child shows its entry, joined with a state of its own, and reduces its own actions, which go up from there;
    /// see ``child(initialState:reducer:name:action:)``. What is observed in an entry costs
    /// nothing while others change, if the table is a `TreeDictionary`. Observe the two halves, `\.parent` and
    /// `\.local`, and not the whole ``ParentAndChild``, which is made and compared after each turn of the tree. When an
    /// entry goes, its child's effects are cancelled, its observers' sequences end, and it refuses actions, also if
    /// somebody holds it still; it goes on to show the last it knew. If an action of a batch takes the entry away that
    /// was sent to the child, or to a store below it, those after it are dropped and counted in
    /// ``StoreStatistics/lateActions``.
    ///
    /// An entry is told from others by its key. One that an action takes away, and a later action adds again under the
    /// same key, is another entry with another child, also if both actions are of one batch
    /// (``Store/send(contentsOf:)``). If one action does both, the entry has only changed, and its child stays, with
    /// its own state and its effects. To tell two entries apart that an action exchanges, give them different keys. (In
    /// a batch, the children of a scope that is made with `removeDuplicates:` see what is left at its end only.)
    ///
    /// ```swift
    /// // enum Action { case room(id: Int, action: Room.Action), … }
    /// let rooms = hotel.children(
    ///     forEach: \.rooms,
    ///     initialState: { _, _ in Room.State() },
    ///     reducer: Room(),
    ///     action: Action.room
    /// )
    /// ```
    ///
    /// The children are made in the store's turn. If the store is busy, or this is called in one of its turns, as by an
    /// observer, there are none until then; ``Store/state`` waits for it.
    ///
    /// All children keep the dependencies that are in force where this is called, over those of this store, whoever
    /// sends the actions with which their entries come.
    ///
    /// - Parameters:
    ///   - keyPath: The table: a `TreeDictionary`, a `KeyedArray`, a `Dictionary`, or an array, whose keys are the
    ///     indices.
    ///   - initialState: Makes a child's own state when its entry comes. It runs in the store's turn, with the
    ///     dependencies that the child keeps.
    ///   - reducer: Changes a child's own state, and asks for effects. All children share what its
    ///     ``Reducer/prepared()`` returns.
    ///   - name: For diagnostics.
    ///   - fileID: Where they are made; leave the default.
    ///   - line: Where they are made; leave the default.
    ///   - embed: Makes an action of this store of one of the child with the key given; nil for one that goes no
    ///     further.
    @inlinable
    public nonisolated func children<Table: ObservableTable & Sendable, R: Reducer>(
        forEach keyPath: KeyPath<State, Table> & Sendable,
        initialState: @escaping @Sendable (_ key: Table.Key, _ value: Table.Value) -> R.State,
        reducer: R,
        name: String = "child",
        fileID: String = #fileID,
        line: UInt = #line,
        action embed: @escaping @Sendable (_ key: Table.Key, _ action: R.Action) -> Action?
    ) -> StoreChildren<Table.Key, ParentAndChild<Table.Value, R.State>, R.Action>
    where Table.Key: Sendable, Table.Value: Sendable {
        let scopeNode = scopeNode
        let reducer = NodeReducer(reducer, below: scopeNode.dependencies)
        return scopeNode.stores(forEach: keyPath, at: CodeLocation(fileID: fileID, line: line)) {
            key,
            value,
            element in
            let state = reducer.dependencies.whileInForce { initialState(key, value) }
            let node = scopeNode.makeChildNode(state, reducer, name: name) { embed(key, $0) }
            let states = scopeNode.states.element(element)
            node.rememberElement(of: states)
            return (scopeNode.child(node, name, states.joined(with: node)), node)
        }
    }

    /// Makes a scope for each entry of a table, which comes and goes with the entry; otherwise like
    /// ``scope(state:action:extract:)``.
    ///
    /// When an entry goes, its scope ends, also if somebody holds it still: its observers' sequences end, and it
    /// refuses actions, whatever comes under its key then. What it had accepted, and what was dispatched to it, reaches
    /// no other entry either: if the entry has gone when its turn comes, it is dropped and counted in
    /// ``StoreStatistics/lateActions``, or its dispatch throws. The scope goes on to show the last that the entry was.
    /// All scopes end when what this returns is released, so hold that as long as you use one.
    ///
    /// An entry that one action takes away and adds again under the same key has only changed, and its scope stays. If
    /// two actions do that, also of one batch, it is another entry with another scope.
    ///
    /// A change of an entry is one that its `==` sees: a value that is equal to the one before, whatever else differs,
    /// is not shown to observers of the scope, nor to those that wait by a condition.
    ///
    /// ```swift
    /// // enum Action { case room(id: Int, action: Room.Action), … }
    /// let rooms = hotel.scopes(forEach: \.rooms, action: Action.room)
    /// ```
    ///
    /// The scopes are made in the store's turn. If the store is busy, or this is called in one of its turns, as by an
    /// observer, there are none until then; ``Store/state`` waits for it.
    ///
    /// - Parameters:
    ///   - keyPath: The table: a `TreeDictionary`, a `KeyedArray`, a `Dictionary`, or an array, whose keys are the
    ///     indices.
    ///   - fileID: Where they are made; leave the default.
    ///   - line: Where they are made; leave the default.
    ///   - embed: Makes an action of this store of one of the scope of the key given.
    ///   - extract: The key and the scope's action, if an action is one of a scope; nil to have reflection find them.
    @inlinable
    public nonisolated func scopes<Table: ObservableTable & Sendable, ElementAction: Sendable>(
        forEach keyPath: KeyPath<State, Table> & Sendable,
        fileID: String = #fileID,
        line: UInt = #line,
        action embed: @escaping @Sendable (_ key: Table.Key, _ action: ElementAction) -> Action,
        extract: (@Sendable (_ action: Action) -> (id: Table.Key, action: ElementAction)?)? = nil
    ) -> StoreChildren<Table.Key, Table.Value, ElementAction> where Table.Key: Sendable, Table.Value: Sendable {
        let found = extract == nil ? Reflection.entryExtraction(of: embed) : nil
        let scopeNode = scopeNode
        return scopeNode.stores(forEach: keyPath, at: CodeLocation(fileID: fileID, line: line)) { key, _, element in
            let given: @Sendable (Action) -> ElementAction? = { action in
                guard let entry = extract?(action), entry.id == key else { return nil }
                return entry.action
            }
            let own = found?(key) ?? given
            return (scopeNode.scope(element, { embed(key, $0) }, extract: own), nil)
        }
    }

    /// Makes a scope of an optional part, which comes and goes with what it holds.
    ///
    /// ```swift
    /// let login = store.scopeIfLet(state: \.login, action: AppAction.login)
    /// for await store in login.stores { … }   // Store<Login, LoginAction>?, at each coming and going
    /// ```
    ///
    /// A scope has no state of its own, and shows what the part holds at the end of a turn. So it stays if the part is
    /// nil only within an action, or only between two actions of a batch (``Store/send(contentsOf:)``), whatever the
    /// part holds then. What its `==` does not see counts as no change of it.
    ///
    /// The scope is made in the store's turn. If the store is busy, or this is called in one of its turns, as by an
    /// observer, ``OptionalScope/store`` is nil until then; ``Store/state`` waits for it.
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - fileID: Where it is made; leave the default.
    ///   - line: Where it is made; leave the default.
    ///   - embed: Makes an action of this store of one of the scope.
    ///   - extract: The scope's action, if an action is one of the scope; nil to have reflection find it, as
    ///     ``scope(state:action:extract:)`` says.
    @inlinable
    public nonisolated func scopeIfLet<Part: Equatable & Sendable, PartAction: Sendable>(
        state keyPath: KeyPath<State, Part?> & Sendable,
        fileID: String = #fileID,
        line: UInt = #line,
        action embed: @escaping @Sendable (_ action: PartAction) -> Action,
        extract: (@Sendable (_ action: Action) -> PartAction?)? = nil
    ) -> OptionalScope<Part, PartAction> {
        let extract = extract ?? Reflection.extraction(of: embed)
        return scopeNode.store(ifLet: keyPath, at: CodeLocation(fileID: fileID, line: line)) { scopeNode, element in
            scopeNode.scope(element, embed, extract: extract)
        }
    }
}
