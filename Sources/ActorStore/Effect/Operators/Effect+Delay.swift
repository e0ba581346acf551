extension Effect {
    /// Returns this effect delayed by a duration.
    ///
    /// ```swift
    /// return .send(.hideBanner).delay(for: .seconds(3))
    /// ```
    ///
    /// The delay is part of the work: it has the work's identity and policy, and ends immediately when it is cancelled.
    /// So with `.cancelInFlight`, the start of a delay cancels earlier work. The parts of a merge wait at the same
    /// time; a concatenation waits once, before its first part, and that delay has no identity. The delayed work does
    /// not start if the delay does not complete: because it is cancelled, a
    /// ``timeout(after:tolerance:clock:onTimeout:)`` is over first, or the clock throws.
    ///
    /// - Parameters:
    ///   - duration: The delay, from the time at which the effect would have started.
    ///   - tolerance: The maximum additional delay; nil for the default of the clock.
    ///   - clock: The clock that measures the time; a test can pass its own.
    ///   - fileID: The file in which the effect is written, for diagnostics.
    ///   - line: The line in which the effect is written, for diagnostics.
    /// - Returns: The delayed effect.
    /// - Complexity: O(*n*), where *n* is the number of composed effects.
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

    /// Returns this effect delayed until an instant. If the instant has passed, the effect starts immediately.
    ///
    /// An instant can be stored in the state and be part of the action that sets it: a replayed or restored state then
    /// has the same instant, and an effect that is started again after a restart ends at the original time.
    /// `WallClock`, in the module `ActorStoreFoundation`, has instants that can be encoded.
    ///
    /// ```swift
    /// case .opened(let auction):              // With `auction.end`, a WallClock.Instant.
    ///     state.auctions[auction.id] = auction
    ///     return .send(.closed(auction.id)).delay(until: auction.end, clock: clock)
    /// case .restarted:                        // Sent by the program after the state was restored.
    ///     return .merge(state.auctions.values.map { .send(.closed($0.id)).delay(until: $0.end, clock: clock) })
    /// ```
    ///
    /// The delay is part of the work: it has the work's identity and policy, and ends immediately when it is cancelled.
    /// The parts of a merge wait at the same time; a concatenation waits once, before its first part, and that delay
    /// has no identity. The delayed work does not start if the delay does not complete: because it is cancelled, a
    /// ``timeout(after:tolerance:clock:onTimeout:)`` is over first, or the clock throws.
    ///
    /// - Parameters:
    ///   - instant: The time at which the effect starts.
    ///   - tolerance: The maximum additional delay; nil for the default of the clock.
    ///   - clock: The clock of the instant; a test can pass its own.
    ///   - fileID: The file in which the effect is written, for diagnostics.
    ///   - line: The line in which the effect is written, for diagnostics.
    /// - Returns: The delayed effect.
    /// - Complexity: O(*n*), where *n* is the number of composed effects.
    public func delay<C: Clock>(
        until instant: C.Instant,
        tolerance: Duration? = nil,
        clock: C,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> Effect where C.Duration == Duration {
        delayed(at: CodeLocation(fileID: fileID, line: line)) {
            // Limits the wait to what clocks can measure, and the deadline to what they can express.
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

/// A wait before an effect.
private struct EffectDelay: Sendable {
    let source: CodeLocation
    let wait: @Sendable () async throws -> Void

    func callAsFunction() async throws { try await wait() }

    /// Returns the wait as an operation that something else follows.
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
            // These report something that has already happened.
            return self
        }
    }
}
