/// The result of one benchmark; a stable format for programs that read the JSON form.
public struct BenchmarkResult: Sendable, Codable {
    /// The suite's name and the benchmark's, with a slash between.
    public var name: String
    /// The difference from results of the same name.
    public var parameters: Parameters
    /// The distributions by metric. A metric that the machine does not offer is absent.
    public var metrics: [MetricName: Metric]
    /// The name of the main baseline, if there is one.
    public var baseline: String?
    /// The ratio to the main baseline.
    public var ratio: Ratio?
    /// The ratio to each baseline, by its name.
    public var ratios: [String: Ratio]?

    /// Nanoseconds per operation of each round, or the median latency of each round. The rounds of compared benchmarks
    /// are paired.
    public var rounds: [Double] = []
    /// The number of operations in each sample; nil without samples.
    public var operationsPerSample: Int?
    /// The number of rounds skipped because the machine lacked the cores that the benchmark needs.
    public var droppedRounds: Int?
    /// The reason why the figures are meaningless, in a sentence; nil for valid ones. They are kept for inspection, but
    /// have no ratio and are not compared with limits.
    public var refusal: String?
    /// The failure of the benchmark, or of a compared one, which leaves no figures; nil without a failure.
    public var hasFailed: Bool?

    /// The times in picoseconds, for the formats with whole distributions; not part of the JSON form.
    var histogram: Histogram?

    enum CodingKeys: String, CodingKey {
        case name, parameters, metrics, baseline, ratio, ratios, rounds, operationsPerSample, droppedRounds, refusal
        case hasFailed
    }

    init(
        name: String,
        parameters: Parameters,
        metrics: [MetricName: Metric],
        histogram: Histogram? = nil,
        rounds: [Double] = []
    ) {
        self.name = name
        self.parameters = parameters
        self.metrics = metrics
        self.histogram = histogram
        self.rounds = rounds
    }

    /// Name and parameters in one line, used by filters and baselines to find a result.
    public var identity: String {
        parameters.isEmpty ? name : "\(name) \(parameters.text)"
    }

    /// The part of the name before the slash.
    public var suite: String { String(name.prefix { $0 != "/" }) }

    /// The part of the name after the slash.
    public var title: String { String(name.drop { $0 != "/" }.dropFirst()) }

    /// The main time of the result: latency, or else duration.
    public var time: Metric? { metrics[.latency] ?? metrics[.wallClock] }
}

extension BenchmarkResult {
    /// Records the ratios to all baselines; the first one is the main one.
    mutating func setRatios(_ all: [(baseline: String, ratio: Ratio)]) {
        guard let main = all.first else { return }
        baseline = main.baseline
        ratio = main.ratio
        ratios = Dictionary(all.map { ($0.baseline, $0.ratio) }) { first, _ in first }
    }
}
