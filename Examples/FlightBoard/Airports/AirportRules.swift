/// By what an airport decides.
struct AirportRules: Sendable {
    var alerts = AlertThresholds()
    var announcements = AnnouncementRules()

    /// nil for an airport that never asks for its weather.
    var weather: WeatherRules? = WeatherRules()
}
