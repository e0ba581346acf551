import ActorStore

/// Queries of an effect's state.
extension EffectState {
    /// Whether no work is requested.
    public var isIdle: Bool { status == .idle }

    /// Whether an attempt is running, or waits for its delay.
    public var isRunning: Bool { attempt != nil }

    /// Whether the work has succeeded.
    public var isSucceeded: Bool { status == .succeeded }

    /// Whether the work has failed.
    public var isFailed: Bool { failure != nil }

    /// Whether the work was cancelled.
    public var isCancelled: Bool { status == .cancelled }

    /// The current attempt, if the state is running.
    public var attempt: EffectAttempt? {
        if case .running(let attempt) = status { attempt } else { nil }
    }

    /// The number of the current attempt, counted from 0.
    public var currentAttempt: Int? { attempt?.number }

    /// The delay of the current attempt before it begins.
    public var delay: Duration? { attempt?.delay }

    /// The reason why the work has failed, if it has.
    public var failure: Failure? {
        if case .failed(let failure) = status { failure } else { nil }
    }
}
