extension Airport {
    /// An airport's own state: its figures and what the alerts are decided by.
    struct State: Equatable, Sendable {
        var figures = AirportFigures()
        private var rolling: RollingDelay
        private let thresholds: AlertThresholds

        /// The number of the latest crossing. Odd while the delay is above, even while it is not.
        private var crossings = 0

        /// The number of the newest alert that was announced.
        private var announced = 0

        init(thresholds: AlertThresholds) {
            self.thresholds = thresholds
            rolling = RollingDelay(window: thresholds.window)
        }

        /// Counts a departure, and returns the alert to announce if the rolling delay has crossed a threshold.
        mutating func recordDeparture(from airport: AirportCode, delay: Int, at time: BoardTime) -> Alert? {
            figures.departed += 1
            rolling.record(delay)
            figures.rollingDelay = rolling.mean
            guard let mean = rolling.mean else { return nil }
            let isAbove = crossings % 2 == 1
            let crosses =
                isAbove
                ? rolling.sum <= thresholds.clear * rolling.window : rolling.sum >= thresholds.raise * rolling.window
            guard crosses else { return nil }
            crossings += 1
            return Alert(
                kind: isAbove ? .cleared : .raised,
                airport: airport,
                number: crossings,
                rollingDelay: mean,
                time: time
            )
        }

        /// Shows what was announced, unless something newer was before it.
        mutating func recordAnnouncement(number: Int, of kind: Alert.Kind) {
            guard number > announced else { return }
            announced = number
            figures.hasAlert = kind == .raised
        }
    }
}
