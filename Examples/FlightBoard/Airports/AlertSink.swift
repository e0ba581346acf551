/// The output of alerts: the board's dependency on the outside world.
struct AlertSink: Sendable {
    var announce: @Sendable (Alert) async -> Void

    /// Discards all alerts.
    static let silent = AlertSink { _ in }
}
