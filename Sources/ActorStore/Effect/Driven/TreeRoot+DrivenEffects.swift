extension StoreDoor {
    /// Whether the store can run no more effects. In the turn.
    var hasEnded: Bool {
        root.lifecycle.isEnded || node?.isEnded == true || !root.hasState
    }

    /// Takes on an effect that no action asked for. In the turn; its tasks are started at the end of that.
    func take(_ effect: Effect<Action>) {
        var effect = effect
        if let container = dependencies { effect = effect.withDependencies(container.values) }
        actions.take(effect, &root.drivenLaunch)
    }
}

extension TreeRoot {
    /// Starts the tasks of effects that the state asked for in the course of this turn. In the turn, when the observers
    /// have been told.
    @usableFromInline
    final func startDrivenEffects() {
        let launch = drivenLaunch
        drivenLaunch = TravelLaunch()
        deferStart(launch)
    }

    /// The same after something else than an action, which may be in the middle of the turn of one: then after that.
    final func startDrivenEffectsIfIdle() {
        if hasDrivenEffects { inTurn { [self] in if hasDrivenEffects { startDrivenEffects() } } }
    }
}

extension StoreCore {
    /// Takes on an effect that no action asked for. In the turn.
    @usableFromInline
    func take(_ effect: Effect<Action>, into launch: inout TravelLaunch) { launch.add(takeOn(effect), of: self) }
}

extension ChildNode {
    /// Takes on an effect that no action asked for. In the turn.
    @usableFromInline
    func take(_ effect: Effect<Action>, into launch: inout TravelLaunch) { launch.add(takeOn(effect), of: self) }
}
