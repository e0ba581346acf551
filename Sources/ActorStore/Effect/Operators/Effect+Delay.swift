extension Effect {
    /// The same effect, after a while.
    ///
    /// ```swift
    /// return .send(.hideBanner).delay(for: .seconds(3))
    /// ```
    ///
    /// The wait is part of the work: it has the work's identity and policy, and ends at once when it is cancelled. So with
    /// `.cancelInFlight` the beginning of a wait cancels what ran before it. The parts of a merge wait at the same time;
    /// a concatenation waits once, before its first part, and that wait has no identity.
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
        let wait = EffectDelay(
            duration: duration.boundedWait,
            tolerance: tolerance?.boundedWait,
            clock: clock,
            source: SourceLocation(fileID: fileID, line: line)
        )
        return Effect(operation: operation?.delayed(by: wait))
    }
}

/// A wait in front of an effect.
private struct EffectDelay: Sendable {
    let duration: Duration
    let tolerance: Duration?
    let clock: any Clock<Duration>
    let source: SourceLocation

    func callAsFunction() async throws {
        try await clock.sleep(for: duration, tolerance: tolerance)
    }
}

extension Effect.Operation {
    fileprivate func delayed(by wait: EffectDelay) -> Effect<Action>.Operation {
        switch self {
        case .run(var work):
            let body = work.body
            work.body = { send in
                try await wait()
                try await body(send)
            }
            return .run(work)
        case .send(let action):
            return Self.work(at: wait.source) { send in
                try await wait()
                send(action)
            }
        case .merge(let operations):
            return .merge(operations.map { $0.delayed(by: wait) })
        case .concatenate(let operations):
            return .concatenate([Self.work(at: wait.source) { _ in try await wait() }] + operations)
        case .cancel, .dismiss, .dismissal:
            return .concatenate([Self.work(at: wait.source) { _ in try await wait() }, self])
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

    private static func work(
        at source: SourceLocation,
        _ body: @escaping @Sendable (Send<Action>) async throws -> Void
    ) -> Effect<Action>.Operation {
        .run(EffectWork(EffectOptions(source: source), body: body))
    }
}
