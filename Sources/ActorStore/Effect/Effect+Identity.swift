extension Effect {
    /// The same work with an identity: it can be cancelled by it, and `policy` says what happens if more work has the
    /// same.
    ///
    /// What consists of several pieces of work begins, is cancelled and ends as one. Work that has an identity already
    /// has both; it can be the same one, because what something is a part of is not other work to its policy.
    ///
    /// ```swift
    /// return .merge(.run { … }, .run { … }).cancellable(id: "sync", policy: .cancelInFlight)
    /// ```
    ///
    /// - Parameters:
    ///   - id: Known to this store only, and within it, if the reducer is a child of another one, to this child only.
    ///   - policy: What happens if work with the same identity is still running.
    ///   - fileID: Where the effect is written; leave the default.
    ///   - line: Where the effect is written; leave the default.
    public func cancellable(
        id: any Hashable & Sendable,
        policy: EffectPolicy = .concurrent,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> Effect {
        identified(
            by: id,
            policy: policy,
            timing: nil,
            at: CodeLocation(fileID: fileID, line: line)
        )
    }

    /// The same work, begun when it has not been asked for again during an interval.
    ///
    /// ```swift
    /// case .queryChanged(let query):
    ///     return .task { .found(try await search(query)) }.debounce(id: "search", for: .milliseconds(300))
    /// ```
    ///
    /// - Parameters:
    ///   - id: Names the work that is asked for again and again.
    ///   - interval: How long nothing must be asked for.
    ///   - maxWait: How long at most the work is put off after it was asked for first, also under a steady stream of
    ///     requests; nil for as long as these come.
    ///   - cancelInFlight: Whether a new request also cancels work that has begun. If not, that goes on, also
    ///     what waits in a queue.
    ///   - clock: Measures the time.
    ///   - fileID: Where the effect is written; leave the default.
    ///   - line: Where the effect is written; leave the default.
    public func debounce(
        id: any Hashable & Sendable,
        for interval: Duration,
        maxWait: Duration? = nil,
        cancelInFlight: Bool = false,
        clock: any Clock<Duration> = ContinuousClock(),
        fileID: String = #fileID,
        line: UInt = #line
    ) -> Effect {
        identified(
            by: id,
            policy: cancelInFlight ? .cancelInFlight : .concurrent,
            timing: EffectTiming(kind: .debounce(maxWait: maxWait), interval: interval, clock: clock),
            at: CodeLocation(fileID: fileID, line: line)
        )
    }

    /// The same work, begun at most once in each interval: at once when it has not been asked for lately, and then at
    /// the end of the interval if it was asked for in it.
    ///
    /// - Parameters:
    ///   - id: Names the work that is asked for again and again.
    ///   - interval: How long after the last beginning the next one comes at the earliest. What is cancelled while it
    ///     waits has not begun. What is a part of throttled work with the same identity begins without another
    ///     interval. An interval of a child ends when the child goes, unless its effects outlive it. Intervals of one
    ///     identity can differ: each request goes by its own, and one that begins at once takes the place of one that
    ///     waits. When the longest is over that was asked for so far, the identity is forgotten, and the next request
    ///     begins at once, also one for an interval that is longer still.
    ///   - latest: Whether what was asked for last during an interval begins at its end. If not, nothing begins that is
    ///     asked for during its interval.
    ///   - clock: Measures the time.
    ///   - fileID: Where the effect is written; leave the default.
    ///   - line: Where the effect is written; leave the default.
    public func throttle(
        id: any Hashable & Sendable,
        for interval: Duration,
        latest: Bool = true,
        clock: any Clock<Duration> = ContinuousClock(),
        fileID: String = #fileID,
        line: UInt = #line
    ) -> Effect {
        identified(
            by: id,
            policy: .concurrent,
            timing: EffectTiming(kind: .throttle(latest: latest), interval: interval, clock: clock),
            at: CodeLocation(fileID: fileID, line: line)
        )
    }

    /// The same work, run on an executor: that of a thread of its own, of a pool for blocking calls, and so on.
    ///
    /// Work that has got one already keeps it. Without one, work runs on the executor of the ``StoreConfiguration``.
    public func on(_ executor: any TaskExecutor) -> Effect {
        mapWork { work in
            if work.options.executor == nil { work.options.executor = executor }
        }
    }

    /// The same work, which a shutdown of its store cancels, also one that lets effects finish: a timer, a poll, a
    /// subscription, that would hold it up for as long as there is time.
    ///
    /// ```swift
    /// return .timer(id: "poll", every: .seconds(30), send: .poll).cancelOnShutdown()
    /// ```
    ///
    /// With ``ShutdownDrain/finishEffects`` it is cancelled as soon as the actions are reduced that the store had
    /// accepted before, and does not begin if it is asked for later. What it consists of is cancelled as a whole, also
    /// what has not begun. What it sends from then on is dropped and counted in ``StoreStatistics/lateActions``, and
    /// the shutdown waits until its tasks have ended. If it asks for the shutdown itself, it goes on.
    public func cancelOnShutdown() -> Effect {
        guard let operation else { return self }
        switch operation {
        case .run(var work):
            work.options.isCancelledOnShutdown = true
            return Effect(operation: .run(work))
        case .detached(let inner):
            // What is detached is so as a whole, in whichever order it is written.
            return Effect(operation: inner).cancelOnShutdown().detached()
        case .group(var group, let inner):
            group.isCancelledOnShutdown = true
            return Effect(operation: .group(group, inner))
        default:
            var group = EffectOptions(source: .nowhere)
            group.isCancelledOnShutdown = true
            return Effect(operation: .group(group, operation))
        }
    }

    private func identified(
        by id: any Hashable & Sendable,
        policy: EffectPolicy,
        timing: EffectTiming?,
        at source: CodeLocation
    ) -> Effect {
        guard let operation else { return self }
        // What is detached is so as a whole, in whichever order it is written.
        if case .detached(let inner) = operation {
            return Effect(operation: inner).identified(by: id, policy: policy, timing: timing, at: source).detached()
        }
        guard case .run(var work) = operation, work.options.id == nil else {
            let group = EffectOptions(id: EffectID(id), policy: policy, timing: timing, source: source)
            return Effect(operation: .group(group, operation))
        }
        work.options.id = EffectID(id)
        work.options.policy = policy
        work.options.timing = timing
        return Effect(operation: .run(work))
    }

    /// The same effect with every piece of work in it changed.
    func mapWork(_ change: (inout EffectWork<Action>) -> Void) -> Effect {
        Effect(operation: operation?.mapWork(change))
    }
}

extension Effect.Operation {
    fileprivate func mapWork(_ change: (inout EffectWork<Action>) -> Void) -> Effect.Operation {
        switch self {
        case .run(var work):
            change(&work)
            return .run(work)
        case .merge(let operations): return .merge(operations.map { $0.mapWork(change) })
        case .concatenate(let operations): return .concatenate(operations.map { $0.mapWork(change) })
        case .delayed(var wait, let operation):
            change(&wait)
            return .delayed(by: wait, operation.mapWork(change))
        case .group(let group, let operation): return .group(group, operation.mapWork(change))
        case .scoped(let path, let operation, let isPresentation):
            return .scoped(path, operation.mapWork(change), isPresentation: isPresentation)
        case .detached(let operation): return .detached(operation.mapWork(change))
        case .send, .cancel, .cancelAll, .dismiss, .dismissal, .report, .answer: return self
        }
    }
}

extension Effect {
    /// The same effect, whose work runs with a priority.
    ///
    /// It counts for work that has not asked for one nearer to where it is written.
    ///
    /// - Parameter priority: The priority of the tasks of this effect. Without it they have that of the dispatcher, or
    ///   for an action that was sent that of the ``StoreConfiguration``; also if they come after work with another
    ///   priority.
    /// - Complexity: O(*n*), where *n* is the number of effects of which this one is composed.
    public func priority(_ priority: TaskPriority) -> Effect {
        mapWork { work in
            if work.options.priority == nil { work.options.priority = priority }
        }
    }
}
