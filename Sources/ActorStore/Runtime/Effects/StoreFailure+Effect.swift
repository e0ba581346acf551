extension StoreFailure {
    /// An error of an effect.
    init(_ error: any Error, of handle: EffectHandle) {
        self.init(error: error, origin: .effect(id: handle.id, at: handle.source), action: handle.tracker.action)
    }
}
