/// States at some revisions, to be compared with what others have made of the same actions: a plain value.
struct DigestCheck<State: Sendable>: Sendable {
    /// How many actions there are from one digest to the next; nil for none.
    let interval: UInt64?
    /// The newest last. They share with the present state what has not been changed since.
    private var kept: [(revision: UInt64, state: State)] = []
    /// The digests that came before the state did. Nothing is kept of them for long.
    private static var limit: Int { 2 }
    /// How many digests are being made, each of which keeps a state.
    private var underWay = 0
    /// How many are made at a time at most.
    private static var makingLimit: Int { 2 }

    init(interval: UInt64?) { self.interval = interval.map { max($0, 1) } }

    /// Whether a state is kept at this revision.
    func isDue(at revision: UInt64) -> Bool { interval.map { revision > 0 && revision.isMultiple(of: $0) } ?? false }

    /// Begins to make a digest, unless as many are under way as may: where they take longer than the actions between them,
    /// some are left out.
    mutating func begin() -> Bool {
        guard underWay < Self.makingLimit else { return false }
        underWay += 1
        return true
    }

    /// A digest has been made.
    mutating func finish() { underWay -= 1 }

    /// Keeps the state at a revision for which one is due.
    ///
    /// - Returns: One that is no longer kept, to be released where users' code may run.
    @discardableResult
    mutating func keep(_ logged: LoggedState<State>) -> State? {
        kept.append((logged.account.revision, logged.state))
        return kept.count > Self.limit ? kept.removeFirst().state : nil
    }

    /// The state at a revision, if it was kept.
    func state(at revision: UInt64) -> State? { kept.last { $0.revision == revision }?.state }
}
