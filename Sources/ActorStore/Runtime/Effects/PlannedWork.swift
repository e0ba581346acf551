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

extension EffectWork {
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
                guard !job.isTaskCancelled else { return nil }
                guard let failure else { return error }
                if let action = failure(error, send) { send(action) }
                return nil
            }
        }
    }
}
