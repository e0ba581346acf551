/// What `--weather` says about the service that late airports ask.
enum WeatherOption: String, CaseIterable, Sendable {
    case reliable, flaky, down, off

    /// Those that there are, for people.
    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

    /// The service; nil if nobody is to be asked.
    var service: WeatherService? {
        switch self {
        case .reliable: .simulated(.reliable)
        case .flaky: .simulated(.flaky)
        case .down: .simulated(.down)
        case .off: nil
        }
    }
}
