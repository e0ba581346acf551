import Foundation

/// The array that github-action-benchmark reads as `customSmallerIsBetter`: times, allocations and bytes.
enum SmallerIsBetterFormat {
    struct Entry: Codable {
        var name: String
        var unit: String
        var value: Double
        /// Half the distance of the quartiles.
        var range: String?
        /// The ratios to the baselines, one per line.
        var extra: String?
    }

    static func text(of report: Report) throws -> String {
        try JSONFormat.text(of: report.results.flatMap(entries(of:)))
    }

    private static func entries(of result: BenchmarkResult) -> [Entry] {
        guard result.refusal == nil else { return [] }
        let ratios = result.sortedRatios.map { "\(NumberText.short($0.ratio.p50)) x \($0.baseline)" }
        return result.metrics.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap { name, metric in
            guard !name.prefersLarger, metric.p50.isFinite else { return nil }
            let isMain = name == result.mainMetric?.name
            return Entry(
                name: "\(result.identity), \(name.rawValue)",
                unit: metric.unit,
                value: max(0, metric.p50),
                range: metric.samples > 1 ? "± \(NumberText.short((metric.p75 - metric.p25) / 2))" : nil,
                extra: isMain && !ratios.isEmpty ? ratios.joined(separator: "\n") : nil
            )
        }
    }
}

/// The JSON of the Java Microbenchmark Harness. Its viewers compare scores: here the mean time, in nanoseconds.
enum JMHFormat {
    struct Entry: Codable {
        var jmhVersion = "1.37"
        var benchmark: String
        var mode: String
        var threads: Int
        var forks = 1
        var warmupIterations = 0
        var measurementIterations: Int
        var params: [String: String]
        var primaryMetric: Score
        var secondaryMetrics: [String: Score]
    }

    struct Score: Codable {
        var score: Double
        var scoreError: Double
        var scoreConfidence: [Double]
        var scorePercentiles: [String: Double]
        var scoreUnit: String
        /// By fork, then by iteration.
        var rawData: [[Double]]
    }

    static func text(of report: Report) throws -> String {
        try JSONFormat.text(of: report.results.compactMap { entry($0, machine: report.machine) })
    }

    private static func entry(_ result: BenchmarkResult, machine: Machine) -> Entry? {
        guard result.refusal == nil, let time = result.time ?? result.metrics[.liveBytes] else { return nil }
        var others = result.metrics.filter { $0.key != .wallClock && $0.key != .latency }
        if result.time == nil { others[.liveBytes] = nil }
        let threads = (result.parameters["producers"] ?? result.parameters["threads"])?.number ?? 1
        return Entry(
            benchmark: result.name.replacing("/", with: ".").replacing(" ", with: "_"),
            mode: result.metrics[.latency] == nil ? "avgt" : "sample",
            threads: Int(threads),
            measurementIterations: time.samples,
            params: result.parameters.mapValues(\.description),
            primaryMetric: score(time, histogram: result.histogram, rounds: result.rounds),
            secondaryMetrics: Dictionary(
                uniqueKeysWithValues: others.map { name, metric in
                    (name.rawValue, score(metric, histogram: nil, rounds: [metric.p50]))
                }
            )
        )
    }

    private static func score(_ metric: Metric, histogram: Histogram?, rounds: [Double]) -> Score {
        let mean = histogram.map { $0.mean / 1_000 } ?? metric.p50
        let deviation = histogram.map { $0.standardDeviation / 1_000 } ?? 0
        // Of the mean, at 99.9 %, as in JMH, with the quantile of the normal distribution.
        let error = 3.29 * deviation / Double(max(metric.samples, 1)).squareRoot()
        return Score(
            score: mean,
            scoreError: error,
            scoreConfidence: [mean - error, mean + error],
            scorePercentiles: [
                "0.0": metric.p0, "50.0": metric.p50, "90.0": metric.p90, "99.0": metric.p99, "99.9": metric.p999,
                "100.0": metric.p100,
            ],
            scoreUnit: metric.unit == "ns" ? "ns/op" : metric.unit == "1/s" ? "ops/s" : "\(metric.unit)/op",
            rawData: [rounds]
        )
    }
}

/// Annotated CSV for InfluxDB (`influx write`), with the columns of the package-benchmark plug-in: one line for each
/// percentile of each metric.
enum InfluxFormat {
    private static let columns: [(type: String, name: String)] = [
        ("measurement", "measurement"), ("tag", "processorType"), ("tag", "processors"), ("tag", "kernelVersion"),
        ("tag", "commit"), ("tag", "metric"), ("tag", "unit"), ("tag", "test"), ("tag", "percentile"),
        ("double", "value"), ("long", "iterations"), ("dateTime:RFC3339", "time"),
    ]

    static func text(of report: Report) -> String {
        var lines = [
            "#datatype " + columns.map(\.type).joined(separator: ","), columns.map(\.name).joined(separator: ","),
        ]
        let machine = report.machine
        for result in report.results where result.refusal == nil {
            for (name, metric) in result.metrics.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                for (percentile, value) in metric.percentiles where value.isFinite {
                    let cells = [
                        result.suite, machine.processor, String(machine.cores), machine.kernel, machine.commit,
                        name.rawValue, metric.unit, result.identity, percentile, String(value), String(metric.samples),
                        report.date,
                    ]
                    lines.append(cells.map(quoted).joined(separator: ","))
                }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A cell as RFC 4180 writes it.
    private static func quoted(_ cell: String) -> String {
        guard cell.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else { return cell }
        return "\"" + cell.replacing("\"", with: "\"\"") + "\""
    }
}
