import ActorStore

extension Store {
    /// Has an instrument told of what goes on in the tree of the store, from now on.
    ///
    /// ```swift
    /// let counts = CountingInstrument()
    /// store.use(counts)
    /// ```
    ///
    /// It takes its place in the order of everything that is asked of the store: it is told of actions that are
    /// accepted after this call, and of the effects that begin after it. An instrument is one of the whole tree,
    /// whichever store of it this is called on: the root, a child or a scope. Events say in which store they happened.
    ///
    /// Several are told in the order in which they came.
    ///
    /// - Parameters:
    ///   - instrument: May be used by several trees; then it is called by several threads at once.
    ///   - clock: What times are measured with, several times for each action, in the turn and by senders, which can be
    ///     reducers: it must not read a store. A tree measures with the clock of the first instrument that it was
    ///     given; later ones are not asked. Its zero is now; that of the continuous clock is the same for all trees, so
    ///     that their times can be compared.
    /// - Returns: a token that can be ignored; the instrument stays until `Interception.remove()` is called, or the
    ///   store is released. It is told no more of effects that end after that.
    @discardableResult
    public nonisolated func use(
        _ instrument: any StoreInstrument,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> Interception {
        addInstrument(instrument, clock: clock)
    }
}
