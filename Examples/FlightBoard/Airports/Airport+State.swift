extension Airport {
    /// An airport's own state: its figures, and the input of its alerts.
    struct State: Equatable, Sendable {
        var figures = AirportFigures()
        var weatherTally = WeatherTally()
        private var rolling: RollingDelay
        private let thresholds: AlertThresholds

        /// The time of the last weather request; nil if the airport is not late.
        private var askedForWeather: BoardTime?

        init(thresholds: AlertThresholds) {
            self.thresholds = thresholds
            rolling = RollingDelay(window: thresholds.window)
        }

        /// Counts a departure, which can make the airport late, or end its delay.
        mutating func recordDeparture(delay: Int) {
            figures.departed += 1
            rolling.record(delay)
            figures.rollingDelay = rolling.mean
            guard rolling.isFull else { return }
            figures.isLate =
                figures.isLate
                ? rolling.sum > thresholds.clear * rolling.window : rolling.sum >= thresholds.raise * rolling.window
        }

        /// Returns whether a weather request is due, and records it.
        mutating func beginAskingForWeather(at time: BoardTime, every interval: Duration) -> Bool {
            if let askedForWeather, Duration.minutes(time.minutes - askedForWeather.minutes) < interval { return false }
            askedForWeather = time
            return true
        }

        /// Records the progress of a request.
        mutating func recordWeather(_ news: WeatherNews) {
            switch news {
            case .asked(let attempt):
                figures.weather.request = .asking
                if attempt == 1 { weatherTally.requests += 1 } else { weatherTally.retries += 1 }
            case .reported(let report):
                figures.weather = AirportWeather(report: report)
                weatherTally.answered += 1
            case .failed(let error):
                figures.weather.request = .failed(error)
                weatherTally.failed += 1
            }
        }

        /// The weather no longer matters.
        mutating func forgetWeather() {
            if figures.weather.request == .asking { weatherTally.withdrawn += 1 }
            figures.weather = AirportWeather()
            askedForWeather = nil
        }
    }
}
