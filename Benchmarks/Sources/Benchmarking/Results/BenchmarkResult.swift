/// What came out of one benchmark; the contract for programs that read the JSON form.
public struct BenchmarkResult: Sendable, Codable {
    /// The suite's name and the benchmark's, with a slash between.
    public var name: String
    /// What distinguishes it from results of the same name.
    public var parameters: Parameters
    /// The distributions by metric. A metric that the machine does not offer is absent.
    public var metrics: [MetricName: Metric]
    /// The name of the main baseline, if it was compared with any.
    public var baseline: String?
    /// The ratio to the main baseline.
    public var ratio: Ratio?
    /// The ratio to each baseline, by its name.
    public var ratios: [String: Ratio]?

    /// Nanoseconds an operation took in each round, or the median latency of each round. Those of the benchmarks that
    /// are compared belong together, round by round.
    public var rounds: [Double] = []
    /// How many operations each sample had; nil where it had none.
    public var operationsPerSample: Int?
    /// How many rounds were left out, because the machine did not have the cores that the benchmark needs.
    public var droppedRounds: Int?
    /// Why the figures mean nothing, in a sentence; nil if all is well. They are kept, to look at, but no ratio is made
    /// of them, and no limit is compared with them.
    public var refusal: String?
    /// Whether the benchmark, or one that it is compared with, has failed, so that there are no figures; nil if not.
    public var hasFailed: Bool?

    /// The times in picoseconds, for the formats that give whole distributions; not part of the JSON form.
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

    /// Name and parameters in one line, by which filters and baselines find a result.
    public var identity: String {
        parameters.isEmpty ? name : "\(name) \(parameters.text)"
    }

    /// The part of the name before the slash.
    public var suite: String { String(name.prefix { $0 != "/" }) }

    /// The part of the name after the slash.
    public var title: String { String(name.drop { $0 != "/" }.dropFirst()) }

    /// The time that the result is about: latency, or else duration.
    public var time: Metric? { metrics[.latency] ?? metrics[.wallClock] }
}

extension BenchmarkResult {
    /// Takes note of the ratios to all baselines; the first one is the main one.
    mutating func setRatios(_ all: [(baseline: String, ratio: Ratio)]) {
        guard let main = all.first else { return }
        baseline = main.baseline
        ratio = main.ratio
        ratios = Dictionary(all.map { ($0.baseline, $0.ratio) }) { first, _ in first }
    }
}
