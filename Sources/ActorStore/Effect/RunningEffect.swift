/// The effect in whose task code runs, as far as the operators of effects need to know it.
protocol RunningEffect: AnyObject, Sendable {
    /// Whether it has begun, and has not ended.
    var isRunning: Bool { get }
    /// Whether it was cancelled, so that what it sends no longer counts. Its task is cancelled a little later, when the
    /// turn is over; and not at all if it has shut its own store down.
    var isCancelled: Bool { get }
    /// Where its store runs tasks; nil for the global executor, and when the effect has ended.
    var storeExecutor: (any TaskExecutor)? { get }

    /// Records whether its delay is over, if it is a delay. Called in its task.
    func noteDelay(isOver: Bool)

    /// Counts an action that it sends too late.
    func dropStaleAction() -> SendOutcome
}

/// The effect that the current task is part of, if it is part of one.
@usableFromInline
enum CurrentEffect {
    /// It lets a shutdown that an effect asks for not wait for itself. Turns are done without it.
    @TaskLocal static var effect: (any RunningEffect)?

    @usableFromInline static var isPresent: Bool { effect != nil }

    /// Whether the work of an effect is cancelled: its task is, or the effect, which comes first. For code that is a
    /// part of the effect; a task that the effect has started, and does not wait for, has the same effect and is not
    /// cancelled with it.
    static var isCancelled: Bool { Task.isCancelled || effect?.isCancelled == true }

    /// Throws if the work of an effect is cancelled. Operators call it before they go on to the work after a
    /// suspension: between the turn that has cancelled the effect and the cancellation of its task a suspension ends as
    /// if nothing had happened.
    static func checkCancellation() throws { if isCancelled { throw CancellationError() } }

    /// Runs code that is no part of the effect, although it runs in its task.
    @usableFromInline
    static func hidden<Result>(during body: () -> Result) -> Result { $effect.withValue(nil, operation: body) }
}
