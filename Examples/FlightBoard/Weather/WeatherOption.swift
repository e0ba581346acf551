/// The value of `--weather`: the service of late airports.
enum WeatherOption: String, CaseIterable, Sendable {
    case reliable, flaky, down, off

    /// The available values, for messages.
    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

    /// The service; nil for no requests.
    var service: WeatherService? {
        switch self {
        case .reliable: .simulated(.reliable)
        case .flaky: .simulated(.flaky)
        case .down: .simulated(.down)
        case .off: nil
        }
    }
}
