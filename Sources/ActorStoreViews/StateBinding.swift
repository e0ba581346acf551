import ActorStore
import ActorStoreComposition

/// A value that can be read and set, wherever it comes from: a part of a state, and the action that changes it.
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
/// What is set is an action like any other: the reducer decides what becomes of it, and the value is what the state
/// says afterwards.
///
/// To set a part of a value is to read the whole, change it, and send the whole, so that of two who set parts of one
/// value at the same time the later one overwrites what the other has changed. Where that can happen, give each part an
/// action of its own.
///
/// It keeps alive what a ``StoreView`` does: no root.
@dynamicMemberLookup
public struct StateBinding<Value: Sendable>: Sendable {
    @usableFromInline let get: @Sendable () -> Value
    /// The way of new values to the store.
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

    /// Shows what `get` reads of a store, and sends it what `embed` makes of a new value.
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

    /// The value at this moment. Setting it sends it, whatever becomes of that.
    @inlinable public var value: Value {
        get { get() }
        nonmutating set { _ = set(newValue) }
    }

    /// Sends a new value, without waiting, from any thread.
    ///
    /// - Returns: The outcome of sending the action.
    @inlinable
    @discardableResult
    public func send(_ value: Value) -> SendOutcome { set(value) }

    /// Dispatches a new value, and returns when it is reduced and visible to every reader.
    ///
    /// - Returns: the effects that the action started.
    /// - Throws: a `StoreError` if the action was not reduced.
    @inlinable
    @inline(__always)
    @discardableResult
    public nonisolated(nonsending) func dispatch(_ value: Value) async throws(StoreError) -> StoreTask {
        try await dispatchValue(value)
    }

    /// A part of the value, as a binding.
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
