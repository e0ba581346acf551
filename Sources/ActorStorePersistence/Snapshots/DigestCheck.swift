/// The revisions at which digests are computed: a plain value.
struct DigestSchedule: Sendable {
    /// The number of actions between two digests; nil for no digests.
    let interval: UInt64?
    /// The number of digests that are being computed. Each retains a state.
    private var underWay = 0
    /// The maximum number of digests that are computed at a time.
    private static let limit = 2

    init(interval: UInt64?) { self.interval = interval.map { max($0, 1) } }

    /// Returns whether a digest of the state at this revision is due.
    func isDue(at revision: UInt64) -> Bool { interval.map { revision > 0 && revision.isMultiple(of: $0) } ?? false }

    /// Begins a digest, unless the maximum number is being computed: if digests take longer than the actions between
    /// them, some are skipped.
    mutating func begin() -> Bool {
        guard underWay < Self.limit else { return false }
        underWay += 1
        return true
    }

    /// Records that a digest has been computed.
    mutating func finish() { underWay -= 1 }
}

/// The states at the last revisions of a schedule, which are compared with digests of other stores: a plain value.
struct DigestCheck<State: Sendable>: Sendable {
    var schedule: DigestSchedule
    /// The newest last. They share unchanged parts with the current state.
    private var kept: [(revision: UInt64, state: State)] = []
    /// The maximum number of states. Digests arrive before or soon after their state.
    private static var limit: Int { 2 }

    init(interval: UInt64?) { schedule = DigestSchedule(interval: interval) }

    /// Keeps the state at a revision with a digest.
    ///
    /// - Returns: The state that is no longer kept. Release it where user code may run.
    @discardableResult
    mutating func keep(_ logged: LoggedState<State>) -> State? {
        kept.append((logged.account.revision, logged.state))
        return kept.count > Self.limit ? kept.removeFirst().state : nil
    }

    /// Returns the state at a revision, if it was kept.
    func state(at revision: UInt64) -> State? { kept.last { $0.revision == revision }?.state }
}
