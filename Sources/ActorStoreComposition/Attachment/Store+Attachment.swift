import ActorStore

extension Store {
    /// Attaches a reducer to a part of the state of a running store. From now on it reduces the store's actions after
    /// the store's own reducer, in the order in which reducers were attached.
    ///
    /// ```swift
    /// store.attach(reducer: Audit(), state: \.audit, forKey: "audit")
    /// store.detach(reducerForKey: "audit")
    /// ```
    ///
    /// Attaching is ordered with the store's actions: the reducer does not receive actions that were sent before, and
    /// receives those sent afterwards. A reducer attached under a key in use replaces the former one, in its place. You
    /// can also attach a reducer to a scope whose part is writable. It is then attached to the store of the scope, and
    /// its key belongs to that part: the same key at another scope, or at the store itself, is another key. The reducer
    /// and its effects use the dependencies of that store.
    ///
    /// Traps if the state is not writable through the store: for a scope by a closure or of a read-only property, and
    /// for the combined state of a child; use ``attach(reducer:local:forKey:)`` for the child's own state. Traps also
    /// for a scope of an optional or an entry, as returned by ``scopeIfLet(state:fileID:line:action:extract:)`` and
    /// `scopes(forEach:fileID:line:action:extract:)`, although its part can be written. Attach the reducer to the store
    /// that has the optional, or the table.
    ///
    /// The key path must not trap in any state, as `\.items[3]` does: it is also read to check whether a child of the
    /// reducer still exists.
    ///
    /// - Parameters:
    ///   - reducer: The reducer to attach.
    ///   - keyPath: The part that it changes.
    ///   - key: The key for detaching the reducer. Keys of different types are different: `7` is not `7 as UInt32`. An
    ///     optional with a value is the same key as its value, as with ``EffectID``.
    /// - Returns: A value that detaches the reducer; it can be ignored.
    @inlinable
    @discardableResult
    public nonisolated func attach<R: Reducer>(
        reducer: R,
        state keyPath: WritableKeyPath<State, R.State> & Sendable,
        forKey key: some Hashable & Sendable
    ) -> ReducerAttachment where R.Action == Action {
        let step = ChildStep.part(keyPath)
        return host().attach(reducer.prepared(), EffectID(key)) { state, action, reducer in
            reducer.reduce(into: &state[keyPath: keyPath], action: action).located(by: step)
        }
    }

    /// Attaches a reducer without effects, as a closure, to a part of the state of a running store.
    ///
    /// ```swift
    /// store.attach(state: \.visits, forKey: "visits") { visits, _ in visits += 1 }
    /// ```
    ///
    /// It is attached and detached as ``attach(reducer:state:forKey:)`` describes, and traps in the same cases.
    ///
    /// - Parameters:
    ///   - keyPath: The part that it changes.
    ///   - key: The key for detaching the reducer.
    ///   - reduce: Changes the part for an action.
    /// - Returns: A value that detaches the reducer; it can be ignored.
    @inlinable
    @discardableResult
    public nonisolated func attach<Part: Sendable>(
        state keyPath: WritableKeyPath<State, Part> & Sendable,
        forKey key: some Hashable & Sendable,
        _ reduce: @escaping @Sendable (_ part: inout Part, _ action: Action) -> Void
    ) -> ReducerAttachment {
        attach(reducer: Reduce<Part, Action>(reduce), state: keyPath, forKey: key)
    }

    /// Attaches a reducer of a case of the store's actions to a part of the state of a running store.
    ///
    /// It is attached and detached as ``attach(reducer:state:forKey:)`` describes, and traps in the same cases.
    ///
    /// - Parameters:
    ///   - reducer: The reducer to attach.
    ///   - keyPath: The part that it changes.
    ///   - casePath: The case whose actions it reduces.
    ///   - key: The key for detaching the reducer.
    /// - Returns: A value that detaches the reducer; it can be ignored.
    @inlinable
    @discardableResult
    public nonisolated func attach<R: Reducer>(
        reducer: R,
        state keyPath: WritableKeyPath<State, R.State> & Sendable,
        action casePath: CasePath<Action, R.Action>,
        forKey key: some Hashable & Sendable
    ) -> ReducerAttachment {
        let step = ChildStep.part(keyPath)
        return host().attach(reducer.prepared(), EffectID(key)) { state, action, reducer in
            guard let action = casePath.extract(from: action) else { return .none }
            let effect = reducer.reduce(into: &state[keyPath: keyPath], action: action)
            return effect.isNone ? .none : effect.mapped(casePath.embedding).located(by: step)
        }
    }

