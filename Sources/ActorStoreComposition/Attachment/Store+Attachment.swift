import ActorStore

extension Store {
    /// Attaches a reducer to a part of the state while the store is at work: from now on it reduces the store's actions
    /// after the store's own reducer, in the order in which reducers were attached.
    ///
    /// ```swift
    /// store.attach(reducer: Audit(), state: \.audit, forKey: "audit")
    /// store.detach(reducerForKey: "audit")
    /// ```
    ///
    /// It takes its turn among the actions: those that were sent before are not seen by it, those sent afterwards are.
    /// One that is attached under a key that is taken replaces the former, in its place. Reducers can be attached to a
    /// scope, too, if its part is writable; they are attached to the store that it is a scope of, and their keys are
    /// those of that part: the same key at another scope, or at the store itself, is another key. The reducer and its
    /// effects have the dependencies of that store.
    ///
    /// Traps if the store shows no state that can be written: a scope by closure or of a read-only property, and the
    /// joined state of a child, for whose own state there is ``attach(reducer:local:forKey:)``. Traps also for a scope
    /// that comes and goes with an optional or an entry, as ``scopeIfLet(state:fileID:line:action:extract:)`` and
    /// `scopes(forEach:fileID:line:action:extract:)` make them, although
    /// its part can be written. Attach the reducer to the store that has the optional, or the table.
    ///
    /// The key path must not trap in any state, as `\.items[3]` does: it is also read to see whether a child of the
    /// reducer is still there.
    ///
    /// - Parameters:
    ///   - reducer: What is attached.
    ///   - keyPath: The part that it changes.
    ///   - key: By what it is detached. Keys of different types are different: `7` is not `7 as UInt32`. An optional
    ///     that has a value is the key that its value is, as with ``EffectID``.
    /// - Returns: what detaches it; it can be ignored.
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

    /// Attaches a reducer without effects to a part of the state, as a closure; otherwise like
    /// ``attach(reducer:state:forKey:)``.
    ///
    /// ```swift
    /// store.attach(state: \.visits, forKey: "visits") { visits, _ in visits += 1 }
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: The part that it changes.
    ///   - key: By what it is detached.
    ///   - reduce: Changes the part by an action.
    /// - Returns: what detaches it; it can be ignored.
    @inlinable
    @discardableResult
    public nonisolated func attach<Part: Sendable>(
        state keyPath: WritableKeyPath<State, Part> & Sendable,
        forKey key: some Hashable & Sendable,
        _ reduce: @escaping @Sendable (_ part: inout Part, _ action: Action) -> Void
    ) -> ReducerAttachment {
        attach(reducer: Reduce<Part, Action>(reduce), state: keyPath, forKey: key)
    }

    /// Attaches a reducer that reduces a case of the store's actions; otherwise like ``attach(reducer:state:forKey:)``.
    ///
    /// - Parameters:
    ///   - reducer: What is attached.
    ///   - keyPath: The part that it changes.
    ///   - casePath: The case whose actions it reduces.
    ///   - key: By what it is detached.
    /// - Returns: what detaches it; it can be ignored.
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

    /// Attaches a reducer of the whole state; otherwise like ``attach(reducer:state:forKey:)``.
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

    /// Attaches a reducer of the whole state without effects, as a closure.
    ///
    /// ```swift
    /// store.attach(forKey: "visits") { state, _ in state.visits += 1 }
    /// ```
    ///
    /// It is attached and detached as ``attach(reducer:state:forKey:)`` says.
    ///
    /// - Parameters:
    ///   - key: By what it is detached.
    ///   - reduce: Changes the state by an action.
    /// - Returns: A value that detaches the reducer; it can be ignored.
    @inlinable
    @discardableResult
    public nonisolated func attach(
        forKey key: some Hashable & Sendable,
        _ reduce: @escaping @Sendable (_ state: inout State, _ action: Action) -> Void
    ) -> ReducerAttachment {
        attach(reducer: Reduce<State, Action>(reduce), forKey: key)
    }

    /// Attaches a reducer to a part of a child's own state; otherwise like ``attach(reducer:state:forKey:)``. Traps if
    /// the store is not a child.
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

    /// Detaches the reducer that was attached under a key, if there is one, and cancels the effects that it has asked
    /// for. Those that are ``Effect/detached()`` go on.
    ///
    /// It takes its turn among the actions, like ``attach(reducer:state:forKey:)``.
    public nonisolated func detach(reducerForKey key: some Hashable & Sendable) {
        detachReducer(EffectID(key))
    }
}

/// A reducer that was attached to a store; see `Store.attach(reducer:state:forKey:)`. It stays attached when this is
/// released.
public struct ReducerAttachment: Sendable {
    private let detachment: @Sendable () -> Void

    init(detachment: @escaping @Sendable () -> Void) {
        self.detachment = detachment
    }

    /// Detaches the reducer, or the one that has taken its place since, and cancels its effects.
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
