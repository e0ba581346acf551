/// Whole distributions of the times of each benchmark.
///
/// The JSON of a report has no histogram, so a report read from a file has only the percentiles of its metrics and the
/// times of its samples.
enum HistogramFormat {
    /// A table of percentiles of each benchmark, for a terminal.
    static func table(of report: Report) -> String {
        report.results.compactMap { result -> String? in
            guard result.refusal == nil, let (name, metric) = result.mainMetric else { return nil }
            var table = TextTable()
            table.append([result.identity])
            table.append(["percentile", "\(name.rawValue) (\(metric.unit))", "of the largest"])
            for case (let percentile, let value?) in NumberText.percentiles(metric) {
                let width = metric.p100 > 0 ? Int((20 * value / metric.p100).rounded()) : 0
                let bar = String(repeating: "#", count: max(0, min(width, 20)))
                table.append([percentile, NumberText.short(value), bar.padding(to: 20)])
            }
            table.append(["\(NumberText.grouped(metric.samples)) samples"])
            return table.lines.joined(separator: "\n")
        }
        .joined(separator: "\n\n") + "\n"
    }

    /// The nanoseconds per operation of each sample, one per line after a line with the name.
    static func samples(of report: Report) -> String {
        report.results.filter { !$0.rounds.isEmpty && $0.refusal == nil }.map { result in
            (["# \(result.identity) (ns)"] + result.rounds.map { String($0) }).joined(separator: "\n")
        }
        .joined(separator: "\n\n") + "\n"
    }

    /// Percentile distributions as HdrHistogram prints them (`.hgrm`), each after a line with the name.
    static func percentiles(of report: Report) -> String {
        report.results.compactMap { result in
            guard result.refusal == nil, let histogram = result.histogram else { return nil }
            return "# \(result.identity)\n" + percentiles(of: histogram)
        }
        .joined(separator: "\n")
    }

    /// A distribution of picoseconds, printed in nanoseconds.
    private static func percentiles(of histogram: Histogram) -> String {
        var lines = [line("Value", "Percentile", "TotalCount", "1/(1-Percentile)"), ""]
        for (value, count) in histogram.cumulativeCounts {
            let fraction = Double(count) / Double(histogram.count)
            lines.append(
                line(
                    NumberText.fixed(Double(value) / 1_000, decimals: 3),
                    NumberText.fixed(fraction, decimals: 12),
                    String(count),
                    // HdrHistogram leaves the cell of the last line empty as well.
                    fraction < 1 ? NumberText.fixed(1 / (1 - fraction), decimals: 2) : ""
                )
            )
        }
        let values: [(String, Double)] = [
            ("Mean", histogram.mean / 1_000), ("StdDeviation", histogram.standardDeviation / 1_000),
            ("Max", Double(histogram.maximum) / 1_000), ("Total count", Double(histogram.count)),
        ]
        let facts = values.map { "\($0.0) = \(NumberText.fixed($0.1, decimals: 3))" }
        lines.append("#[\(facts[0]), \(facts[1])]")
        lines.append("#[\(facts[2]), \(facts[3])]")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func line(_ value: String, _ percentile: String, _ count: String, _ inverse: String) -> String {
        let cells = zip([value, percentile, count, inverse], [12, 15, 11, 17]).map { cell, width in
            String(repeating: " ", count: max(1, width - cell.count)) + cell
        }
        return cells.joined()
    }
}

extension String {
    /// The text padded with spaces.
    fileprivate func padding(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
