/// What has changed between two reports.
struct BaselineComparison {
    /// One figure, then and now.
    struct Row {
        let identity: String
        let figure: String
        let before: Double
        let after: Double
        /// Whether it is worse than the tolerance allows.
        let isWorse: Bool
    }

    let rows: [Row]

    /// - Parameter tolerance: by how many percent a ratio may grow.
    init(before: Report, after: Report, tolerance: Double) {
        var rows: [Row] = []
        for result in after.results {
            guard let old = before.result(result.name, result.parameters) else { continue }
            rows += Self.ratios(old, result, tolerance: tolerance)
            rows += Self.counts(old, result)
            // Times of two runs say little on a machine that does other things, so they are shown, and never judged.
            if let before = old.time?.p50, let after = result.time?.p50 {
                rows.append(
                    Row(identity: result.identity, figure: "ns p50", before: before, after: after, isWorse: false)
                )
            }
        }
        self.rows = rows
    }

    /// A ratio is worse if it has grown by more than is tolerated, and the quartiles do not even overlap.
    private static func ratios(_ old: BenchmarkResult, _ new: BenchmarkResult, tolerance: Double) -> [Row] {
        (new.ratios ?? [:]).sorted { $0.key < $1.key }.compactMap { baseline, ratio in
            guard let before = old.ratios?[baseline] else { return nil }
            let isWorse = ratio.p50 > before.p50 * (1 + tolerance / 100) && ratio.p25 > before.p75
            let figure = "x \(baseline)"
            return Row(identity: new.identity, figure: figure, before: before.p50, after: ratio.p50, isWorse: isWorse)
        }
    }

    /// Counts are exact, but for caches that grow now and then.
    private static func counts(_ old: BenchmarkResult, _ new: BenchmarkResult) -> [Row] {
        let names: [(MetricName, String, Double)] = [
            (.mallocCountTotal, "allocations", 0.01), (.liveBytes, "bytes held", 1),
        ]
        return names.compactMap { name, figure, slack in
            guard let before = old.metrics[name]?.p50, let after = new.metrics[name]?.p50 else { return nil }
            let isWorse = after > before * 1.01 + slack
            return Row(identity: new.identity, figure: figure, before: before, after: after, isWorse: isWorse)
        }
    }

    var text: String {
        var table = TextTable()
        table.append(["benchmark", "figure", "before", "now", "now / before", ""])
        for row in rows {
            let change = row.before == 0 ? "-" : NumberText.short(row.after / row.before)
            let verdict = row.isWorse ? "WORSE" : ""
            let cells = [NumberText.short(row.before), NumberText.short(row.after), change, verdict]
            table.append([row.identity, row.figure] + cells)
        }
        return table.lines.joined(separator: "\n")
    }
}
