/// The failures of a writer since its last success: a plain value that decides when it tries again, and when no more.
struct WriteRetries: Sendable {
    /// The delays before a write is retried, which increase from the first to the last.
    private static var waits: (first: Duration, last: Duration) { (.milliseconds(10), .seconds(1)) }

    /// The time for which failing writes are retried.
    private let limit: Duration
    /// The time since which writes fail, their number, and whether entries fail, or only a snapshot or a deletion.
    private var failing: (since: ContinuousClock.Instant, attempts: Int, hasEntries: Bool)?

    init(for limit: Duration) { self.limit = limit }

    /// Whether the last write has failed.
    var isFailing: Bool { failing != nil }

    /// Whether writes have failed for a second, or for half of the limit.
    func isLasting(at now: ContinuousClock.Instant) -> Bool {
        failing.map { now - $0.since >= min(limit / 2, .seconds(1)) } ?? false
    }

    /// Records that something was deleted, and more can be: the next attempt may succeed.
    mutating func noteProgress(at now: ContinuousClock.Instant) {
        failing?.since = now
        failing?.attempts = 0
    }

    /// Records a success.
    mutating func noteSuccess() { failing = nil }

    /// Records a failure.
    ///
    /// Entries are retried for the whole limit, however long a snapshot was retried before.
    ///
    /// - Parameters:
    ///   - hasEntries: Whether entries were to be written, and not only a snapshot or a deletion.
    ///   - now: The time of the failure.
    /// - Returns: The delay before the next attempt; nil if the time is over.
    mutating func noteFailure(hasEntries: Bool, at now: ContinuousClock.Instant) -> Duration? {
        var known = failing ?? (now, 0, hasEntries)
        if hasEntries != known.hasEntries { (known.since, known.hasEntries) = (now, hasEntries) }
        known.attempts += 1
        failing = known
        guard now - known.since < limit else { return nil }
        return min(Self.waits.first * Double(1 << min(known.attempts - 1, 10)), Self.waits.last)
    }
}
