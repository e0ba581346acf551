/// The rules of an airport.
struct AirportRules: Sendable {
    var alerts = AlertThresholds()
    var announcements = AnnouncementRules()

    /// nil for an airport that never requests its weather.
    var weather: WeatherRules? = WeatherRules()
}
