/// Where alerts are announced: the board's dependency on the world outside.
struct AlertSink: Sendable {
    var announce: @Sendable (Alert) async -> Void

    /// Announces to nobody.
    static let silent = AlertSink { _ in }
}
