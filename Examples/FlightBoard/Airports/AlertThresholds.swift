/// When an airport's rolling delay raises an alert and when it clears it.
///
/// The second threshold is lower than the first, so that a delay that wavers around one of them raises one alert
/// instead of dozens.
struct AlertThresholds: Equatable, Sendable {
    /// How many of the latest departures the rolling delay is the mean of.
    var window = 30

    /// A mean of at least so many minutes raises an alert.
    var raise = 45

    /// A mean of at most so many minutes clears it.
    var clear = 20
}
