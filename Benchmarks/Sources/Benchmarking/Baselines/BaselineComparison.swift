/// The differences between two reports, and their verdicts.
///
/// Times of two runs are hardly comparable on a machine with other load. Only ratios to baselines of the same run, and
/// counts, are judged.
struct BaselineComparison {
    /// The verdict on a figure.
    enum Verdict: Equatable {
        case same, worse, better
        /// The benchmark exists in the earlier report only.
        case missing
        /// The figure is shown only, with the reason.
        case notJudged(String)
    }

    /// One figure, before and after.
    struct Row {
        let identity: String
        let figure: String
        var before: Double?
        var now: Double?
        let verdict: Verdict
    }

    let rows: [Row]
    /// The differences of the machines, in words; nil if they are alike.
    let machineDifference: String?

    /// - Parameters:
    ///   - before: The earlier report.
    ///   - after: The later report.
    ///   - tolerances: The accepted differences of figures.
    ///   - isExpected: Whether a benchmark of the earlier report must be in the later one.
    init(
        before: Report,
        after: Report,
        tolerances: Tolerances = Tolerances(),
        isExpected: (_ identity: String) -> Bool = { _ in true }
    ) {
        machineDifference = Self.difference(before.machine, after.machine)
        var rows: [Row] = []
        for result in after.results {
            guard let old = before.find(result.name, result.parameters) else {
                rows.append(Self.note(result, "not in the baseline"))
                continue
            }
            if let refusal = Self.refusal(old, result) {
                rows.append(Self.note(result, refusal))
                continue
            }
            rows += Self.ratios(old, result, tolerances)
            rows += Self.counts(old, result, tolerances)
            rows += Self.times(old, result)
        }
        for old in before.results where after.find(old.name, old.parameters) == nil {
            guard isExpected(Budget.withoutLoad(old.identity)) || isExpected(old.identity) else { continue }
            rows.append(Row(identity: old.identity, figure: "all", verdict: .missing))
        }
        self.rows = rows
    }

    /// Whether a figure got worse, or a benchmark is missing.
    var isWorse: Bool { rows.contains { $0.verdict == .worse || $0.verdict == .missing } }

    /// Whether a figure got better by more than its tolerance.
    var isBetter: Bool { rows.contains { $0.verdict == .better } }

    // MARK: Figures

    private static func note(_ result: BenchmarkResult, _ why: String) -> Row {
        Row(identity: result.identity, figure: "all", verdict: .notJudged(why))
    }

    private static func refusal(_ old: BenchmarkResult, _ new: BenchmarkResult) -> String? {
        if let refusal = new.refusal { return "refused: \(refusal)" }
        return old.refusal.map { "refused in the baseline: \($0)" }
    }

    /// A ratio has changed if it differs by more than the tolerance, and the quartiles do not overlap.
    private static func ratios(_ old: BenchmarkResult, _ new: BenchmarkResult, _ tolerances: Tolerances) -> [Row] {
        let tolerance = tolerances[new.mainMetric?.name ?? .wallClock]
        return new.sortedRatios.compactMap { baseline, ratio in
            guard let before = old.ratios?[baseline] else {
                let why = Verdict.notJudged("the baseline report has no such ratio")
                return Row(identity: new.identity, figure: "x \(baseline)", now: ratio.p50, verdict: why)
            }
            let verdict: Verdict =
                if ratio.p50 > before.p50 * (1 + tolerance) && ratio.p25 > before.p75 {
                    .worse
                } else if ratio.p50 < before.p50 * (1 - tolerance) && ratio.p75 < before.p25 {
                    .better
                } else {
                    .same
                }
            return Row(
                identity: new.identity,
                figure: "x \(baseline)",
                before: before.p50,
                now: ratio.p50,
                verdict: verdict
            )
        }
    }

