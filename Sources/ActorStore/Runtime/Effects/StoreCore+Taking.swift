extension StoreCore {
    /// Takes on the effect of an action, which is kept as long as the effect runs, for the errors that come of it.
    @inlinable
    func take(_ effect: Effect<Action>, of action: Action) -> EffectLaunch {
        let launch = takeOn(effect)
        launch.tracker?.note(action)
        return launch
    }
}
