extension Store {
    /// Returns children for the entries of a table: a child is created for each entry, and ends with it.
    ///
    /// A child shows its entry together with its own state, and reduces its own actions, which then propagate to the
    /// parents; see ``child(initialState:reducer:name:action:)``. If the table is a `TreeDictionary`, observing one
    /// entry costs nothing while others change. Observe the two halves, `\.parent` and `\.local`, and not the whole
    /// ``ParentAndChild``, which is computed and compared after each turn of the tree.
    ///
    /// When an entry is removed, its child's effects are cancelled, its observers' sequences finish, and it refuses
    /// actions, even if it is still retained; it keeps showing its last state. If a batch was sent to the child, or to
    /// a store below it, and one of the actions removes the entry, the actions after it are dropped and counted in
    /// ``StoreStatistics/lateActions``.
    ///
    /// Entries are identified by their keys. If one action removes an entry and a later action adds one with the same
    /// key, that is a new entry with a new child, even if both actions are in one batch (``Store/send(contentsOf:)``).
    /// If a single action does both, the entry has only changed: its child stays, with its own state and its effects.
    /// If an action replaces one entity by another, give them different keys to distinguish them. (Within a batch, the
    /// children of a scope that was created with `removeDuplicates:` see only the state at the end of the batch.)
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
    /// Children are created within the store's turn. If the store is busy, or if you call this within one of its turns,
    /// such as from an observer, there are no children until then; ``Store/state`` waits for it.
    ///
    /// All children keep the dependencies that are in force where you call this, on top of those of this store,
    /// independent of the senders whose actions add entries.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the table: a `TreeDictionary`, a `KeyedArray`, a `Dictionary`, or an array, whose
    ///     keys are the indices.
    ///   - initialState: A closure that returns a child's own state when its entry is added. It runs within the store's
    ///     turn, with the dependencies that the child keeps.
    ///   - reducer: The reducer that changes a child's own state and returns effects. All children share the result of
    ///     its ``Reducer/prepared()``.
    ///   - name: The name of the children, for diagnostics.
    ///   - fileID: The file of the caller, for diagnostics.
    ///   - line: The line of the caller, for diagnostics.
    ///   - embed: A closure that converts an action of the child with the given key to one of this store, or returns
    ///     nil for an action that does not propagate.
    /// - Returns: The children, by key. They end when this object is released.
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

    /// Returns scopes for the entries of a table: a scope is created for each entry, and ends with it.
    ///
    /// A scope is a view of its entry with the entry's own actions; it has no state of its own. When the entry is
    /// removed, its scope ends, even if it is still retained: its observers' sequences finish, and it refuses actions,
    /// including those for a later entry with the same key. Actions that it had accepted, and actions that are being
    /// dispatched to it, reach no other entry: if the entry is gone when such an action's turn starts, the action is
    /// dropped and counted in ``StoreStatistics/lateActions``, or its dispatch throws. The scope keeps showing the last
    /// value of the entry. All scopes end when the returned object is released, so retain it as long as you use one of
    /// them.
    ///
    /// If one action removes an entry and adds one with the same key, the entry has only changed, and its scope stays.
    /// If two actions do so, even in one batch, it is a new entry with a new scope.
    ///
    /// Changes of an entry are detected by its `==`: a value that equals the previous one is not delivered to observers
    /// of the scope, nor to waiting conditions, whatever else differs.
    ///
    /// ```swift
    /// // enum Action { case room(id: Int, action: Room.Action), … }
    /// let rooms = hotel.scopes(forEach: \.rooms, action: Action.room)
    /// ```
    ///
    /// Scopes are created within the store's turn. If the store is busy, or if you call this within one of its turns,
    /// such as from an observer, there are no scopes until then; ``Store/state`` waits for it.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the table: a `TreeDictionary`, a `KeyedArray`, a `Dictionary`, or an array, whose
    ///     keys are the indices.
    ///   - fileID: The file of the caller, for diagnostics.
    ///   - line: The line of the caller, for diagnostics.
    ///   - embed: A closure that converts an action of the scope with the given key to one of this store.
    ///   - extract: A closure that returns the key and the scope's action if an action contains one; nil to find them
    ///     by reflection, as ``scope(state:action:extract:)`` describes.
    /// - Returns: The scopes, by key. They end when this object is released.
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

    /// Returns the scope of an optional part, which exists while the part is not nil.
    ///
    /// ```swift
    /// let login = store.scopeIfLet(state: \.login, action: AppAction.login)
    /// for await store in login.stores { … }   // Store<Login, LoginAction>?, at each coming and going
    /// ```
    ///
    /// A scope has no state of its own, and shows the value of the part at the end of a turn. So it stays if the part
    /// is nil only during an action, or only between two actions of a batch (``Store/send(contentsOf:)``), whatever
    /// value the part has afterwards. Changes of the part are detected by its `==`.
    ///
    /// The scope is created within the store's turn. If the store is busy, or if you call this within one of its turns,
    /// such as from an observer, ``OptionalScope/store`` is nil until then; ``Store/state`` waits for it.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the part.
    ///   - fileID: The file of the caller, for diagnostics.
    ///   - line: The line of the caller, for diagnostics.
    ///   - embed: A closure that converts an action of the scope to one of this store.
    ///   - extract: A closure that returns the scope's action if an action contains one; nil to find it by reflection,
    ///     as ``scope(state:action:extract:)`` describes.
    /// - Returns: The optional scope.
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
