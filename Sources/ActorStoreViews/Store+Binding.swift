import ActorStore
import ActorStoreComposition

extension Store {
    /// Returns a binding of a part of the state and the action that sets it; see ``StateBinding``.
    ///
    /// ```swift
    /// let name = store.binding(\.name, send: AppAction.rename)
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - embed: Returns the action for a new value.
    /// - Returns: A binding. It does not retain a root.
    @inlinable
    public nonisolated func binding<Value: Sendable>(
        _ keyPath: KeyPath<State, Value> & Sendable,
        send embed: @escaping @Sendable (_ value: Value) -> Action
    ) -> StateBinding<Value> {
        view.binding(keyPath, send: embed)
    }

    /// Returns a binding of a part of the state that sends the same action for every new value, such as a toggle.
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - action: The action that is sent each time the value is set.
    /// - Returns: A binding. It does not retain a root.
    @inlinable
    public nonisolated func binding<Value: Sendable>(
        _ keyPath: KeyPath<State, Value> & Sendable,
        send action: Action
    ) -> StateBinding<Value> {
        view.binding(keyPath) { _ in action }
    }

    /// Returns a binding of a value that a closure derives from the state, and the action that sets it.
    ///
    /// - Parameters:
    ///   - select: Derives the value from a snapshot, each time it is read.
    ///   - embed: Returns the action for a new value.
    /// - Returns: A binding. It does not retain a root.
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
    /// Returns a binding of a part of the view's state and the action that sets it; see `Store.binding(_:send:)`.
    ///
    /// - Parameters:
    ///   - keyPath: The part.
    ///   - embed: Returns the action for a new value.
    /// - Returns: A binding. It does not retain a root.
    @inlinable
    public func binding<Value: Sendable>(
        _ keyPath: KeyPath<State, Value> & Sendable,
        send embed: @escaping @Sendable (_ value: Value) -> Action
    ) -> StateBinding<Value> {
        StateBinding(reference, get: { [reference] in reference.value(at: keyPath) }, send: embed)
    }
}

extension Store where Action: BindableAction<State> {
    /// Returns a binding of a part of the state that a ``BindingAction`` sets; see ``StateBinding``.
    ///
    /// ```swift
    /// let name = store.binding(\.name)
    /// try await name.dispatch("Ada")   // dispatches .binding(.set(\.name, "Ada"))
    /// ```
    ///
    /// - Parameter keyPath: The part.
    /// - Returns: A binding. It does not retain a root.
    @inlinable
    public nonisolated func binding<Value: Equatable & Sendable>(
        _ keyPath: WritableKeyPath<State, Value> & Sendable
    ) -> StateBinding<Value> {
        view.binding(keyPath)
    }
}

extension StoreView where Action: BindableAction<State> {
    /// Returns a binding of a part of the view's state that a `BindingAction` sets; see ``StateBinding``.
    ///
    /// - Parameter keyPath: The part.
    /// - Returns: A binding. It does not retain a root.
    @inlinable
    public func binding<Value: Equatable & Sendable>(
        _ keyPath: WritableKeyPath<State, Value> & Sendable
    ) -> StateBinding<Value> {
        binding(keyPath) { .binding(.set(keyPath, $0)) }
    }
}
