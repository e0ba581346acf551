import ActorStore

extension Store {
    /// A view of the whole store; see ``StoreView``.
    @inlinable public nonisolated var view: StoreView<State, Action> { StoreView(reference) }

    /// Returns a view of a part of the state, restricted to the actions that `embed` maps.
    ///
    /// ```swift
    /// let user = store.view(state: \.user, action: AppAction.user)
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: The part; `\.self` for the whole state.
    ///   - embed: Maps an action of the view to an action of this store.
    /// - Returns: A view of the part.
    /// - Complexity: O(1), but it allocates: create the view once, and pass it around.
    @inlinable
    public nonisolated func view<Part: Sendable, PartAction: Sendable>(
        state keyPath: KeyPath<State, Part> & Sendable,
        action embed: @escaping @Sendable (_ action: PartAction) -> Action
    ) -> StoreView<Part, PartAction> {
        scope(state: keyPath, action: embed).view
    }

    /// Returns a view of a part of the state, with all actions.
    ///
    /// - Parameter keyPath: The part.
    /// - Returns: A view of the part.
    @inlinable
    public nonisolated func view<Part: Sendable>(
        state keyPath: KeyPath<State, Part> & Sendable
    ) -> StoreView<Part, Action> {
        scope(keyPath).view
    }

    /// Returns a view of the whole state, restricted to the actions that `embed` maps: for code that must not send
    /// other actions.
    ///
    /// ```swift
    /// enum AppAction: Sendable { case display(DisplayAction), loaded(User) }
    /// let display = store.view(action: AppAction.display)   // can send what a display may, and no `loaded`
    /// ```
    ///
    /// - Parameter embed: Maps an action of the view to an action of this store.
    /// - Returns: A view of the whole state.
    @inlinable
    public nonisolated func view<PartAction: Sendable>(
        action embed: @escaping @Sendable (_ action: PartAction) -> Action
    ) -> StoreView<State, PartAction> {
        view(state: \.self, action: embed)
    }
}

extension StoreView {
    /// Returns a view of a part of this view's state, restricted to the actions that `embed` maps.
    ///
    /// - Parameters:
    ///   - keyPath: The part; `\.self` for the whole state.
    ///   - embed: Maps an action of the new view to an action of this one.
    /// - Returns: A view of the part.
    /// - Complexity: O(1), but it allocates: create the view once, and pass it around.
    @inlinable
    public func view<Part: Sendable, PartAction: Sendable>(
        state keyPath: KeyPath<State, Part> & Sendable,
        action embed: @escaping @Sendable (_ action: PartAction) -> Action
    ) -> StoreView<Part, PartAction> {
        scope.view(state: keyPath, action: embed)
    }

    /// Returns a view of a part of this view's state, with the same actions.
    ///
    /// - Parameter keyPath: The part.
    /// - Returns: A view of the part.
    @inlinable
    public func view<Part: Sendable>(state keyPath: KeyPath<State, Part> & Sendable) -> StoreView<Part, Action> {
        scope.view(state: keyPath)
    }

    /// Returns a view of this view's whole state, restricted to the actions that `embed` maps.
    ///
    /// - Parameter embed: Maps an action of the new view to an action of this one.
    /// - Returns: A view of the whole state.
    @inlinable
    public func view<PartAction: Sendable>(
        action embed: @escaping @Sendable (_ action: PartAction) -> Action
    ) -> StoreView<State, PartAction> {
        scope.view(action: embed)
    }

    /// A store for the same node. Its release does not end the store of the view.
    @inlinable var scope: Store<State, Action> { reference.store }
}
