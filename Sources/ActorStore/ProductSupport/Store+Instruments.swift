extension Store {
    /// Tells an instrument of everything from now on, for `ActorStoreInstruments`.
    @discardableResult
    package nonisolated func addInstrument(
        _ instrument: any StoreInstrument,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> Interception {
        root.use(instrument, clock: clock)
    }
}
