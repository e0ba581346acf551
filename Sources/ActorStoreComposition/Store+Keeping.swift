import ActorStore

extension Store {
    /// The same child or scope, which keeps another store alive for as long as it is kept itself.
    ///
    /// A child or a scope does not keep its root, so that it refuses all actions once that is released. A function that
    /// builds a tree and returns a store of it has that store keep the root:
    ///
    /// ```swift
    /// func makeScreen() -> Store<ParentAndChild<App.State, Screen.State>, Screen.Action> {
    ///     let app = Store(initialState: App.State(), reducer: App())
    ///     return app.child(initialState: Screen.State(), reducer: Screen(), action: App.Action.screen).keeping(app)
    /// }
    /// ```
    ///
    /// Observations of it keep nothing alive, as ever. It is a store of its own, which shares the child or scope with
    /// the one that this is called on: the child lasts as long as either is kept, and so do `weak` handles to either.
    ///
    /// - Parameter store: What it keeps: its root, or any other store. Not one that keeps it, by its reducer or by one
    ///   of its observers: both would last for ever.
    /// - Returns: The child or scope. Traps for a root, which is kept by nobody but its users.
    public nonisolated func keeping<OtherState: Sendable, OtherAction: Sendable>(
        _ store: Store<OtherState, OtherAction>
    ) -> Store<State, Action> {
        guard let store = alsoKeeping(store) else {
            fatalError("keeping(_:) was called on \"\(name)\", the root of its tree. Call it on a child or a scope.")
        }
        return store
    }
}
