/// A figure with its quartiles.
struct Figure: Equatable {
    var value: Double
    /// The quartiles; nil if the figure is a single percentile, such as a p99.
    var quartiles: Quartiles?
    /// Whether the quartiles are calculated from the quartiles of two results that did not run interleaved.
    var isApart = false

    struct Quartiles: Equatable {
        var lower: Double
        var upper: Double
    }

    /// The text of the quartiles, and the word «apart» if they are from two results that did not run interleaved.
    var quartileText: String {
        guard let quartiles else { return "" }
        guard quartiles.lower != quartiles.upper || isApart else { return "" }
        let text = "\(NumberText.short(quartiles.lower)) to \(NumberText.short(quartiles.upper))"
        return isApart ? "\(text), apart" : text
    }

    fileprivate func divided(by divisor: Double) -> Figure {
        let parts = quartiles.map { Quartiles(lower: $0.lower / divisor, upper: $0.upper / divisor) }
        return Figure(value: value / divisor, quartiles: parts, isApart: isApart)
    }
}

/// A report's verdict on a budget.
enum Finding: Equatable {
    /// A decisive figure.
    case figure(Figure)
    /// An undecided figure, or no figure, with the reason.
    case undecided(Figure?, String)
    /// No figure, with the reason.
    case missing(String)
}

extension Budget {
    /// Looks the figure up in a report.
    func finding(in report: Report) -> Finding {
        let name = reference?.benchmark ?? benchmark
        guard let result = report.find(benchmark, parameters ?? [:]) else { return .missing("no such result") }
        if let refused = Self.refusal(of: result) { return refused }
        if let baseline { return ratioFinding(of: result, baseline, in: report) }
        guard let metric = metric(of: result) else { return .missing("no such metric") }
        let shortage = isTime ? Self.shortage(of: result) : nil
        guard let reference else {
            let figure = figure(of: metric)
            return divided(shortage.map { .undecided(figure, $0) } ?? .figure(figure))
        }
        guard let other = report.find(name, reference.parameters ?? parameters ?? [:]) else {
            return .missing("no result of '\(name)'")
        }
        if let refused = Self.refusal(of: other) { return refused }
        guard let otherMetric = self.metric(of: other) else { return .missing("no such metric of '\(name)'") }
        let figure = combined(result, metric, other, otherMetric, reference)
        let doubt = isTime ? shortage ?? Self.doubt(about: other) : nil
        return divided(doubt.map { .undecided(figure, $0) } ?? .figure(figure))
    }

    private func ratioFinding(of result: BenchmarkResult, _ baseline: String, in report: Report) -> Finding {
        let other = report.find("\(result.suite)/\(baseline)", result.parameters)
        if let other, let refused = Self.refusal(of: other) { return refused }
        guard let ratio = result.ratios?[baseline] else { return .missing("no ratio to '\(baseline)'") }
        let values = ["p25": ratio.p25, "p50": ratio.p50, "p75": ratio.p75]
        let value = values[percentile ?? "p50"] ?? ratio.p50
        // A requested quartile decides by itself.
        let quartiles =
            percentile == nil || percentile == "p50" ? Figure.Quartiles(lower: ratio.p25, upper: ratio.p75) : nil
        let figure = Figure(value: value, quartiles: quartiles)
        let doubt = Self.shortage(of: result) ?? other.flatMap(Self.doubt(about:))
        return doubt.map { .undecided(figure, $0) } ?? .figure(figure)
    }

    // MARK: Parts of a figure

    private func metric(of result: BenchmarkResult) -> Metric? {
        if let metric { return result.metrics[metric] }
        return result.time
    }

    private var isMedian: Bool { percentile == nil || percentile == "p50" }

    /// Whether the figure consists of times, whose rounds the result has.
    private var isTime: Bool { metric == nil || metric == .wallClock || metric == .latency }

    private func figure(of metric: Metric) -> Figure {
        let value = metric.percentile(percentile ?? "p50") ?? metric.p50
        let isCount = self.metric == .mallocCountTotal || self.metric == .mallocBytesTotal
        // Differences of counts may be slightly below zero, and allocations never are.
        let floor = isCount ? 0 : -Double.infinity
        let quartiles = Figure.Quartiles(lower: max(floor, metric.p25), upper: max(floor, metric.p75))
        return Figure(value: max(floor, value), quartiles: isMedian ? quartiles : nil)
    }

