import Foundation

/// The JSON form of the Java Microbenchmark Harness. Its viewers compare scores; ours is the mean time, in nanoseconds.
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
        guard let time = result.time ?? result.metrics[.liveBytes] else { return nil }
        var others = result.metrics.filter { $0.key != .wallClock && $0.key != .latency }
        if result.time == nil { others[.liveBytes] = nil }
        let threads = result.parameters["producers"]?.number ?? 1
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
        // Of the mean, at 99.9 %, as JMH gives it; with the normal distribution's quantile.
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
