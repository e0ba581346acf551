import ActorStore

extension Store {
    /// A window on the whole store; see ``StoreView``.
    @inlinable public nonisolated var view: StoreView<State, Action> { StoreView(reference) }

    /// A window on a part of the state, through which only the actions that `embed` knows can be sent.
    ///
    /// ```swift
    /// let user = store.view(state: \.user, action: AppAction.user)
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: The part; `\.self` for all of it.
    ///   - embed: Makes an action of this store of one of the view.
    /// - Complexity: O(1), but with allocations: make it once, and pass it around.
    @inlinable
    public nonisolated func view<Part: Sendable, PartAction: Sendable>(
        state keyPath: KeyPath<State, Part> & Sendable,
        action embed: @escaping @Sendable (_ action: PartAction) -> Action
    ) -> StoreView<Part, PartAction> {
        scope(state: keyPath, action: embed).view
    }

    /// A window on a part of the state, with all actions.
    @inlinable
    public nonisolated func view<Part: Sendable>(
        state keyPath: KeyPath<State, Part> & Sendable
    ) -> StoreView<Part, Action> {
        scope(keyPath).view
    }

    /// A window on the whole state, through which only the actions that `embed` knows can be sent: a store for those
    /// who should not be able to send the others.
    ///
    /// ```swift
    /// enum AppAction: Sendable { case display(DisplayAction), loaded(User) }
    /// let display = store.view(action: AppAction.display)   // can send what a display may, and no `loaded`
    /// ```
    @inlinable
    public nonisolated func view<PartAction: Sendable>(
        action embed: @escaping @Sendable (_ action: PartAction) -> Action
    ) -> StoreView<State, PartAction> {
        view(state: \.self, action: embed)
    }
}

extension StoreView {
    /// A window on a part of what this one shows; see `view(state:action:)`.
    @inlinable
    public func view<Part: Sendable, PartAction: Sendable>(
        state keyPath: KeyPath<State, Part> & Sendable,
        action embed: @escaping @Sendable (_ action: PartAction) -> Action
    ) -> StoreView<Part, PartAction> {
        scope.view(state: keyPath, action: embed)
    }

    /// A window on a part of what this one shows, with the same actions.
    @inlinable
    public func view<Part: Sendable>(state keyPath: KeyPath<State, Part> & Sendable) -> StoreView<Part, Action> {
        scope.view(state: keyPath)
    }

    /// A window on all that this one shows, through which only the actions that `embed` knows can be sent.
    @inlinable
    public func view<PartAction: Sendable>(
        action embed: @escaping @Sendable (_ action: PartAction) -> Action
    ) -> StoreView<State, PartAction> {
        scope.view(action: embed)
    }

    /// The same as a store, whose end is not that of the store that it shows.
    @inlinable var scope: Store<State, Action> { reference.store }
}
