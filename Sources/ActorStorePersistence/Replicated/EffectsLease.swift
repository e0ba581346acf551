/// A replica's right to run effects: a plain value. It uses the replica's own clock, which need not agree with other
/// clocks.
struct EffectsLease: Sendable {
    /// The name of the lease in the log.
    static var name: String { "effects" }

    /// The duration of the lease, from the time of the claim.
    let duration: Duration
    private let origin: String
    private var lease: ActionLogLease?
    private var end = ContinuousClock.now
    /// The token of the last lease that ended by this replica's clock. Its effects were cancelled, so an answer that
    /// arrives later does not restore it.
    private var endedToken: UInt64?
    /// Whether the effects of a lease that has ended are being cancelled. Another lease would lose its effects too.
    private var isCancellingEffects = false

    init(of origin: String, lasting duration: Duration) {
        self.origin = origin
        self.duration = duration
    }

    /// The next claim to the log; nil while the effects of the last lease are being cancelled.
    ///
    /// A lease that was lost is not renewed: its effects have been cancelled.
    var claim: LeaseClaim? {
        if isCancellingEffects { return nil }
        if let lease { return LeaseClaim(renewing: lease, for: duration) }
        return LeaseClaim(name: Self.name, holder: origin, for: duration, isNew: true)
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
        if let lease {
            // If the lease ended before the answer arrived, its effects have been cancelled.
            guard answer == lease, now < end else {
                self.lease = nil
                return .lost
            }
            end = max(end, moment + duration)
            return .none
        }
        guard now < moment + duration, !isCancellingEffects, answer.token != endedToken else { return .none }
        (lease, end) = (answer, moment + duration)
        return .acquired(answer)
    }

    /// Gives the lease up.
    ///
    /// - Returns: The lease that was held.
    mutating func lose() -> ActionLogLease? {
        defer { lease = nil }
        return lease
    }

    /// Returns the lease if it is valid.
    func held(at moment: ContinuousClock.Instant) -> ActionLogLease? { moment < end ? lease : nil }

    /// The time at which the lease ends unless it is renewed; nil without a lease.
    var deadline: ContinuousClock.Instant? { lease == nil ? nil : end }

    /// Returns the time at which a lease ends unless it is renewed; nil if it is no longer held.
    func deadline(of held: ActionLogLease) -> ContinuousClock.Instant? { lease == held ? end : nil }

    /// Ends the lease if its time is over. The caller then cancels its effects, and reports that.
    ///
    /// - Returns: Whether the lease ended now.
    mutating func expire(at moment: ContinuousClock.Instant) -> Bool {
        guard let lease, moment >= end else { return false }
        endedToken = lease.token
        self.lease = nil
        isCancellingEffects = true
        return true
    }

    /// Records that the effects of the lease that has ended are cancelled before those of any later lease begin.
    mutating func noteCancelledEffects() { isCancellingEffects = false }
}
