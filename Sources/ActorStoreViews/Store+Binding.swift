import ActorStore
import ActorStoreComposition

extension Store {
    /// A part of the state, and the action that sets it, as one value; see ``StateBinding``.
    ///
    /// ```swift
    /// let name = store.binding(\.name, send: AppAction.rename)
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - embed: Makes an action of a new value.
    @inlinable
    public nonisolated func binding<Value: Sendable>(
        _ keyPath: KeyPath<State, Value> & Sendable,
        send embed: @escaping @Sendable (_ value: Value) -> Action
    ) -> StateBinding<Value> {
        view.binding(keyPath, send: embed)
    }

    /// A part of the state, and one action that is sent whatever it is set to, such as a toggle.
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - action: Is sent each time that the value is set.
    @inlinable
    public nonisolated func binding<Value: Sendable>(
        _ keyPath: KeyPath<State, Value> & Sendable,
        send action: Action
    ) -> StateBinding<Value> {
        view.binding(keyPath) { _ in action }
    }

    /// What a closure makes of the state, and the action that sets it, as one value.
    ///
    /// - Parameters:
    ///   - select: Makes the value of a snapshot, each time that it is read.
    ///   - embed: Makes an action of a new value.
    @inlinable
    public nonisolated func binding<Value: Sendable>(
        get select: @escaping @Sendable (_ state: State) -> Value,
        send embed: @escaping @Sendable (_ value: Value) -> Action
    ) -> StateBinding<Value> {
        let reference = reference
        return StateBinding(reference, get: { select(reference.snapshot()) }, send: embed)
    }
}

extension StoreView {
    /// A part of what the view shows, and the action that sets it, as one value; see
    /// `Store.binding(_:send:)`.
    @inlinable
    public func binding<Value: Sendable>(
        _ keyPath: KeyPath<State, Value> & Sendable,
        send embed: @escaping @Sendable (_ value: Value) -> Action
    ) -> StateBinding<Value> {
        StateBinding(reference, get: { [reference] in reference.value(at: keyPath) }, send: embed)
    }
}

extension Store where Action: BindableAction<State> {
    /// A part of the state that is set by a ``BindingAction``, as one value; see ``StateBinding``.
    ///
    /// ```swift
    /// let name = store.binding(\.name)
    /// try await name.dispatch("Ada")   // dispatches .binding(.set(\.name, "Ada"))
    /// ```
    ///
    /// - Parameter keyPath: The part.
    @inlinable
    public nonisolated func binding<Value: Equatable & Sendable>(
        _ keyPath: WritableKeyPath<State, Value> & Sendable
    ) -> StateBinding<Value> {
        view.binding(keyPath)
    }
}

extension StoreView where Action: BindableAction<State> {
    /// A part of what the view shows that is set by a `BindingAction`, as one value; see ``StateBinding``.
    @inlinable
    public func binding<Value: Equatable & Sendable>(
        _ keyPath: WritableKeyPath<State, Value> & Sendable
    ) -> StateBinding<Value> {
        binding(keyPath) { .binding(.set(keyPath, $0)) }
    }
}
