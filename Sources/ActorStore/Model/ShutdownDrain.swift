/// What a store does with its running effects when it is shut down.
public enum ShutdownDrain: Sendable, Equatable {
    /// It waits until they have ended, reduces what they send meanwhile, and runs the effects that come of that. While the
    /// first state is being loaded and actions wait for it, the store waits for the state as well, and reduces them.
    case finishEffects
    /// It cancels them, drops what they still send, and waits until they have ended. If the first state is still being
    /// loaded, that is cancelled, too, and what waits for it is refused.
    case cancelEffects
}
