import ActorStore

extension Store {
    /// Adds an instrument to the tree of the store.
    ///
    /// ```swift
    /// let counts = CountingInstrument()
    /// store.use(counts)
    /// ```
    ///
    /// Adding is ordered with the store's actions: the instrument is notified of actions that are accepted after this
    /// call, and of the effects that begin after it. An instrument belongs to the whole tree, whether you call this on
    /// the root, a child or a scope. Events name the store in which they happened.
    ///
    /// Several instruments are notified in the order in which they were added.
    ///
    /// - Parameters:
    ///   - instrument: The instrument. Several trees can use it; then it is called from several threads concurrently.
    ///   - clock: The clock that measures times, several times for each action, within the turn and by senders, which
    ///     can be reducers: it must not read a store. A tree uses the clock of its first instrument, and ignores those
    ///     of later ones. Its zero is now; that of the continuous clock is the same for all trees, so that their times
    ///     can be compared.
    /// - Returns: A token that can be ignored; the instrument stays until `Interception.remove()` is called, or the
    ///   store is released. It is not notified of effects that end after that.
    @discardableResult
    public nonisolated func use(
        _ instrument: any StoreInstrument,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> Interception {
        addInstrument(instrument, clock: clock)
    }
}
