extension Store {
    /// A view of a part of the state, as a store that speaks in the part's own actions.
    ///
    /// ```swift
    /// let user = store.scope(state: \.user, action: AppAction.user)   // Store<User, UserAction>
    /// ```
    ///
    /// A scope has no state of its own: its actions are reduced by the store that it is a scope of, and what is
    /// observed in it is observed there, so that a scope of a stored property costs nothing, and one of another scope
    /// costs as much as one. It does not keep the root alive. It need not be kept for its observations to go on.
    ///
    /// Its ``actions`` are those of this store that `embed` makes, whoever sent them. They are found by reflection,
    /// which takes microseconds, while they are observed, or reduced by a reducer that is attached to the scope; with
    /// `extract` they are found at once. What reflection finds is an action of the scope as it stands in the values of
    /// a case, or of cases within one another, which are always the same; one that `embed` changes, or puts into a
    /// structure, is not found, and of several cases that it chooses from only the first that comes by is. Give
    /// `extract` then; a ``CasePath`` has both:
    ///
    /// ```swift
    /// let path: CasePath<AppAction, UserAction> = .user
    /// let user = store.scope(state: \.user, action: path.embed, extract: path.extract)
    /// ```
    ///
    /// To attach a reducer traps where reflection finds nothing: in actions with a mirror of their own
    /// (`CustomReflectable`), and if an action of the scope is a function.
    ///
    /// - Parameters:
    ///   - keyPath: The part. It is looked up in every state of the store, so that a scope of `\.items[3]` traps in a
    ///     state with fewer items. ``scopes(forEach:fileID:line:action:extract:)`` makes scopes that come and go with
    ///     entries. For a part that a closure makes, use a scope of its scope:
    ///     `store.scope { $0.sum }.scope(state: \.self, action: AppAction.user)`.
    ///   - embed: Makes an action of this store of one of the scope.
    ///   - extract: The scope's action, if an action is one of the scope; nil to have reflection find it.
    @inlinable
    public nonisolated func scope<Part: Sendable, PartAction: Sendable>(
        state keyPath: KeyPath<State, Part> & Sendable,
        action embed: @escaping @Sendable (_ action: PartAction) -> Action,
        extract: (@Sendable (_ action: Action) -> PartAction?)? = nil
    ) -> Store<Part, PartAction> {
        let obstacle = extract == nil ? Reflection.obstacle(Action.self, PartAction.self) : nil
        let extract = extract ?? Reflection.extraction(of: embed)
        return Store<Part, PartAction>(scopeNode: scopeNode.part(keyPath, embed, extract: extract, obstacle: obstacle))
    }

    /// A view of what a closure makes of the state, with the same actions; otherwise like
    /// ``scope(state:action:extract:)``.
    ///
    /// What is observed in it is computed after every turn of the tree.
    @inlinable
    public nonisolated func scope<Part: Sendable>(
        _ transform: @escaping @Sendable (_ state: State) -> Part
    ) -> Store<Part, Action> {
        let scopeNode = scopeNode
        return Store<Part, Action>(
            scopeNode: scopeNode.scope(scopeNode.states.map(transform), { $0 }, extract: { $0 }, transform)
        )
    }

    /// A view of a part of the state with the same actions; otherwise like ``scope(state:action:extract:)``.
    ///
    /// With `removeDuplicates` its observers are told only of those states that differ in the sense given:
    ///
    /// ```swift
    /// let users = store.scope(\.user, removeDuplicates: { $0.id == $1.id })
    /// ```
    ///
    /// Each observation, each ``condition(timeout:clock:fileID:line:isolation:_:)`` and each effect that the state
    /// drives begins with what ``snapshot`` shows, and compares by itself. So `old` is the state with which it began,
    /// or the last one that counted as changed to it, whatever others have seen.
    ///
    /// What is made of the scope, such as ``readOnly``, further scopes and children, knows the notion, too: of the
    /// scope's state its observers are told only when that counts as changed, and see it as it was then. A child's own
    /// state is seen as it is. Only ``snapshot``, ``state``, ``actions`` and ``transitions(buffering:fileID:line:)``
    /// show every state.
    ///
    /// - Complexity: `areSame` is called once for each observation after each turn of the tree. Observations of an
    ///   ordinary scope share one comparison, and are not looked at while other parts change. Tables and optional parts
    ///   of which it makes stores are followed through changes that count as none as well, as in an ordinary scope.
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - areSame: Whether an observer that has seen `old` need not see `new`; nil for what each observer itself
    ///     compares by. It runs in the store's turn, so that it must not block.
    @inlinable
    public nonisolated func scope<Part: Sendable>(
        _ keyPath: KeyPath<State, Part> & Sendable,
        removeDuplicates areSame: (@Sendable (_ old: Part, _ new: Part) -> Bool)? = nil
    ) -> Store<Part, Action> {
        Store<Part, Action>(scopeNode: scopeNode.part(keyPath, { $0 }, extract: { $0 }, areSame: areSame))
    }
}

extension Store {
    /// A handle that does not keep the store alive.
    public nonisolated var weak: WeakStore<State, Action> {
        switch backing {
        case .root(let core): WeakStore(core: core)
        case .view(let scopeNode): WeakStore(scopeNode: scopeNode)
        }
    }
}

/// A view of a store that only shows the state: there is no action that could be sent to it.
public typealias ReadOnlyStore<State: Sendable> = Store<State, Never>

extension Store {
    /// The same store without a way to change it, for those who should only look: they can read and observe everything,
    /// and have nothing that they could dispatch.
    ///
    /// ```swift
    /// let display = Display(store.readOnly)    // Takes a ReadOnlyStore<Shop.State>.
    /// ```
    ///
    /// A scope: it has no state of its own, and does not keep the store alive.
    public nonisolated var readOnly: ReadOnlyStore<State> {
        scope(state: \.self, action: impossible)
    }
}

/// Makes an action of one that cannot be.
private func impossible<Action>(_ never: Never) -> Action {}
