/// What a store does with its running effects when it is shut down.
public enum ShutdownDrain: Sendable, Equatable {
    /// It waits until they have ended, reduces what they send meanwhile, and runs the effects that come of that.
    case finishEffects
    /// It cancels them, drops what they still send, and waits until they have ended.
    case cancelEffects
}
