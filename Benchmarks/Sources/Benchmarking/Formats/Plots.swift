/// Chooses the plots for the results of a suite. Refused results are skipped.
struct Plots {
    private let results: [BenchmarkResult]

    init(results: [BenchmarkResult]) {
        self.results = results.filter { $0.refusal == nil }
    }

    /// All plots, as SVG.
    var all: [String] { bars + costs + loads + percentiles }

    // MARK: A benchmark beside its baselines

    private var bars: [String] {
        results.compactMap { subject in
            guard subject.metrics[.latency] == nil, let ratios = subject.ratios, !ratios.isEmpty else { return nil }
            let name: MetricName = subject.metrics[.wallClock] == nil ? .liveBytes : .wallClock
            guard let own = subject.metrics[name] else { return nil }
            let others = results.compactMap { other -> BarPlot.Bar? in
                guard other.parameters == subject.parameters, let ratio = ratios[other.title] else { return nil }
                guard let metric = other.metrics[name] else { return nil }
                return BarPlot.Bar(
                    name: other.title,
                    metric: metric,
                    note: ", \(SVG.shortened(subject.title, to: 16)) is \(NumberText.short(ratio.p50)) x"
                )
            }
            let bar = BarPlot.Bar(name: subject.title, metric: own, note: "")
            let title = "\(subject.title) \(subject.parameters.text)"
            return BarPlot(title: title, unit: own.unit, bars: [bar] + others).svg
        }
    }

    // MARK: Cost against a parameter

    private var costs: [String] {
        let timed = results.filter { $0.metrics[.wallClock] != nil }
        let names = Set(timed.flatMap { $0.parameters.filter { $0.value.number != nil }.keys }).sorted()
        return names.compactMap { parameter in
            let lines = Dictionary(grouping: timed.filter { $0.parameters[parameter] != nil }) { result in
                let others = result.parameters.filter { $0.key != parameter }
                return others.isEmpty ? result.title : "\(result.title) \(others.text)"
            }
            .compactMap { name, results -> LinePlot.Line? in
                let points = results.compactMap { result -> (x: Double, y: Double)? in
                    guard let x = result.parameters[parameter]?.number, let y = result.time?.p50 else { return nil }
                    return (x, y)
                }
                .sorted { $0.x < $1.x }
                return points.count > 2 ? LinePlot.Line(name: name, points: points) : nil
            }
            .sorted { $0.name < $1.name }
            guard !lines.isEmpty else { return nil }
            return LinePlot(
                title: "Cost against \(parameter)",
                xLabel: parameter,
                yLabel: "time of an operation, p50",
                lines: lines,
                xAxis: Axis(logarithmic: lines.flatMap { $0.points.map(\.x) }),
                yAxis: Axis(linearOrLogarithmic: lines.flatMap { $0.points.map(\.y) })
            )
            .svg
        }
    }

    // MARK: Latency

    /// Compared latency benchmarks, by their parameters without the load.
    private var latencyGroups: [(title: String, results: [BenchmarkResult])] {
        let latencies = results.filter { $0.metrics[.latency] != nil }
        var groups: [(Parameters, [BenchmarkResult])] = []
        for result in latencies {
            let parameters = result.parametersWithoutLoad
            if let index = groups.firstIndex(where: { $0.0 == parameters }) {
                groups[index].1.append(result)
            } else {
                groups.append((parameters, [result]))
            }
        }
        return groups.map { ($0.0.text, $0.1) }
    }

    private var loads: [String] {
        latencyGroups.compactMap { title, results in
            let lines = Dictionary(grouping: results, by: \.title).sorted { $0.key < $1.key }.flatMap { name, results in
                [("p50", \Metric.p50), ("p99", \Metric.p99)].map { percentile, path in
                    let points = results.compactMap { result -> (x: Double, y: Double)? in
                        guard let rate = result.metrics[.offeredRate]?.p50 else { return nil }
                        return result.metrics[.latency].map { (rate, $0[keyPath: path]) }
                    }
                    return LinePlot.Line(name: "\(name) \(percentile)", points: points.sorted { $0.x < $1.x })
                }
            }
            // A single load is not a curve, and is in the table.
            guard lines.contains(where: { $0.points.count > 1 }) else { return nil }
            return LinePlot(
                title: "Latency against load \(title)",
                xLabel: "offered operations a second",
                yLabel: "time from the intended start",
                lines: lines,
                xAxis: Axis(linearOrLogarithmic: lines.flatMap { $0.points.map(\.x) }),
                yAxis: Axis(logarithmic: lines.flatMap { $0.points.map(\.y) })
            )
            .svg
        }
    }

    private var percentiles: [String] {
        latencyGroups.compactMap { title, results in
            // Half of the attained rate is the load of a healthy service.
            let loads = Set(results.compactMap { $0.load?.value.number }).sorted()
            let isFraction = results.contains { $0.parameters["load"] != nil }
            let middle = isFraction ? 0.5 : loads.isEmpty ? 0 : loads[loads.count / 2]
            // Nil if the callers ran at full speed.
            let load = loads.min { abs($0 - middle) < abs($1 - middle) }
            let place = load.map { " at \(isFraction ? "load" : "rate") \(NumberText.plain($0))" } ?? ""
            let lines = results.filter { $0.load?.value.number == load }.map { result in
                let metric = result.metrics[.latency]
                let points: [(x: Double, y: Double)] = [
                    (1, metric?.p0), (1 / 0.75, metric?.p25), (2, metric?.p50), (4, metric?.p75), (10, metric?.p90),
                    (100, metric?.p99), (1_000, metric?.p999),
                ]
                .compactMap { x, y in y.map { (x, $0) } }
                return LinePlot.Line(name: result.title, points: points)
            }
            return LinePlot(
                title: "Latency by percentile\(place) \(title)",
                xLabel: "percentile",
                yLabel: "time from the intended start",
                lines: lines,
                xAxis: Axis(logarithmic: [1, 1_000]),
                yAxis: Axis(logarithmic: lines.flatMap { $0.points.map(\.y) }),
                xTicks: [(1, "0"), (2, "50"), (4, "75"), (10, "90"), (100, "99"), (1_000, "99.9")]
            )
            .svg
        }
    }
}
