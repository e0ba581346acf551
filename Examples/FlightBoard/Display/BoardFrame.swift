/// One picture of the board, drawn from the observers' reports so far.
struct BoardFrame: Sendable {
    let title: String
    let eventCount: Int
    var whole = BoardFigures()
    var airports: [AirportCode: AirportFigures] = [:]
    var carriers: [Leg: CarrierFigures] = [:]
    private(set) var latestAlerts: [Alert] = []

    /// The number of latest alerts shown.
    private static let alertLimit = 4

    init(title: String, eventCount: Int) {
        self.title = title
        self.eventCount = eventCount
    }

    /// Puts an alert on top of the list.
    mutating func add(_ alert: Alert) {
        latestAlerts.insert(alert, at: 0)
        latestAlerts = Array(latestAlerts.prefix(Self.alertLimit))
    }

    /// The lines from top to bottom, for a terminal of that many columns.
    func lines(columns: Int, usesUnicode: Bool) -> [StyledLine] {
        var lines = [heading(columns: columns), StyledLine(), progress(columns: columns, usesUnicode: usesUnicode)]
        lines.append(StyledLine())
        lines += airportLines
        lines.append(StyledLine())
        lines += carrierLines(columns: columns)
        lines.append(StyledLine())
        lines += alertLines
        return lines
    }

    private func heading(columns: Int) -> StyledLine {
        let time = whole.time?.description ?? ""
        let name = "FlightBoard  "
        let room = max(0, columns - name.count - time.count - 2)
        let shown = title.count > room ? "..." + title.suffix(max(0, room - 3)) : title
        let gap = String(repeating: " ", count: max(2, columns - name.count - shown.count - time.count))
        var line = StyledLine(name, .bold)
        line.append(shown, .dim)
        line.append(gap + time, .bold)
        return line
    }

    private func progress(columns: Int, usesUnicode: Bool) -> StyledLine {
        let bar = ProgressBar(done: whole.events, total: eventCount)
        let done = NumberText.grouped(whole.events)
        let total = NumberText.grouped(eventCount)
        let percent = String(bar.percent)
        let caption =
            "  " + String(repeating: " ", count: 3 - percent.count) + percent + "%"
            + String(repeating: " ", count: 2 + total.count - min(total.count, done.count)) + done + " of "
            + total + " events"
        let drawn = bar.drawn(columns: max(10, columns - caption.count), usesUnicode: usesUnicode)
        var line = StyledLine(drawn.filled, .green)
        line.append(drawn.empty, .dim)
        line.append(caption)
        return line
    }

    private var airportLines: [StyledLine] {
        var table = TextTable(
            header: ["Airport", "Flights", "Departed", "In air", "Cancelled", "Diverted", "Rolling delay"],
            spacing: 2
        )
        let codes = airports.keys.sorted()
        for code in codes {
            let figures = airports[code] ?? AirportFigures()
            table.append(
                [code.text.printable(limit: 7)]
                    + [figures.flights, figures.departed, figures.inAir, figures.cancelled, figures.diverted]
                    .map { NumberText.grouped($0) } + [NumberText.decimal(figures.rollingDelay, digits: 1)]
            )
        }
        let rows = [nil] + codes.map { airports[$0] }
        return zip(table.lines, rows).map { text, figures in
            guard let figures else { return StyledLine(text, .dim) }
            guard figures.isLate else { return StyledLine(text) }
            var line = StyledLine(text + "  LATE", .red)
            let weather = figures.weather.description
            if !weather.isEmpty { line.append("  " + weather) }
            return line
        }
    }

    private func carrierLines(columns: Int) -> [StyledLine] {
        let cells = carriers.byCarrier.filter { $0.value.departed > 0 }.sorted { $0.key < $1.key }.map {
            code,
            figures in
            let mean = NumberText.decimal(figures.meanDelay, digits: 1)
            let name = code.text.printable(limit: 6)
            return name + String(repeating: " ", count: max(1, 10 - name.count - mean.count)) + mean
        }
        let width = max(10, cells.map(\.count).max() ?? 0)
        let perLine = max(1, min(6, (columns + 3) / (width + 3)))
        var lines = [StyledLine("Mean departure delay in minutes, by carrier", .dim)]
        for start in stride(from: 0, to: cells.count, by: perLine) {
            let row = cells[start..<min(start + perLine, cells.count)]
            let padded = row.map { $0 + String(repeating: " ", count: width - $0.count) }
            lines.append(StyledLine(padded.joined(separator: "   ")))
        }
        return lines
    }

    private var alertLines: [StyledLine] {
        let counts =
            "\(NumberText.grouped(whole.alertsRaised)) raised, \(NumberText.grouped(whole.alertsCleared)) cleared"
        return [StyledLine("Alerts: " + counts, .dim)]
            + latestAlerts.map { alert in
                var line = StyledLine(alert.time.description + "  " + alert.airport.text.printable(limit: 7) + "  ")
                line.append(alert.kind == .raised ? "raised " : "cleared", alert.kind == .raised ? .red : .green)
                line.append("  rolling delay " + NumberText.decimal(alert.rollingDelay, digits: 1) + " min")
                return line
            }
    }
}
