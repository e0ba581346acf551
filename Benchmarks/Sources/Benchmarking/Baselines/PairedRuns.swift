import Foundation

/// Two builds, each with the reports of several runs that alternated: A B B A A B …
///
/// Run i of A and run i of B are a pair. The ratio B/A of each pair excludes most of the machine's other load, and the
/// spread of the ratios shows how reliable they are.
struct PairedRuns {
    enum Verdict: String {
        case faster, slower, same
        case fewer, more
        case notDecided = "not decided"
        case notMeasured = "not measured"
    }

    struct Row {
        let identity: String
        let figure: String
        /// The medians over the runs.
        let a: Double
        let b: Double
        /// B/A over the pairs of runs.
        let ratio: Ratio?
        let verdict: Verdict
    }

    /// The numbers of runs of each build that a comparison needs, and of pairs of runs that a row needs.
    static let fewestRuns = 5
    /// The number of rounds that a run needs for quartiles.
    private static let fewestRounds = 3

    let rows: [Row]
    /// Benchmarks of only one of the builds.
    let unpaired: [String]
    /// Whether the runs are from several machines.
    let hasSeveralMachines: Bool

    /// - Parameters:
    ///   - a: The reports of the first build, by run.
    ///   - b: The reports of the second build, of the same number.
    init(_ a: [Report], against b: [Report]) {
        var rows: [Row] = []
        var unpaired: [String] = []
        for result in a.first?.results ?? [] {
            let pairs = zip(a, b).compactMap { a, b -> (BenchmarkResult, BenchmarkResult)? in
                guard let a = a.find(result.name, result.parameters), let b = b.find(result.name, result.parameters)
                else {
                    return nil
                }
                return (a, b)
            }
            guard !pairs.isEmpty else {
                unpaired.append("\(result.identity) (only A)")
                continue
            }
            rows += Self.rows(of: pairs)
        }
        for result in b.first?.results ?? [] where a.first?.find(result.name, result.parameters) == nil {
            unpaired.append("\(result.identity) (only B)")
        }
        self.rows = rows
        self.unpaired = unpaired
        // The allocator belongs to the build, and may be the subject of the comparison.
        let machines = (a + b).map { "\($0.machine.processor), \($0.machine.cores)" }
        hasSeveralMachines = Set(machines).count > 1
    }

    /// Whether B is slower than A anywhere, or allocates or retains more.
    var isSlower: Bool { rows.contains { $0.verdict == .slower || $0.verdict == .more } }

    // MARK: Figures

    private static func rows(of pairs: [(BenchmarkResult, BenchmarkResult)]) -> [Row] {
        let identity = pairs[0].0.identity
        let measured = pairs.filter { [$0.0, $0.1].allSatisfy(isMeasured) }
        guard measured.count >= fewestRuns else {
            return [Row(identity: identity, figure: "all", a: .nan, b: .nan, ratio: nil, verdict: .notMeasured)]
        }
        let times: [(MetricName, String)] = [(.wallClock, "wallClock p50, ns"), (.latency, "latency p50, ns")]
        let counts: [(MetricName, String, noise: Double)] = [
            (.mallocCountTotal, "allocations", 0.01), (.mallocBytesTotal, "bytes allocated", 1),
            (.liveBytes, "bytes held", 1),
        ]
        return times.compactMap { name, figure in
            timeRow(identity, figure, values(of: name, measured), spreads: name == .wallClock)
        }
            + counts.compactMap { name, figure, noise in
                countRow(identity, figure, values(of: name, measured), noise: noise)
            }
    }

    private static func values(
        of name: MetricName,
        _ pairs: [(BenchmarkResult, BenchmarkResult)]
    ) -> [(Metric, Metric)] {
        pairs.compactMap { a, b in
            guard let a = a.metrics[name], let b = b.metrics[name] else { return nil }
            return (a, b)
        }
    }

    /// Whether a run has figures. A run with too few rounds, because of missing cores, has no quartiles.
    private static func isMeasured(_ result: BenchmarkResult) -> Bool {
        guard result.refusal == nil else { return false }
        return result.metrics[.wallClock].map { $0.samples >= fewestRounds } ?? true
    }