    /// Attaches a reducer of the whole state to a running store.
    ///
    /// It is attached and detached as ``attach(reducer:state:forKey:)`` describes, and traps in the same cases.
    ///
    /// - Parameters:
    ///   - reducer: The reducer to attach.
    ///   - key: The key for detaching the reducer.
    /// - Returns: A value that detaches the reducer; it can be ignored.
    @inlinable
    @discardableResult
    public nonisolated func attach<R: Reducer>(
        reducer: R,
        forKey key: some Hashable & Sendable
    ) -> ReducerAttachment where R.State == State, R.Action == Action {
        host().attach(reducer.prepared(), EffectID(key)) { state, action, reducer in
            reducer.reduce(into: &state, action: action)
        }
    }

    /// Attaches a reducer of the whole state without effects, as a closure, to a running store.
    ///
    /// ```swift
    /// store.attach(forKey: "visits") { state, _ in state.visits += 1 }
    /// ```
    ///
    /// It is attached and detached as ``attach(reducer:state:forKey:)`` describes, and traps in the same cases.
    ///
    /// - Parameters:
    ///   - key: The key for detaching the reducer.
    ///   - reduce: Changes the state for an action.
    /// - Returns: A value that detaches the reducer; it can be ignored.
    @inlinable
    @discardableResult
    public nonisolated func attach(
        forKey key: some Hashable & Sendable,
        _ reduce: @escaping @Sendable (_ state: inout State, _ action: Action) -> Void
    ) -> ReducerAttachment {
        attach(reducer: Reduce<State, Action>(reduce), forKey: key)
    }

    /// Attaches a reducer to a part of a child's own state.
    ///
    /// It is attached and detached as ``attach(reducer:state:forKey:)`` describes. Traps if the store is not a child.
    ///
    /// - Parameters:
    ///   - reducer: The reducer to attach.
    ///   - keyPath: The part of the child's own state that it changes.
    ///   - key: The key for detaching the reducer.
    /// - Returns: A value that detaches the reducer; it can be ignored.
    @inlinable
    @discardableResult
    public nonisolated func attach<Parent, Local, R: Reducer>(
        reducer: R,
        local keyPath: WritableKeyPath<Local, R.State> & Sendable,
        forKey key: some Hashable & Sendable
    ) -> ReducerAttachment where State == ParentAndChild<Parent, Local>, R.Action == Action {
        let step = ChildStep.part(keyPath)
        return localHost(of: Local.self).attach(reducer.prepared(), EffectID(key)) { state, action, reducer in
            reducer.reduce(into: &state[keyPath: keyPath], action: action).located(by: step)
        }
    }

    /// Detaches the reducer that was attached under a key, if there is one, and cancels its effects.
    /// ``Effect/detached()`` effects run on.
    ///
    /// Detaching is ordered with the store's actions, like ``attach(reducer:state:forKey:)``.
    public nonisolated func detach(reducerForKey key: some Hashable & Sendable) {
        detachReducer(EffectID(key))
    }
}

/// A reducer that was attached to a store; see `Store.attach(reducer:state:forKey:)`. Releasing this value does not
/// detach it.
public struct ReducerAttachment: Sendable {
    private let detachment: @Sendable () -> Void

    init(detachment: @escaping @Sendable () -> Void) {
        self.detachment = detachment
    }

    /// Detaches the reducer, or the one that has replaced it since, and cancels its effects.
    public func detach() { detachment() }
}

extension AttachmentHost {
    @usableFromInline
    func attach<PartState, PartAction>(
        _ reducer: PreparedReducer<PartState, PartAction>,
        _ key: EffectID,
        _ reduce: @escaping @Sendable (inout State, Action, PreparedReducer<PartState, PartAction>) -> Effect<Action>
    ) -> ReducerAttachment {
        attach(key) { state, action in reduce(&state, action, reducer) }
        let detach = detach
        return ReducerAttachment { detach(key) }
    }
}
