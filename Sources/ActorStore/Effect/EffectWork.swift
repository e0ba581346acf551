/// What ``Effect/run(id:policy:priority:fileID:line:_:catch:)`` was given.
@usableFromInline
struct EffectWork<Action: Sendable>: Sendable {
    @usableFromInline var id: EffectID?
    @usableFromInline var policy: EffectPolicy
    @usableFromInline var timing: EffectTiming?
    @usableFromInline var priority: TaskPriority?
    @usableFromInline var executor: (any TaskExecutor)?
    @usableFromInline let source: SourceLocation
    @usableFromInline var body: @Sendable (Send<Action>) async throws -> Void
    @usableFromInline var failure: (@Sendable (any Error) -> Action?)?

    @inlinable
    init(
        id: EffectID? = nil,
        policy: EffectPolicy = .concurrent,
        timing: EffectTiming? = nil,
        priority: TaskPriority? = nil,
        executor: (any TaskExecutor)? = nil,
        source: SourceLocation,
        body: @escaping @Sendable (Send<Action>) async throws -> Void,
        failure: (@Sendable (any Error) -> Action?)? = nil
    ) {
        self.id = id
        self.policy = policy
        self.timing = timing
        self.priority = priority
        self.executor = executor
        self.source = source
        self.body = body
        self.failure = failure
    }

    /// How the work is done in the task of a job. It keeps of the work what it needs for that.
    ///
    /// - Parameter makeSend: says how the job sends actions.
    @inlinable
    func jobBody(_ makeSend: @escaping @Sendable (EffectJob) -> Send<Action>) -> EffectJob.Body {
        { [body, failure] job in
            let send = makeSend(job)
            do {
                try await body(send)
                return nil
            } catch {
                // What a cancelled effect throws is the consequence of its cancellation, and no news to anybody.
                guard !job.isCancelled else { return nil }
                guard let failure else { return error }
                if let action = failure(error) { send(action) }
                return nil
            }
        }
    }

    /// The same work, with other actions, and with a way to take the child away whose work it is, if there is one.
    func map<NewAction: Sendable>(
        _ transform: @escaping @Sendable (Action) -> NewAction,
        _ dismissal: NewAction?
    ) -> EffectWork<NewAction> {
        let body = body
        var newFailure: (@Sendable (any Error) -> NewAction?)?
        if let failure { newFailure = { error in failure(error).map(transform) } }
        return EffectWork<NewAction>(
            id: id,
            policy: policy,
            timing: timing,
            priority: priority,
            executor: executor,
            source: source,
            body: { send in
                let childSend = send.mapped(transform, dismissal)
                guard dismissal != nil else { return try await body(childSend) }
                try await PresentationContext.inEffect(dismissal: { childSend.dismiss() }) { try await body(childSend) }
            },
            failure: newFailure
        )
    }
}

/// The identity of a group of effects, and what decides about its beginning.
@usableFromInline
struct EffectGroup: Sendable {
    let id: EffectID
    let policy: EffectPolicy
    let timing: EffectTiming?
    let source: SourceLocation
}

/// A piece of work, for those who need not know the actions that it sends.
@usableFromInline
struct PlannedWork: Sendable {
    let id: EffectID?
    let policy: EffectPolicy
    let timing: EffectTiming?
    let priority: TaskPriority?
    let executor: (any TaskExecutor)?
    let source: SourceLocation
    let body: EffectJob.Body

    @usableFromInline
    init(
        id: EffectID?,
        policy: EffectPolicy,
        timing: EffectTiming?,
        priority: TaskPriority?,
        executor: (any TaskExecutor)?,
        source: SourceLocation,
        body: @escaping EffectJob.Body
    ) {
        self.id = id
        self.policy = policy
        self.timing = timing
        self.priority = priority
        self.executor = executor
        self.source = source
        self.body = body
    }

    @inlinable
    init<Action>(_ work: EffectWork<Action>, body: @escaping EffectJob.Body) {
        self.init(
            id: work.id,
            policy: work.policy,
            timing: work.timing,
            priority: work.priority,
            executor: work.executor,
            source: work.source,
            body: body
        )
    }
}
