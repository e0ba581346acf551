/// The rolling delays of an airport that raise an alert and clear it.
///
/// The second threshold is lower than the first, so that a delay that oscillates around one of them raises one alert
/// instead of dozens.
struct AlertThresholds: Equatable, Sendable {
    /// The number of latest departures in the rolling delay.
    var window = 30

    /// A mean of at least this number of minutes raises an alert.
    var raise = 45

    /// A mean of at most this number of minutes clears it.
    var clear = 20
}
