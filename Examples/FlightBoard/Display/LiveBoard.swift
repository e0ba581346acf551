/// The board on a terminal, each frame drawn over the one before.
///
/// It draws at most as often as is visible, however fast the observers report, and only after a report.
actor LiveBoard: BoardDisplay {
    private let output: StandardOutput
    private let terminal: Terminal
    private var frame: BoardFrame
    private var drawnLines = 0
    private var lastDrawn: ContinuousClock.Instant?

    /// Nothing is drawn after the terminal has gone away.
    private var hasFailed = false

    private static let pause = Duration.milliseconds(60)

    init(title: String, schedule: Schedule, output: StandardOutput, terminal: Terminal) {
        self.output = output
        self.terminal = terminal
        frame = BoardFrame(title: title, eventCount: schedule.eventCount)
        for code in schedule.airports { frame.airports[code] = AirportFigures() }
    }

    func show(_ figures: BoardFigures) {
        frame.whole = figures
        drawIfDue()
    }

    func show(_ figures: AirportFigures, of airport: AirportCode) {
        frame.airports[airport] = figures
        drawIfDue()
    }

    func show(_ figures: CarrierFigures, of leg: Leg) {
        frame.carriers[leg] = figures
        drawIfDue()
    }

    func show(_ alert: Alert) {
        frame.add(alert)
        drawIfDue()
    }

    func finish() {
        draw()
    }

    private func drawIfDue() {
        if let lastDrawn, .now - lastDrawn < Self.pause { return }
        draw()
    }

    /// Draws in one write, with the cursor hidden only for its length: an interrupted program leaves it visible.
    private func draw() {
        guard !hasFailed else { return }
        let (columns, rows) = terminal.size
        let lines = frame.lines(columns: columns - 1, usesUnicode: terminal.usesUnicode).prefix(max(1, rows - 1))
        var text = "\u{1B}[?25l\r"
        if drawnLines > 0 { text += "\u{1B}[\(drawnLines)A" }
        for line in lines {
            text += line.rendered(columns: columns - 1, usesColour: terminal.usesColour) + "\u{1B}[K\n"
        }
        text += "\u{1B}[J\u{1B}[?25h"
        do {
            try output.write(text)
        } catch {
            hasFailed = true
        }
        drawnLines = lines.count
        lastDrawn = .now
    }
}
