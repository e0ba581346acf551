/// What a piece of effect work, or a group of them, is called, and what decides about its beginning.
@usableFromInline
struct EffectOptions: Sendable {
    @usableFromInline var id: EffectID?
    @usableFromInline var policy: EffectPolicy
    @usableFromInline var timing: EffectTiming?
    /// That of the task; nil for the one that the store gives. A group has none.
    @usableFromInline var priority: TaskPriority?
    /// Where the task runs; nil for the executor of the store. A group has none.
    @usableFromInline var executor: (any TaskExecutor)?
    /// Whether a shutdown that lets effects finish cancels it nevertheless.
    @usableFromInline var isCancelledOnShutdown = false
    @usableFromInline var source: CodeLocation

    /// The identity of which it cancels all other work when it begins; nil if it does not.
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

/// What ``Effect/run(id:policy:priority:fileID:line:_:catch:)`` was given.
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

    /// The same work, with other actions, and with a way to take the child away whose work it is, if there is one.
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

    /// The same work with a task-local bound, around its body and what makes an action of its error.
    ///
    /// - Parameter value: Makes what it is bound to, in the task of the work.
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

/// Makes an action of an error that work throws, in the same context as the work.
@usableFromInline
enum EffectCatch<Action: Sendable>: Sendable {
    case plain(@Sendable (any Error) -> Action?)
    /// With that by which the work sends, because what is in the context can send as well.
    case sending(@Sendable (any Error, Send<Action>) -> Action?)

    @inlinable
    func callAsFunction(_ error: any Error, _ send: Send<Action>) -> Action? {
        switch self {
        case .plain(let body): body(error)
        case .sending(let body): body(error, send)
        }
    }

    /// The same for the work of a parent; see ``EffectWork/map(_:_:)``.
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
