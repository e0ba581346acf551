import Foundation

/// The definitions of the pictures in Markdown pages, such as a README: plots of a report, diagrams, and recordings of
/// terminals.
///
/// The pictures are written beside the file of definitions, each as the SVG file of its name.
struct PictureFile: Codable, Sendable {
    var plots: [String: Plot]?
    var diagrams: [String: Diagram]?
    var screens: [String: Screen]?

    /// Lines of benchmarks over one of their parameters.
    struct Plot: Codable, Sendable {
        var title: String
        /// The parameter whose values the horizontal axis has.
        var parameter: String
        var xLabel: String
        var yLabel: String
        var quantity: Quantity
        var lines: [Line]
    }

    /// The quantity on the vertical axis of a plot.
    enum Quantity: String, Codable, Sendable {
        /// The time of an operation.
        case time
        /// The time of an operation, divided by the parameter.
        case timePerUnit
        /// Operations a second.
        case rate
    }

    struct Line: Codable, Sendable {
        var label: String
        /// The name of the benchmark, with its suite.
        var benchmark: String
        /// The parameters besides that of the plot.
        var parameters: Parameters?
        var isEmphasized: Bool?
    }

    /// The terminal output of a program.
    struct Screen: Codable, Sendable {
        var title: String
        /// The file with what was written, beside that of the definitions.
        var recording: String
    }

    /// Returns the pictures with the names of their files.
    ///
    /// - Throws: An error if a plot names a benchmark of which the report has fewer than two results, if a recording
    ///   cannot be read, or if a text of a diagram does not fit.
    func files(from report: Report, in folder: String) throws(ArgumentsError) -> [(name: String, text: String)] {
        var files: [(name: String, text: String)] = []
        for (name, plot) in plots ?? [:] { files.append((name, try plot.file(from: report))) }
        for (name, diagram) in diagrams ?? [:] { files.append((name, try diagram.file)) }
        for (name, screen) in screens ?? [:] {
            let recording = try TextFile.read("\(folder)/\(screen.recording)")
            files.append((name, TerminalPicture(recording: recording, title: screen.title).file))
        }
        return files.map { ("\($0.name).svg", $0.text) }.sorted { $0.name < $1.name }
    }
}

extension PictureFile.Plot {
    fileprivate func file(from report: Report) throws(ArgumentsError) -> String {
        var drawn: [LinePlot.Line] = []
        for line in lines {
            let points = points(of: line, in: report)
            guard points.count > 1 else {
                let parameters = (line.parameters ?? [:]).text
                throw ArgumentsError(
                    "The report has fewer than two results of '\(line.benchmark) \(parameters)' with '\(parameter)'."
                )
            }
            drawn.append(LinePlot.Line(name: line.label, points: points, isEmphasized: line.isEmphasized == true))
        }
        let places = Set(drawn.flatMap { $0.points.map(\.x) }).sorted()
        var plot = LinePlot(
            title: title,
            xLabel: xLabel,
            yLabel: yLabel,
            lines: drawn,
            xAxis: Axis(logarithmic: places),
            yAxis: Axis(logarithmic: drawn.flatMap { $0.points.map(\.y) })
        )
        plot.xTicks = places.map { ($0, NumberText.plain($0)) }
        if quantity == .rate { plot.yText = NumberText.plainRate }
        plot.note = Self.conditions(of: report)
        plot.width = 800
        plot.nameColumn = 270
        plot.lowestPlotHeight = 300
        plot.placesNamesAtEnds = true
        return SVG.file(plot.svg, SVG.TextSizes(title: 16, text: 13, tick: 12.5))
    }

    /// Refused results have no figures.
    private func points(of line: PictureFile.Line, in report: Report) -> [(x: Double, y: Double)] {
        report.results.compactMap { result -> (x: Double, y: Double)? in
            guard result.name == line.benchmark, result.refusal == nil, result.hasFailed != true,
                let x = result.parameters[parameter]?.number, let time = result.metrics[.wallClock]?.p50
            else { return nil }
            let others = result.parameters.filter { $0.key != parameter }
            guard others.isSame(as: line.parameters ?? [:]) else { return nil }
            return switch quantity {
            case .time: (x, time)
            case .timePerUnit: (x, time / x)
            case .rate: (x, 1e9 / time)
            }
        }
        .sorted { $0.x < $1.x }
    }

    private static func conditions(of report: Report) -> String {
        let machine = report.machine
        return
            "Medians; commit \(machine.commit), \(report.date.prefix(10)), \(machine.cores) cores, \(machine.processor)"
    }
}
