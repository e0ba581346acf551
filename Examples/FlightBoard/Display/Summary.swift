/// The figures for readers, as a table and a few sentences.
struct Summary: Sendable {
    let result: ReplayResult

    /// The replay was slowed down on request, so its throughput is not the store's.
    var isPaced = false

    /// An empty line separates the table and the sentences.
    var text: String {
        let figures = Figures(result.state)
        var lines = table(figures)
        lines.append("")
        let origins = figures.flightsByOrigin.sorted { $0.key < $1.key }
        if !origins.isEmpty {
            let counts = origins.map { "\($0.key.text.printable(limit: 8)) \(NumberText.grouped($0.value))" }
            lines.append("By origin: " + counts.joined(separator: ", "))
        }
        let whole = result.state.whole
        lines.append(
            "\(NumberText.grouped(figures.diverted)) diverted; alerts: \(NumberText.grouped(whole.alertsRaised)) raised, "
                + "\(NumberText.grouped(whole.alertsCleared)) cleared, \(NumberText.grouped(whole.announcements)) announcements"
        )
        if result.weather.requests > 0 { lines.append(line(about: result.weather)) }
        if result.wasInterrupted {
            let (done, all) = (NumberText.grouped(whole.events), NumberText.grouped(result.eventCount))
            lines.append("Interrupted after \(done) of \(all) events: the figures are those up to then")
        }
        let seconds = result.elapsed / .seconds(1)
        let time = NumberText.decimal(seconds, digits: 2) + " s"
        let actions = NumberText.grouped(result.revision) + " actions"
        lines.append(
            isPaced
                ? "\(actions), spread over \(time) as asked"
                : "\(actions) in \(time), \(NumberText.rate(result.revision, over: seconds)) a second"
        )
        return lines.joined(separator: "\n") + "\n"
    }

    /// The results of the weather service.
    private func line(about weather: WeatherTally) -> String {
        let parts = [
            (weather.answered, "answered"), (weather.failed, "given up"), (weather.withdrawn, "withdrawn"),
            (weather.unfinished, "unfinished"),
        ]
        let counts = parts.filter { $0.0 > 0 }.map { "\(NumberText.grouped($0.0)) \($0.1)" }
        return
            "Weather: \(NumberText.grouped(weather.requests)) requests, \(NumberText.grouped(weather.retries)) retries; "
            + counts.joined(separator: ", ")
    }

    private func table(_ figures: Figures) -> [String] {
        var table = TextTable(header: ["Carrier", "Flights", "Cancelled", "Mean departure delay"])
        var all = CarrierFigures()
        for (code, carrier) in figures.carriers.sorted(by: { $0.key < $1.key }) {
            table.append(row(code.text.printable(limit: 8), carrier))
            all += carrier
        }
        table.append(row("All", all))
        var lines = table.lines
        let rule = String(repeating: "-", count: lines.map(\.count).max() ?? 0)
        if !figures.carriers.isEmpty { lines.insert(rule, at: lines.count - 1) }
        lines.insert(rule, at: 1)
        return lines
    }

    private func row(_ name: String, _ figures: CarrierFigures) -> [String] {
        [
            name, NumberText.grouped(figures.flights), NumberText.grouped(figures.cancelled),
            figures.meanDelay == nil ? "-" : NumberText.decimal(figures.meanDelay, digits: 2) + " min",
        ]
    }
}
