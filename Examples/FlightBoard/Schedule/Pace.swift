/// Spreads a replay over a stretch of real time, so that all airports have the same clock.
struct Pace: Sendable {
    let start: ContinuousClock.Instant
    let duration: Duration
    let span: ClosedRange<BoardTime>

    /// Shorter waits are not worth a sleep.
    private static let grain = Duration.milliseconds(20)

    /// Returns when a minute of the board is due.
    func wait(for time: BoardTime) async throws {
        let whole = Double(span.upperBound.minutes - span.lowerBound.minutes)
        guard whole > 0 else { return }
        let fraction = Double(time.minutes - span.lowerBound.minutes) / whole
        let due = start + duration * fraction
        if due - .now > Self.grain {
            try await Task.sleep(until: due, clock: .continuous)
        }
    }
}
