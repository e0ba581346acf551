/// The board on an output that cannot be drawn over: a line at each tenth of the way.
actor ProgressLines: BoardDisplay {
    private let output: StandardOutput
    private let eventCount: Int
    private var nextPercent = 10

    init(schedule: Schedule, output: StandardOutput) {
        self.output = output
        eventCount = schedule.eventCount
    }

    func show(_ figures: BoardFigures) {
        let percent = ProgressBar(done: figures.events, total: eventCount).percent
        guard percent >= nextPercent else { return }
        nextPercent = percent / 10 * 10 + 10
        let digits = String(percent)
        let parts = [
            String(repeating: " ", count: 3 - digits.count) + digits + "%",
            figures.time?.description ?? "no flights",
            "\(NumberText.grouped(figures.departed)) departed",
            "\(NumberText.grouped(figures.cancelled)) cancelled",
            "\(NumberText.grouped(figures.alertsRaised)) alerts",
        ]
        // A reader that has gone away is reported by the writing of the summary.
        try? output.write(parts.joined(separator: "  ") + "\n")
    }

    func show(_ figures: AirportFigures, of airport: AirportCode) {}
    func show(_ figures: CarrierFigures, of leg: Leg) {}
    func show(_ alert: Alert) {}
    func finish() {}
}
