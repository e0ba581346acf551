/// A format for results, with the names of the package-benchmark plug-in.
public enum ReportFormat: String, Sendable, CaseIterable {
    /// Tables for a terminal.
    case text
    /// Tables for a Markdown page.
    case markdown
    /// The whole report with the raw rounds; the stable format for programs.
    case json
    /// Annotated CSV for InfluxDB.
    case influx
    /// The array that github-action-benchmark reads as `customSmallerIsBetter`.
    case jsonSmallerIsBetter
    /// The JSON of the Java Microbenchmark Harness, which several viewers read.
    case jmh
    /// A percentile table of each benchmark, for a terminal.
    case histogram
    /// The time of each sample, one per line.
    case histogramSamples
    /// Percentile distributions (`.hgrm`) for the plotter of HdrHistogram.
    case histogramPercentiles
    /// A page with plots that needs no network.
    case html

    /// The extension of a file in this format.
    var fileExtension: String {
        switch self {
        case .text, .histogram, .histogramSamples: "txt"
        case .markdown: "md"
        case .json, .jsonSmallerIsBetter, .jmh: "json"
        case .influx: "csv"
        case .histogramPercentiles: "hgrm"
        case .html: "html"
        }
    }

    /// Whether a folder gets a file for each benchmark in this format.
    var isForOneBenchmark: Bool {
        switch self {
        case .histogram, .histogramSamples, .histogramPercentiles: true
        default: false
        }
    }

    /// The report as text.
    public func text(of report: Report) throws -> String { try text(of: report, FormatOptions()) }

    func text(of report: Report, _ options: FormatOptions) throws -> String {
        let selected = options.select(from: report)
        return switch self {
        case .text: TextFormat(report: selected, options: options).text
        case .markdown: MarkdownFormat(report: selected, options: options).text
        case .json: try JSONFormat.text(of: report)
        case .influx: InfluxFormat.text(of: selected)
        case .jsonSmallerIsBetter: try SmallerIsBetterFormat.text(of: selected)
        case .jmh: try JMHFormat.text(of: selected)
        case .histogram: HistogramFormat.table(of: selected)
        case .histogramSamples: HistogramFormat.samples(of: selected)
        case .histogramPercentiles: HistogramFormat.percentiles(of: selected)
        case .html: HTMLFormat(report: selected).text
        }
    }
}

/// Options that change the figures of a table.
struct FormatOptions: Sendable {
    /// The metrics in tables; empty for the default of each format.
    var metrics: [MetricName] = []
    /// Whether figures are per 1,000 operations.
    var isScaled = false
    /// The unit of times; nil for the default of each format.
    var timeUnit: TimeUnit?

    /// Returns the report with the requested metrics.
    func select(from report: Report) -> Report {
        guard !metrics.isEmpty else { return report }
        var report = report
        for index in report.results.indices {
            report.results[index].metrics = report.results[index].metrics.filter { metrics.contains($0.key) }
        }
        return report
    }

    /// The factor for the values of a metric.
    func scale(of name: MetricName) -> Double {
        guard isScaled else { return 1 }
        switch name {
        case .throughput: return 1 / 1_000
        case .wallClock, .cpuUser, .cpuSystem, .cpuTotal, .mallocCountTotal, .mallocBytesTotal, .contextSwitches,
            .instructions:
            return 1_000
        default: return 1
        }
    }

    /// A figure of a metric with its unit.
    func text(_ value: Double, of name: MetricName, unit: String) -> String {
        let value = value * scale(of: name)
        return unit == "ns" ? NumberText.time(value, in: timeUnit) : NumberText.short(value)
    }
}

extension BenchmarkResult {
    /// The main metric of the benchmark, with its name: latency, duration or bytes.
    var mainMetric: (name: MetricName, metric: Metric)? {
        for name in [MetricName.latency, .wallClock, .liveBytes] {
            if let metric = metrics[name] { return (name, metric) }
        }
        return nil
    }

    /// Whether the result was refused because the machine lacked the cores that the benchmark needs.
    var lacksCores: Bool { refusal != nil && rounds.isEmpty }

    /// The ratios in the order of the baselines' names.
    var sortedRatios: [(baseline: String, ratio: Ratio)] {
        (ratios ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
