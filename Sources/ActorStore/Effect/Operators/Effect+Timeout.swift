extension Effect {
    /// The same effect, each piece of work of which has only so much time from when it begins.
    ///
    /// ```swift
    /// return .task { .loaded(try await users.load(id)) }
    ///     .timeout(after: .seconds(5)) { .loadingTimedOut }
    /// ```
    ///
    /// At the deadline the work is cancelled, and nothing more of it comes to the store, whether it takes notice of
    /// that or not: what it has sent before is reduced before the action of `onTimeout`, and what it sends afterwards
    /// is dropped and counted in ``StoreStatistics/lateActions``, also what would dismiss its child. Its errors no
    /// longer count either. Work that takes no notice goes on nevertheless, and the effect has ended only with it: a
    /// shutdown, ``StoreTask/finish(isolation:)`` and what comes next in a concatenation wait for that, so that no work
    /// is ever left running unseen.
    ///
    /// Each piece of work has a deadline of its own. For a deadline of several steps together, take them in one
    /// ``run(id:policy:priority:fileID:line:_:catch:)``. Applied before ``retry(_:clock:random:if:)`` it limits
    /// each attempt, and applied after it all of them together.
    ///
    /// - Parameters:
    ///   - duration: How long each piece of work has.
    ///   - tolerance: By how much it may have longer; nil leaves that to the clock.
    ///   - clock: Measures the time; a test gives one of its own.
    ///   - onTimeout: Makes the action that is sent at the deadline, or nil to send none. Without it the work fails
    ///     with ``TimedOut`` when it has ended.
    /// - Complexity: O(*n*), where *n* is the number of effects of which this one is composed.
    public func timeout(
        after duration: Duration,
        tolerance: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        onTimeout: (@Sendable () -> Action?)? = nil
    ) -> Effect {
        let deadline = Deadline(duration: duration, tolerance: tolerance, clock: clock)
        return mapWork { work in
            let body = work.body
            work.body = { send in
                let gate = DeadlineGate()
                let effect = CurrentEffect.effect
                let gatedSend = send.gated(by: gate, of: effect)
                let gatedBody: @Sendable () async throws -> Void = {
                    // It is a task of its own, which comes to this later.
                    try CurrentEffect.checkCancellation()
                    try await PresentationContext.gated(by: gate, of: effect) { try await body(gatedSend) }
                }
                var isInTime = false
                // A delay can come to its end after its time, and then nothing begins by that.
                defer { if !isInTime { effect?.noteDelay(isOver: false) } }
                let result: Void? = try await deadline.run(gatedBody, gate: gate) {
                    // It can have been cancelled at this moment, of which its task learns later.
                    if let onTimeout, !CurrentEffect.isCancelled, let action = onTimeout() { send(action) }
                }
                isInTime = result != nil
                if !isInTime && onTimeout == nil { throw TimedOut(after: duration) }
            }
        }
    }
}

extension Send {
    /// The same, as long as the gate lets something pass. What it does not is dropped and counted.
    func gated(by gate: DeadlineGate, of effect: (any RunningEffect)?) -> Send {
        Send(dismissal: dismissal.map { gate.gated($0, of: effect) }) { action, manner in
            if let outcome = gate.pass({ pass(action, manner) }) { return outcome }
            // When the effect has ended the store counts by itself.
            guard let effect, effect.isRunning else { return pass(action, manner) }
            return effect.dropStaleAction()
        }
    }
}

extension DeadlineGate {
    /// The same dismissal, as long as the gate lets something pass. What it does not is dropped and counted.
    func gated(
        _ dismissal: @escaping @Sendable () -> SendOutcome,
        of effect: (any RunningEffect)?
    ) -> @Sendable () -> SendOutcome {
        { self.pass(dismissal) ?? effect?.dropStaleAction() ?? .dropped }
    }
}

/// Work did not end before its deadline.
public struct TimedOut: Error, Sendable, Hashable, CustomStringConvertible {
    /// How long it had.
    public let duration: Duration

    /// Creates the error.
    package init(after duration: Duration) {
        self.duration = duration
    }

    /// Says what happened.
    public var description: String { "The work did not end within \(duration)." }
}
