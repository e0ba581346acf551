import ActorStore
import ActorStoreComposition

/// A value that can be read and set: a part of a state, with the action that changes it.
///
/// ```swift
/// let name = store.binding(\.user.name, send: AppAction.rename)
/// print(name.value)
/// name.send("Ada")                    // sends .rename("Ada")
/// try await name.dispatch("Grace")    // returns when .rename("Grace") is reduced
///
/// let user = store.binding(\.user, send: AppAction.userChanged)
/// user.name.send("Ada")               // sends .userChanged with the user as it is, but with that name
/// ```
///
/// Setting a value sends an action like any other: the reducer decides what happens, and the value is read from the
/// state afterwards.
///
/// Setting a part of a value reads the whole, changes it, and sends the whole. If two callers set parts of one value
/// concurrently, the later one overwrites the change of the other. Where that can happen, give each part an action of
/// its own.
///
/// Like a ``StoreView``, it does not retain a root.
@dynamicMemberLookup
public struct StateBinding<Value: Sendable>: Sendable {
    @usableFromInline let get: @Sendable () -> Value
    /// Sends a new value to the store.
    @usableFromInline let set: @Sendable (Value) -> SendOutcome
    @usableFromInline let dispatchValue: nonisolated(nonsending) @Sendable (Value) async throws(StoreError) -> StoreTask

    @inlinable
    init(
        get: @escaping @Sendable () -> Value,
        set: @escaping @Sendable (Value) -> SendOutcome,
        dispatch: nonisolated(nonsending) @escaping @Sendable (Value) async throws(StoreError) -> StoreTask
    ) {
        self.get = get
        self.set = set
        dispatchValue = dispatch
    }

    /// Creates a binding that reads with `get`, and sends the store the action that `embed` returns for a new value.
    @inlinable
    init<State, Action>(
        _ store: StoreReference<State, Action>,
        get: @escaping @Sendable () -> Value,
        send embed: @escaping @Sendable (Value) -> Action
    ) {
        self.init(get: get) { value in
            store.send(embed(value))
        } dispatch: { value throws(StoreError) in
            try await store.dispatch(embed(value))
        }
    }

    /// The current value. Reading it waits and traps as `Store.snapshot` does. Setting it sends the new value as
    /// ``send(_:)`` does, and ignores the outcome.
    @inlinable public var value: Value {
        get { get() }
        nonmutating set { _ = set(newValue) }
    }

    /// Sends a new value without waiting, from any thread. A binding of a part of a value first reads the whole, as
    /// `Store.snapshot` does: it waits for the action or batch that is being reduced, and traps in a reducer.
    ///
    /// - Returns: Whether the action was accepted, dropped or refused.
    @inlinable
    @discardableResult
    public func send(_ value: Value) -> SendOutcome { set(value) }

    /// Dispatches a new value, and returns when its action has been reduced and the change is visible to every reader.
    ///
    /// - Returns: A `StoreTask` of the effects that the action started.
    /// - Throws: A `StoreError` if the action was not reduced.
    @inlinable
    @inline(__always)
    @discardableResult
    public nonisolated(nonsending) func dispatch(_ value: Value) async throws(StoreError) -> StoreTask {
        try await dispatchValue(value)
    }

    /// A binding of a part of the value.
    @inlinable
    public subscript<Part: Sendable>(
        dynamicMember keyPath: WritableKeyPath<Value, Part> & Sendable
    ) -> StateBinding<Part> {
        let (get, set, dispatch) = (get, set, dispatchValue)
        let whole: @Sendable (Part) -> Value = { part in
            var whole = get()
            whole[keyPath: keyPath] = part
            return whole
        }
        return StateBinding<Part> {
            get()[keyPath: keyPath]
        } set: { part in
            set(whole(part))
        } dispatch: { part throws(StoreError) in
            try await dispatch(whole(part))
        }
    }
}
