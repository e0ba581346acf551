extension Effect {
    /// Returns this effect with an identity and a policy: it can be cancelled by the identity, and `policy` applies
    /// when other work with the same identity is running.
    ///
    /// An effect of several operations becomes a group, which starts, is cancelled and ends as a unit. An operation
    /// that already has an identity keeps it, in addition to the new one. The two can be equal: to the policy of an
    /// operation, the group around it is not other work.
    ///
    /// ```swift
    /// return .merge(.run { … }, .run { … }).cancellable(id: "sync", policy: .cancelInFlight)
    /// ```
    ///
    /// - Parameters:
    ///   - id: The identity. It is local to the store, and within the store to the child whose reducer returns the
    ///     effect.
    ///   - policy: What happens if work with the same identity is still running.
    ///   - fileID: The file in which the effect is written, for diagnostics.
    ///   - line: The line in which the effect is written, for diagnostics.
    /// - Returns: The effect with the identity.
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

    /// Returns this effect debounced: it starts after an interval without another request for the same identity.
    ///
    /// ```swift
    /// case .queryChanged(let query):
    ///     return .task { .found(try await search(query)) }.debounce(id: "search", for: .milliseconds(300))
    /// ```
    ///
    /// - Parameters:
    ///   - id: The identity under which the effect is requested repeatedly.
    ///   - interval: The time without a request after which the effect starts.
    ///   - maxWait: The maximum time between the first request and the start, even under a steady stream of requests;
    ///     nil for no limit.
    ///   - cancelInFlight: Whether a new request also cancels running work. If false, running work continues, and so
    ///     does work that waits in a queue.
    ///   - clock: The clock that measures the time; a test can pass its own.
    ///   - fileID: The file in which the effect is written, for diagnostics.
    ///   - line: The line in which the effect is written, for diagnostics.
    /// - Returns: The debounced effect.
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

    /// Returns this effect throttled: it starts at most once in each interval. The first request starts immediately;
    /// the last request during the interval starts at its end.
    ///
    /// Work that is cancelled while it waits has not started. A part of throttled work with the same identity starts
    /// without another interval. An interval of a child ends when the child is removed, unless its effects outlive it.
    ///
    /// Intervals of one identity can differ: each request uses its own, and one that starts immediately replaces one
    /// that waits. When the longest interval requested so far is over, the identity is forgotten, and the next request
    /// starts immediately, even if its own interval is longer.
    ///
    /// - Parameters:
    ///   - id: The identity under which the effect is requested repeatedly.
    ///   - interval: The minimum time between two starts.
    ///   - latest: Whether the last request during an interval starts at its end. If false, requests during the
    ///     interval are dropped.
    ///   - clock: The clock that measures the time; a test can pass its own.
    ///   - fileID: The file in which the effect is written, for diagnostics.
    ///   - line: The line in which the effect is written, for diagnostics.
    /// - Returns: The throttled effect.
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

    /// Returns this effect running on an executor, such as a dedicated thread or a pool for blocking calls.
    ///
    /// Operations that already have an executor keep it. Without one, operations run on the executor of the
    /// ``StoreConfiguration``.
    ///
    /// - Parameter executor: The executor of the operations.
    /// - Returns: The effect on the executor.
    /// - Complexity: O(*n*), where *n* is the number of composed effects.
    public func on(_ executor: any TaskExecutor) -> Effect {
        mapWork { work in
            if work.options.executor == nil { work.options.executor = executor }
        }
    }

    /// Returns this effect such that every shutdown of its store cancels it, even one that lets effects finish. Use it
    /// for timers, polling and subscriptions, which would otherwise delay the shutdown indefinitely.
    ///
    /// ```swift
    /// return .timer(id: "poll", every: .seconds(30), send: .poll).cancelOnShutdown()
    /// ```
    ///
    /// With ``ShutdownDrain/finishEffects`` the effect is cancelled when the actions that the store had accepted before
    /// have been reduced; if it is requested later, it does not start. It is cancelled as a unit, including parts that
    /// have not started. Actions that it sends from then on are dropped and counted in ``StoreStatistics/lateActions``,
    /// and the shutdown waits until its tasks have ended. If the effect itself calls the shutdown, it continues.
    ///
    /// - Returns: The effect that a shutdown cancels.
    public func cancelOnShutdown() -> Effect {
        guard let operation else { return self }
        switch operation {
        case .run(var work):
            work.options.isCancelledOnShutdown = true
            return Effect(operation: .run(work))
        case .detached(let inner):
            // A detached effect is detached as a whole, in whichever order the operators are applied.
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
        // A detached effect is detached as a whole, in whichever order the operators are applied.
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

    /// Returns this effect with each of its operations changed.
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
    /// Returns this effect with a task priority for its operations.
    ///
    /// If an operation has several priorities, the innermost wins.
    ///
    /// - Parameter priority: The priority of the tasks. Without it they have the priority of the dispatching task, or
    ///   that of the ``StoreConfiguration`` for an action that was sent, even if they follow work with another
    ///   priority.
    /// - Returns: The effect with the priority.
    /// - Complexity: O(*n*), where *n* is the number of composed effects.
    public func priority(_ priority: TaskPriority) -> Effect {
        mapWork { work in
            if work.options.priority == nil { work.options.priority = priority }
        }
    }
}
