extension Effect {
    /// The same effect, after a while.
    ///
    /// ```swift
    /// return .send(.hideBanner).delay(for: .seconds(3))
    /// ```
    ///
    /// The wait is part of the work: it has the work's identity and policy, and ends at once when it is cancelled. So
    /// with `.cancelInFlight` the beginning of a wait cancels what ran before it. The parts of a merge wait at the same
    /// time; a concatenation waits once, before its first part, and that wait has no identity. What was to come after a
    /// wait does not begin if the wait does not come to its end: because it is cancelled, a
    /// ``timeout(after:tolerance:clock:onTimeout:)`` is over before, or the clock fails.
    ///
    /// - Parameters:
    ///   - duration: How long it waits, from when it would have begun.
    ///   - tolerance: By how much it may wait longer; nil leaves that to the clock.
    ///   - clock: Measures the time; a test gives one of its own.
    ///   - fileID: Where the effect is written; leave the default.
    ///   - line: Where the effect is written; leave the default.
    /// - Complexity: O(*n*), where *n* is the number of effects of which this one is composed.
    public func delay(
        for duration: Duration,
        tolerance: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        fileID: String = #fileID,
        line: UInt = #line
    ) -> Effect {
        delayed(at: CodeLocation(fileID: fileID, line: line)) {
            try await clock.sleep(for: duration.boundedWait, tolerance: tolerance?.boundedWait)
        }
    }

    /// The same effect, begun at a point in time, or at once if that has passed; otherwise like
    /// ``delay(for:tolerance:clock:fileID:line:)``.
    ///
    /// A point in time can be in the state, and come with the action that sets it, so that a state which is replayed or
    /// restored has the same one, and the effect that is begun anew after a restart ends when it would have ended.
    /// `WallClock`, of the module `ActorStoreFoundation`, has points in time that can be encoded.
    ///
    /// ```swift
    /// case .opened(let auction):              // With `auction.end`, a WallClock.Instant.
    ///     state.auctions[auction.id] = auction
    ///     return .send(.closed(auction.id)).delay(until: auction.end, clock: clock)
    /// case .restarted:                        // Sent by the program after the state was restored.
    ///     return .merge(state.auctions.values.map { .send(.closed($0.id)).delay(until: $0.end, clock: clock) })
    /// ```
    ///
    /// - Parameters:
    ///   - instant: When it begins.
    ///   - tolerance: By how much it may begin later; nil leaves that to the clock.
    ///   - clock: Has the instant; a test gives one of its own.
    ///   - fileID: Where the effect is written; leave the default.
    ///   - line: Where the effect is written; leave the default.
    /// - Complexity: O(*n*), where *n* is the number of effects of which this one is composed.
    public func delay<C: Clock>(
        until instant: C.Instant,
        tolerance: Duration? = nil,
        clock: C,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> Effect where C.Duration == Duration {
        delayed(at: CodeLocation(fileID: fileID, line: line)) {
            // Neither for a time that is longer than clocks can measure, nor until one that they cannot express.
            let now = clock.now
            let wait = now.duration(to: instant)
            let deadline = wait == wait.boundedWait ? instant : now.advanced(by: wait.boundedWait)
            try await clock.sleep(until: deadline, tolerance: tolerance?.boundedWait)
        }
    }

    private func delayed(at source: CodeLocation, _ wait: @escaping @Sendable () async throws -> Void) -> Effect {
        Effect(operation: operation?.delayed(by: EffectDelay(source: source, wait: wait)))
    }
}

/// A wait in front of an effect.
private struct EffectDelay: Sendable {
    let source: CodeLocation
    let wait: @Sendable () async throws -> Void

    func callAsFunction() async throws { try await wait() }

    /// The wait as a piece of work, which something else comes after.
    func work<Action: Sendable>() -> EffectWork<Action> {
        work { _ in
            try await wait()
            CurrentEffect.effect?.noteDelay(isOver: true)
        }
    }

    func work<Action: Sendable>(
        _ body: @escaping @Sendable (Send<Action>) async throws -> Void
    ) -> EffectWork<Action> {
        EffectWork(EffectOptions(source: source), body: body)
    }
}

extension Effect.Operation {
    fileprivate func delayed(by wait: EffectDelay) -> Effect<Action>.Operation {
        switch self {
        case .run(var work):
            let body = work.body
            work.body = { send in
                try await wait()
                try CurrentEffect.checkCancellation()
                try await body(send)
            }
            return .run(work)
        case .send(let action):
            return .run(
                wait.work { send in
                    try await wait()
                    send(action)
                }
            )
        case .merge(let operations):
            return .merge(operations.map { $0.delayed(by: wait) })
        case .concatenate, .delayed, .cancel, .dismiss, .dismissal:
            return .delayed(by: wait.work(), self)
        case .group(let group, let operation):
            return .group(group, operation.delayed(by: wait))
        case .scoped(let path, let operation, let isPresentation):
            return .scoped(path, operation.delayed(by: wait), isPresentation: isPresentation)
        case .detached(let operation):
            return .detached(operation.delayed(by: wait))
        case .cancelAll, .report, .answer:
            // These tell what has happened already.
            return self
        }
    }
}