    private func combined(
        _ result: BenchmarkResult,
        _ metric: Metric,
        _ other: BenchmarkResult,
        _ otherMetric: Metric,
        _ reference: Reference
    ) -> Figure {
        let combine: (Double, Double) -> Double = reference.isSubtracted == true ? { $0 - $1 } : { $0 / $1 }
        let otherPercentile = reference.percentile ?? percentile ?? "p50"
        guard isMedian, otherPercentile == "p50" else {
            let own = metric.percentile(percentile ?? "p50") ?? metric.p50
            return Figure(value: combine(own, otherMetric.percentile(otherPercentile) ?? otherMetric.p50))
        }
        if isTime, let pairs = result.pairedRounds(with: other) {
            let quantiles = Quantiles(pairs.map { combine($0.own, $0.other) })
            return Figure(
                value: quantiles[0.5],
                quartiles: Figure.Quartiles(lower: quantiles[0.25], upper: quantiles[0.75])
            )
        }
        let quartiles = Figure.Quartiles(
            lower: combine(metric.p25, otherMetric.p75),
            upper: combine(metric.p75, otherMetric.p25)
        )
        return Figure(value: combine(metric.p50, otherMetric.p50), quartiles: quartiles, isApart: true)
    }

    private func divided(_ finding: Finding) -> Finding {
        guard let per else { return finding }
        guard let divisor = parameters?[per]?.number, divisor != 0 else { return .missing("no parameter '\(per)'") }
        return switch finding {
        case .figure(let figure): .figure(figure.divided(by: divisor))
        case .undecided(let figure, let why): .undecided(figure?.divided(by: divisor), why)
        case .missing: finding
        }
    }

    // MARK: Reasons against a figure

    private static func refusal(of result: BenchmarkResult) -> Finding? {
        guard let refusal = result.refusal else { return nil }
        return result.lacksCores
            ? .undecided(nil, "'\(result.title)': \(refusal)") : .missing("'\(result.title)' was refused: \(refusal)")
    }

    /// The reason why the times of a result are undecided: too few rounds for quartiles.
    private static func shortage(of result: BenchmarkResult) -> String? {
        guard result.metrics[.wallClock] != nil, (1..<3).contains(result.rounds.count) else { return nil }
        return "'\(result.title)' has \(result.rounds.count == 1 ? "one round" : "two rounds") only"
    }

    /// The reason why a ratio to this result is undecided: its quartiles are more than a factor of two apart.
    private static func doubt(about result: BenchmarkResult) -> String? {
        if let shortage = shortage(of: result) { return shortage }
        guard let time = result.time, time.p75 > 2 * time.p25 else { return nil }
        return "the quartiles of '\(result.title)' are \(NumberText.times(time.p25, time.p75))"
    }
}

extension BenchmarkResult {
    /// The rounds of two interleaved results, in pairs; nil if they did not run interleaved.
    ///
    /// Results run interleaved if they are compared with each other or with a common baseline. An interrupted one has
    /// fewer rounds, which then are not pairs.
    func pairedRounds(with other: BenchmarkResult) -> [(own: Double, other: Double)]? {
        guard suite == other.suite, parameters.isSame(as: other.parameters), !rounds.isEmpty,
            rounds.count == other.rounds.count
        else { return nil }
        let own = Set([title] + (ratios ?? [:]).keys)
        let others = Set([other.title] + (other.ratios ?? [:]).keys)
        guard !own.isDisjoint(with: others) else { return nil }
        return zip(rounds, other.rounds).map { (own: $0, other: $1) }
    }
}

extension Parameters {
    /// Whether the parameters are the same. JSON may have a whole number in another notation.
    func isSame(as other: Parameters) -> Bool {
        count == other.count
            && allSatisfy { name, value in
                guard let counterpart = other[name] else { return false }
                if let number = value.number { return number == counterpart.number }
                return value == counterpart
            }
    }
}

extension Report {
    /// The result of a benchmark, also in a report that was read from JSON.
    func find(_ name: String, _ parameters: Parameters) -> BenchmarkResult? {
        results.first { $0.name == name && $0.parameters.isSame(as: parameters) }
    }
}
