extension Store {
    /// Returns a scope: a view of a part of the state, as a store with the part's own actions.
    ///
    /// ```swift
    /// let user = store.scope(state: \.user, action: AppAction.user)   // Store<User, UserAction>
    /// ```
    ///
    /// A scope has no state of its own. Its actions are reduced by the store that it is a scope of, and its observers
    /// are registered there: observing a scope of a stored property costs no more than observing the store, and a scope
    /// of a scope costs no more than one scope. A scope does not retain the root. Its observations continue when the
    /// scope is released.
    ///
    /// The ``actions`` of the scope are those actions of this store that `embed` creates, regardless of the sender.
    /// While they are observed, or reduced by a reducer that is attached to the scope, they are found by reflection,
    /// which takes microseconds; with `extract` they are found immediately. Reflection recognizes an action of the
    /// scope that is stored unchanged in the associated values of a case, or of nested cases, which must always be the
    /// same. It does not find an action that `embed` changes or wraps in a structure; if `embed` chooses between
    /// several cases, it finds only the first case that occurs. Pass `extract` in these situations; a ``CasePath``
    /// provides both:
    ///
    /// ```swift
    /// let path: CasePath<AppAction, UserAction> = .user
    /// let user = store.scope(state: \.user, action: path.embed, extract: path.extract)
    /// ```
    ///
    /// Attaching a reducer traps where reflection cannot work: if actions have their own mirror (`CustomReflectable`),
    /// or if an action of the scope is a function.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the part. It is evaluated in every state of the store, so a scope of `\.items[3]`
    ///     traps in a state with fewer items; ``scopes(forEach:fileID:line:action:extract:)`` creates scopes that
    ///     follow the entries of a table. For a part that a closure computes, use a scope of its scope:
    ///     `store.scope { $0.sum }.scope(state: \.self, action: AppAction.user)`.
    ///   - embed: A closure that wraps an action of the scope in an action of this store.
    ///   - extract: A closure that returns the scope's action if an action contains one; nil to find it by reflection.
    /// - Returns: The scope.
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

    /// Returns a scope: a view of the result of a closure, as a store with the same actions.
    ///
    /// The scope has no state of its own and does not retain the root. The closure is called after every turn of the
    /// tree while the scope is observed.
    ///
    /// - Parameter transform: A closure that computes the part from the state.
    /// - Returns: The scope.
    @inlinable
    public nonisolated func scope<Part: Sendable>(
        _ transform: @escaping @Sendable (_ state: State) -> Part
    ) -> Store<Part, Action> {
        let scopeNode = scopeNode
        return Store<Part, Action>(
            scopeNode: scopeNode.scope(scopeNode.states.map(transform), { $0 }, extract: { $0 }, transform)
        )
    }

    /// Returns a scope: a view of a part of the state, as a store with the same actions.
    ///
    /// With `removeDuplicates`, the observers of the scope are notified only of states that the closure considers
    /// different:
    ///
    /// ```swift
    /// let users = store.scope(\.user, removeDuplicates: { $0.id == $1.id })
    /// ```
    ///
    /// Each observation, each ``condition(timeout:clock:fileID:line:isolation:_:)`` and each state-driven effect starts
    /// with the value of ``snapshot`` and compares on its own. So `old` is the state with which it started, or the last
    /// state that it received as changed, independent of other observers.
    ///
    /// Everything derived from the scope, such as ``readOnly``, further scopes and children, uses the same comparison:
    /// observers receive the scope's state only when it counts as changed, and as it was then. A child's own state is
    /// not filtered. Only ``snapshot``, ``state``, ``actions`` and ``transitions(buffering:fileID:line:)`` show every
    /// state.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the part.
    ///   - areSame: A closure that returns whether an observer that has received `old` need not receive `new`; nil to
    ///     let each observer use its own comparison. It runs within the store's turn and must not block.
    /// - Returns: The scope.
    /// - Complexity: `areSame` is called once for each observation after each turn of the tree. Observations of an
    ///   ordinary scope share one comparison, and are skipped while other parts change. Tables and optional parts from
    ///   which the scope creates stores are also followed through changes that count as unchanged, as in an ordinary
    ///   scope.
    @inlinable
    public nonisolated func scope<Part: Sendable>(
        _ keyPath: KeyPath<State, Part> & Sendable,
        removeDuplicates areSame: (@Sendable (_ old: Part, _ new: Part) -> Bool)? = nil
    ) -> Store<Part, Action> {
        Store<Part, Action>(scopeNode: scopeNode.part(keyPath, { $0 }, extract: { $0 }, areSame: areSame))
    }
}

extension Store {
    /// A handle that does not retain the store.
    public nonisolated var weak: WeakStore<State, Action> {
        switch backing {
        case .root(let core): WeakStore(core: core)
        case .view(let scopeNode): WeakStore(scopeNode: scopeNode)
        }
    }
}

/// A view of a store that only shows the state: there is no action that can be sent to it.
public typealias ReadOnlyStore<State: Sendable> = Store<State, Never>

extension Store {
    /// A view of the same store that cannot send actions. Use it for code that should only read and observe: it has no
    /// action that it could dispatch. It can still shut the store down, cancel its effects, and suspend it.
    ///
    /// ```swift
    /// let display = Display(store.readOnly)    // Takes a ReadOnlyStore<Shop.State>.
    /// ```
    ///
    /// This is a scope: it has no state of its own, and does not retain the store.
    public nonisolated var readOnly: ReadOnlyStore<State> {
        scope(state: \.self, action: impossible)
    }
}

/// Converts an action that cannot exist.
private func impossible<Action>(_ never: Never) -> Action {}
