import ActorStore

extension Store {
    /// Returns a reference to the same child or scope that retains another store.
    ///
    /// A child or a scope does not retain its root, and refuses all actions once the root is released. Use this in a
    /// function that builds a tree and returns one of its stores:
    ///
    /// ```swift
    /// func makeScreen() -> Store<ParentAndChild<App.State, Screen.State>, Screen.Action> {
    ///     let app = Store(initialState: App.State(), reducer: App())
    ///     return app.child(initialState: Screen.State(), reducer: Screen(), action: App.Action.screen).keeping(app)
    /// }
    /// ```
    ///
    /// Observations of the result do not retain anything. The result is a separate store that shares the child or scope
    /// with the receiver: the child lives as long as either is retained, and so do `weak` handles to either.
    ///
    /// - Parameter store: The store to retain: the root, or any other store. It must not be a store that retains the
    ///   receiver, through its reducer or one of its observers: this would create a reference cycle.
    /// - Returns: The child or scope. Traps for a root.
    public nonisolated func keeping<OtherState: Sendable, OtherAction: Sendable>(
        _ store: Store<OtherState, OtherAction>
    ) -> Store<State, Action> {
        guard let store = alsoKeeping(store) else {
            fatalError("keeping(_:) was called on \"\(name)\", the root of its tree. Call it on a child or a scope.")
        }
        return store
    }
}
