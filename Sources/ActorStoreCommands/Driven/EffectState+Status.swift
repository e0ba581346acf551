import ActorStore

/// What one asks of an effect's state.
extension EffectState {
    /// Whether nothing is to be done.
    public var isIdle: Bool { status == .idle }

    /// Whether an attempt is under way, or waits for its delay to be over.
    public var isRunning: Bool { attempt != nil }

    /// Whether the work is done.
    public var isSucceeded: Bool { status == .succeeded }

    /// Whether the work has failed.
    public var isFailed: Bool { failure != nil }

    /// Whether the work was given up.
    public var isCancelled: Bool { status == .cancelled }

    /// The attempt that is under way.
    public var attempt: EffectAttempt? {
        if case .running(let attempt) = status { attempt } else { nil }
    }

    /// The number of the attempt that is under way; that of the first is 0.
    public var currentAttempt: Int? { attempt?.number }

    /// How long the attempt that is under way waits, or has waited, before it begins.
    public var delay: Duration? { attempt?.delay }

    /// Why the work has failed, if it has.
    public var failure: Failure? {
        if case .failed(let failure) = status { failure } else { nil }
    }
}
