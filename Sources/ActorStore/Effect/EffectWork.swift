/// The identity, policy, timing and scheduling of an operation, or of a group of operations.
@usableFromInline
struct EffectOptions: Sendable {
    @usableFromInline var id: EffectID?
    @usableFromInline var policy: EffectPolicy
    @usableFromInline var timing: EffectTiming?
    /// The priority of the task; nil for the default of the store. A group has none.
    @usableFromInline var priority: TaskPriority?
    /// The executor of the task; nil for that of the store. A group has none.
    @usableFromInline var executor: (any TaskExecutor)?
    /// Whether a shutdown that lets effects finish cancels it nevertheless.
    @usableFromInline var isCancelledOnShutdown = false
    @usableFromInline var source: CodeLocation

    /// The identity whose other work is cancelled when this starts; nil if nothing is cancelled.
    var replacedID: EffectID? { policy.replacesAll ? id : nil }

    @inlinable
    init(
        id: EffectID? = nil,
        policy: EffectPolicy = .concurrent,
        timing: EffectTiming? = nil,
        priority: TaskPriority? = nil,
        executor: (any TaskExecutor)? = nil,
        source: CodeLocation
    ) {
        self.id = id
        self.policy = policy
        self.timing = timing
        self.priority = priority
        self.executor = executor
        self.source = source
    }
}

/// The arguments of ``Effect/run(id:policy:priority:fileID:line:_:catch:)``.
@usableFromInline
struct EffectWork<Action: Sendable>: Sendable {
    @usableFromInline var options: EffectOptions
    @usableFromInline var body: @Sendable (Send<Action>) async throws -> Void
    @usableFromInline var failure: EffectCatch<Action>?

    @inlinable
    init(
        _ options: EffectOptions,
        body: @escaping @Sendable (Send<Action>) async throws -> Void,
        failure: (@Sendable (any Error) -> Action?)? = nil
    ) {
        self.options = options
        self.body = body
        self.failure = failure.map { .plain($0) }
    }

    /// Returns the work with its actions transformed, and with a way to remove its child, if there is one.
    func map<NewAction: Sendable>(
        _ transform: @escaping @Sendable (Action) -> NewAction,
        _ dismissal: NewAction?
    ) -> EffectWork<NewAction> {
        let body = body
        var work = EffectWork<NewAction>(options, body: { send in try await body(send.mapped(transform, dismissal)) })
        work.failure = failure?.map(transform, dismissal)
        guard let dismissal else { return work }
        return PresentationContext.presenting(work) { send in send.mapped(transform, dismissal).dismissal?() ?? .dropped
        }
    }

    /// Returns the work with a task-local bound around its body and its error handler.
    ///
    /// - Parameter value: Computes the value of the task-local, in the task of the work.
    func binding<Value: Sendable>(
        _ local: TaskLocal<Value>,
        to value: @escaping @Sendable (Send<Action>) -> Value
    ) -> EffectWork {
        var work = self
        work.body = { [body] send in try await local.withValue(value(send)) { try await body(send) } }
        if let failure {
            work.failure = .sending { error, send in local.withValue(value(send)) { failure(error, send) } }
        }
        return work
    }
}

/// Converts an error of an operation to an action, in the same context as the operation.
@usableFromInline
enum EffectCatch<Action: Sendable>: Sendable {
    case plain(@Sendable (any Error) -> Action?)
    /// A handler that receives the function by which the operation sends, because its context can send as well.
    case sending(@Sendable (any Error, Send<Action>) -> Action?)

    @inlinable
    func callAsFunction(_ error: any Error, _ send: Send<Action>) -> Action? {
        switch self {
        case .plain(let body): body(error)
        case .sending(let body): body(error, send)
        }
    }

    /// Returns the handler for the work of a parent; see ``EffectWork/map(_:_:)``.
    fileprivate func map<NewAction: Sendable>(
        _ transform: @escaping @Sendable (Action) -> NewAction,
        _ dismissal: NewAction?
    ) -> EffectCatch<NewAction> {
        switch self {
        case .plain(let body): .plain { error in body(error).map(transform) }
        case .sending(let body):
            .sending { error, send in body(error, send.mapped(transform, dismissal)).map(transform) }
        }
    }
}

/// The effect of the current task, as seen by the operators of effects.
protocol RunningEffect: AnyObject, Sendable {
    /// Whether the effect has started and has not ended.
    var isRunning: Bool { get }
    /// Whether the effect was cancelled, so that its actions no longer count. Its task is cancelled a little later,
    /// when the turn is over; or not at all if the effect has shut its own store down.
    var isCancelled: Bool { get }
    /// The executor for tasks of the effect's store; nil for the global executor, and after the effect has ended.
    var storeExecutor: (any TaskExecutor)? { get }

    /// Records whether the delay is over, if the effect is a delay. Called in its task.
    func noteDelay(isOver: Bool)

    /// Counts an action that the effect sends too late.
    func dropStaleAction() -> SendOutcome
}

/// The effect that the current task is part of, if any.
@usableFromInline
enum CurrentEffect {
    /// Lets a shutdown that an effect requests not wait for the effect. It is not set during turns.
    @TaskLocal static var effect: (any RunningEffect)?

    @usableFromInline static var isPresent: Bool { effect != nil }

    /// Whether the work of the effect is cancelled: the task, or the effect, which is cancelled first. Use it in code
    /// that is part of the effect; a task that the effect has started and does not await has the same effect, and is
    /// not cancelled with it.
    static var isCancelled: Bool { Task.isCancelled || effect?.isCancelled == true }

    /// Throws if the work of the effect is cancelled. Operators call this before they continue after a suspension:
    /// between the turn that cancels the effect and the cancellation of its task, a suspension ends normally.
    static func checkCancellation() throws { if isCancelled { throw CancellationError() } }

    /// Runs code that is not part of the effect, although it runs in its task.
    @usableFromInline
    static func hidden<Result>(during body: () -> Result) -> Result { $effect.withValue(nil, operation: body) }
}
