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