    /// Faster or slower if the quartiles of B/A lie beyond ±2.5 %, the same if they lie within ±5 %.
    ///
    /// A row whose times vary by themselves passes the first test by chance once in five comparisons. Nine pairs in ten
    /// therefore have to agree on the slower build, and the difference has to exceed half the distance of the quartiles
    /// within a run.
    private static func timeRow(
        _ identity: String,
        _ figure: String,
        _ values: [(Metric, Metric)],
        spreads hasSpreads: Bool
    ) -> Row? {
        guard !values.isEmpty else { return nil }
        let ratios = values.map { $0.1.p50 / $0.0.p50 }
        let ratio = Ratio(rounds: ratios)
        // The quartiles of latencies are those of operations, not of rounds.
        let runs: [Metric] = hasSpreads ? values.flatMap { [$0.0, $0.1] } : []
        let spreads = runs.map { log($0.p75 / $0.p25) }
        let isClear = runs.isEmpty || log(ratio.p50).magnitude > Quantiles(spreads)[0.5] / 2
        let enough = Int((0.9 * Double(ratios.count)).rounded(.up))
        let verdict: Verdict =
            if ratio.p25 > 1.025, isClear, ratios.count(where: { $0 > 1 }) >= enough {
                .slower
            } else if ratio.p75 < 1 / 1.025, isClear, ratios.count(where: { $0 < 1 }) >= enough {
                .faster
            } else if ratio.p25 >= 1 / 1.05 && ratio.p75 <= 1.05 {
                .same
            } else {
                .notDecided
            }
        let (a, b) = (Quantiles(values.map(\.0.p50))[0.5], Quantiles(values.map(\.1.p50))[0.5])
        return Row(identity: identity, figure: figure, a: a, b: b, ratio: ratio, verdict: verdict)
    }

    /// Counts are exact, except for their noise within a run and for occasional allocations of the runtime.
    private static func countRow(_ identity: String, _ figure: String, _ values: [(Metric, Metric)], noise: Double)
        -> Row?
    {
        guard !values.isEmpty else { return nil }
        let spreads = values.flatMap { [$0.0.p75 - $0.0.p25, $0.1.p75 - $0.1.p25] }
        let noise = max(noise, Quantiles(spreads)[0.5])
        let differences = Quantiles(values.map { $0.1.p50 - $0.0.p50 })
        let verdict: Verdict =
            if differences[0.25] > noise {
                .more
            } else if differences[0.75] < -noise {
                .fewer
            } else if differences[0.25] >= -noise && differences[0.75] <= noise {
                .same
            } else {
                .notDecided
            }
        let (a, b) = (Quantiles(values.map(\.0.p50))[0.5], Quantiles(values.map(\.1.p50))[0.5])
        let hasRatio = values.allSatisfy { $0.0.p50 >= noise }
        let ratio = hasRatio ? Ratio(rounds: values.map { $0.1.p50 / $0.0.p50 }) : nil
        return Row(identity: identity, figure: figure, a: max(0, a), b: max(0, b), ratio: ratio, verdict: verdict)
    }

    // MARK: Text

    var text: String {
        var table = TextTable()
        table.append(["benchmark", "figure", "A", "B", "B / A", "p25 to p75", "verdict"])
        for row in rows {
            let spread = row.ratio.map { "\(NumberText.short($0.p25)) to \(NumberText.short($0.p75))" } ?? "-"
            let numbers = [
                NumberText.short(row.a), NumberText.short(row.b), row.ratio.map { NumberText.short($0.p50) } ?? "-",
            ]
            table.append([row.identity, row.figure] + numbers + [spread, row.verdict.rawValue])
        }
        var lines = table.lines
        if !unpaired.isEmpty { lines.append("Not compared: \(unpaired.joined(separator: ", ")).") }
        if hasSeveralMachines { lines.append("The runs are of different machines, and their ratios mean nothing.") }
        let counts = Dictionary(grouping: rows, by: \.verdict.rawValue).sorted { $0.key < $1.key }
        lines.append("")
        lines.append(counts.map { "\($0.value.count) \($0.key)" }.joined(separator: ", ") + ".")
        return lines.joined(separator: "\n")
    }
}
