/// A replica's right to run effects: a plain value. It uses the replica's own clock, which need not agree with other
/// clocks.
struct EffectsLease: Sendable {
    /// The name of the lease in the log.
    static var name: String { "effects" }

    /// The duration of the lease, from the time of the claim.
    let duration: Duration
    private let origin: String
    private var state = State.free
    /// The token of the last lease that ended by this replica's clock. Its effects were cancelled, so an answer that
    /// arrives later does not restore it.
    private var endedToken: UInt64?

    private enum State {
        case free
        /// Held until this time, unless the lease is renewed.
        case held(ActionLogLease, end: ContinuousClock.Instant)
        /// The effects of a lease that has ended are being cancelled. Those of another lease would be, too.
        case cancellingEffects
    }

    init(of origin: String, lasting duration: Duration) {
        self.origin = origin
        self.duration = duration
    }

    /// Returns the next claim to the log; nil while the effects of the last lease are being cancelled.
    ///
    /// A lease that was lost is not renewed: its effects have been cancelled.
    ///
    /// - Parameter token: The greatest token in the entries of the log.
    func claim(after token: UInt64) -> LeaseClaim? {
        switch state {
        case .free: LeaseClaim(name: Self.name, holder: origin, for: duration, isNew: true, after: token)
        case .held(let lease, _): LeaseClaim(renewing: lease, for: duration)
        case .cancellingEffects: nil
        }
    }

    /// The change by an answer of the log.
    enum Change: Equatable {
        case none
        /// The replica holds the lease until it ends by its own clock.
        case acquired(ActionLogLease)
        /// The replica has lost the lease.
        case lost
    }

    /// Records an answer of the log.
    ///
    /// - Parameters:
    ///   - answer: The current lease.
    ///   - moment: The time of the claim. The log may have received it later, never earlier.
    ///   - now: The time of the answer.
    mutating func note(
        _ answer: ActionLogLease,
        askedAt moment: ContinuousClock.Instant,
        now: ContinuousClock.Instant
    ) -> Change {
        guard answer.holder == origin else { return lose() == nil ? .none : .lost }
        switch state {
        case .held(let lease, let end):
            // If the lease ended before the answer arrived, its effects have been cancelled.
            guard answer == lease, now < end else {
                state = .free
                return .lost
            }
            state = .held(lease, end: max(end, moment + duration))
            return .none
        case .free:
            guard now < moment + duration, answer.token != endedToken else { return .none }
            state = .held(answer, end: moment + duration)
            return .acquired(answer)
        case .cancellingEffects: return .none
        }
    }

    /// Gives the lease up.
    ///
    /// - Returns: The lease that was held.
    mutating func lose() -> ActionLogLease? {
        guard case .held(let lease, _) = state else { return nil }
        state = .free
        return lease
    }

    /// Returns the lease if it is valid.
    func held(at moment: ContinuousClock.Instant) -> ActionLogLease? {
        guard case .held(let lease, let end) = state, moment < end else { return nil }
        return lease
    }

    /// The time at which the lease ends unless it is renewed; nil without a lease.
    var deadline: ContinuousClock.Instant? {
        if case .held(_, let end) = state { end } else { nil }
    }

    /// Returns the time at which a lease ends unless it is renewed; nil if it is no longer held.
    func deadline(of held: ActionLogLease) -> ContinuousClock.Instant? {
        guard case .held(let lease, let end) = state, lease == held else { return nil }
        return end
    }

    /// Ends the lease if its time is over. The caller then cancels its effects, and reports that.
    ///
    /// - Returns: Whether the lease ended now.
    mutating func expire(at moment: ContinuousClock.Instant) -> Bool {
        guard case .held(let lease, let end) = state, moment >= end else { return false }
        endedToken = lease.token
        state = .cancellingEffects
        return true
    }

    /// Records that the effects of the lease that has ended are cancelled before those of any later lease begin.
    mutating func noteCancelledEffects() {
        if case .cancellingEffects = state { state = .free }
    }
}
