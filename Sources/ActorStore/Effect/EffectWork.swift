/// What ``Effect/run(id:policy:priority:fileID:line:_:catch:)`` was given.
@usableFromInline
struct EffectWork<Action: Sendable>: Sendable {
    var id: EffectID?
    var policy: EffectPolicy
    var timing: EffectTiming?
    var priority: TaskPriority?
    var executor: (any TaskExecutor)?
    let source: SourceLocation
    var body: @Sendable (Send<Action>) async throws -> Void
    var failure: (@Sendable (any Error) -> Action?)?

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
            body: { send in try await body(send.mapped(transform, dismissal)) },
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
