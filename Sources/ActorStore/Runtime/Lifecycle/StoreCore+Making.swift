extension StoreCore {
    /// Has the store made ready in one turn, before anything is read that is sent meanwhile, and before anybody can
    /// make a child: also if a reducer makes the store, on whose thread no other turn can begin. Called before anybody
    /// else has the store.
    ///
    /// - Parameter prepare: done before the interceptors are set up.
    @usableFromInline
    func begin(_ interceptors: [Interceptor<State, Action>], preparing prepare: () -> Void) {
        gate.beginNew()
        whileMaking {
            prepare()
            installFirst(interceptors)
        }
        passOn(readsOwnMessages: true)
    }

    /// Runs code of users that makes the store ready, and may read its state. In the first turn.
    func whileMaking(_ body: () -> Void) {
        // One that is made in the course of this can be another one.
        let makesAnother = CurrentThread.makesStore
        CurrentThread.makesStore = CurrentThread.isWriting
        defer { CurrentThread.makesStore = makesAnother }
        inCleanContext(body)
    }

    /// Makes the dependencies of the store. In its first turn.
    @usableFromInline
    func fill(
        _ container: DependencyContainer,
        _ dependencies: (_ values: inout DependencyOverrides, _ store: WeakStore<State, Action>) -> Void
    ) {
        var values = DependencyOverrides.current
        dependencies(&values, WeakStore(core: self))
        container.fill(values)
        self.dependencies = container
    }
}