    /// Counts have changed if they differ by more than the tolerance and than occasional allocations of the runtime.
    private static func counts(_ old: BenchmarkResult, _ new: BenchmarkResult, _ tolerances: Tolerances) -> [Row] {
        let names: [(MetricName, String, noise: Double)] = [
            (.mallocCountTotal, "allocations", 0.01), (.mallocBytesTotal, "bytes allocated", 1),
            (.liveBytes, "bytes held", 1), (.instructions, "instructions", 2),
        ]
        return names.compactMap { name, figure, noise in
            guard let before = old.metrics[name]?.p50, let now = new.metrics[name]?.p50 else { return nil }
            let margin = before.magnitude * tolerances[name] + noise
            let verdict: Verdict = now > before + margin ? .worse : now < before - margin ? .better : .same
            return Row(identity: new.identity, figure: figure, before: before, now: now, verdict: verdict)
        }
    }

    private static func times(_ old: BenchmarkResult, _ new: BenchmarkResult) -> [Row] {
        guard let before = old.time?.p50, let now = new.time?.p50 else { return [] }
        let hasRatio = !(new.ratios ?? [:]).isEmpty
        let why = hasRatio ? "its ratios are" : "a time without a baseline"
        return [Row(identity: new.identity, figure: "ns p50", before: before, now: now, verdict: .notJudged(why))]
    }

    private static func difference(_ before: Machine, _ after: Machine) -> String? {
        let parts = [
            ("processor", before.processor, after.processor),
            ("number of cores", String(before.cores), String(after.cores)),
            ("allocator", before.allocator, after.allocator),
        ]
        let differences = parts.filter { $0.1 != $0.2 }.map { "\($0.0): \($0.1) before, \($0.2) now" }
        return differences.isEmpty ? nil : differences.joined(separator: "; ")
    }

    // MARK: Text

    var text: String {
        var table = TextTable()
        table.append(["benchmark", "figure", "before", "now", "now / before", "verdict"])
        for row in rows {
            var change = "-"
            if let before = row.before, let now = row.now, before != 0 { change = NumberText.short(now / before) }
            let numbers = [row.before, row.now].map { $0.map(NumberText.short) ?? "-" }
            table.append([row.identity, row.figure] + numbers + [change, Self.text(of: row.verdict)])
        }
        let warning = machineDifference.map { ["The machines differ: \($0)."] } ?? []
        return (warning + table.lines).joined(separator: "\n")
    }

    private static func text(of verdict: Verdict) -> String {
        switch verdict {
        case .same: ""
        case .worse: "WORSE"
        case .better: "better"
        case .missing: "MISSING"
        case .notJudged(let why): "not judged: \(why)"
        }
    }
}

/// The differences from a baseline, in percent, that a check accepts.
struct Tolerances: Sendable, Equatable {
    private var percents: [MetricName: Double] = [:]
    /// The tolerance for all metrics, if one was given without a metric.
    private var common: Double?

    /// The tolerances without `--tolerance`: 10 % of a ratio of times, 25 % of a ratio of latencies, 2 % of bytes held,
    /// 1 % of counts.
    static let defaults: [MetricName: Double] = [
        .wallClock: 10, .latency: 25, .liveBytes: 2, .liveBlocks: 2, .mallocCountTotal: 1, .mallocBytesTotal: 1,
        .instructions: 1,
    ]

    /// The tolerance of a metric, as a fraction.
    subscript(name: MetricName) -> Double {
        (percents[name] ?? common ?? Self.defaults[name] ?? 10) / 100
    }

    /// Applies the value of an option `--tolerance`: `PERCENT`, or `METRIC=PERCENT`.
    mutating func set(_ text: String) throws(ArgumentsError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let last = parts.last, let percent = Double(last), percent >= 0, percent.isFinite else {
            throw ArgumentsError("--tolerance needs PERCENT or METRIC=PERCENT, not '\(text)'.")
        }
        guard parts.count == 2 else {
            common = percent
            return
        }
        guard let name = MetricName(rawValue: String(parts[0])), Self.defaults[name] != nil else {
            let known = Self.defaults.keys.map(\.rawValue).sorted().joined(separator: ", ")
            throw ArgumentsError("A check does not judge '\(parts[0])'; it judges \(known).")
        }
        percents[name] = percent
    }
}
