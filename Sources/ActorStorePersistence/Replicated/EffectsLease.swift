/// What a replica knows of its right to run effects: a plain value. It goes by its own clock, which need not agree with
/// others'.
struct EffectsLease: Sendable {
    /// The name of the lease in the log.
    static var name: String { "effects" }

    /// How long it lasts from when it was asked for.
    let duration: Duration
    private let origin: String
    private var lease: ActionLogLease?
    private var end = ContinuousClock.now

    init(of origin: String, lasting duration: Duration) {
        self.origin = origin
        self.duration = duration
    }

    /// What to ask the log for.
    ///
    /// One that was held before is not asked for again: what was begun under it has been given up.
    var claim: LeaseClaim {
        if let lease { return LeaseClaim(renewing: lease, for: duration) }
        return LeaseClaim(name: Self.name, holder: origin, for: duration, isNew: true)
    }

    /// What an answer of the log changes.
    enum Change: Equatable {
        case none
        /// The replica has the lease from now on, until it ends by its own clock.
        case acquired(ActionLogLease)
        /// It does not have it any longer.
        case lost
    }

    /// The log has answered.
    ///
    /// - Parameters:
    ///   - answer: The lease that there is.
    ///   - moment: When it was asked for; the log may have heard of it later, never earlier.
    ///   - now: When the answer has come.
    mutating func note(
        _ answer: ActionLogLease,
        askedAt moment: ContinuousClock.Instant,
        now: ContinuousClock.Instant
    ) -> Change {
        guard answer.holder == origin else { return lose() == nil ? .none : .lost }
        if let lease {
            // If its time was over before the answer has come, what was begun under it has been given up.
            guard answer == lease, now < end else {
                self.lease = nil
                return .lost
            }
            end = max(end, moment + duration)
            return .none
        }
        guard now < moment + duration else { return .none }
        (lease, end) = (answer, moment + duration)
        return .acquired(answer)
    }

    /// Gives it up.
    ///
    /// - Returns: What was held until then.
    mutating func lose() -> ActionLogLease? {
        defer { lease = nil }
        return lease
    }

    /// The lease, for as long as it lasts.
    func held(at moment: ContinuousClock.Instant) -> ActionLogLease? { moment < end ? lease : nil }

    /// When it ends unless it is renewed; nil if there is none.
    var deadline: ContinuousClock.Instant? { lease == nil ? nil : end }

    /// When a lease ends unless it is renewed; nil if it is not held any more.
    func deadline(of held: ActionLogLease) -> ContinuousClock.Instant? { lease == held ? end : nil }

    /// Notices that the time is over.
    ///
    /// - Returns: Whether it was just now.
    mutating func expire(at moment: ContinuousClock.Instant) -> Bool {
        guard lease != nil, moment >= end else { return false }
        lease = nil
        return true
    }
}
