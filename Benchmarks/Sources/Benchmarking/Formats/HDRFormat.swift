/// Percentile distributions as HdrHistogram prints them (`.hgrm`), which its plotter reads. One for each benchmark, after
/// a line that names it.
enum HDRFormat {
    static func text(of report: Report) -> String {
        report.results.compactMap { result in
            result.histogram.map { "# \(result.identity)\n" + text(of: $0) }
        }
        .joined(separator: "\n")
    }

    /// A distribution of picoseconds, printed in nanoseconds.
    static func text(of histogram: Histogram) -> String {
        var lines = [line("Value", "Percentile", "TotalCount", "1/(1-Percentile)"), ""]
        for (value, count) in histogram.cumulativeCounts {
            let fraction = Double(count) / Double(histogram.count)
            lines.append(
                line(
                    NumberText.fixed(Double(value) / 1_000, decimals: 3),
                    NumberText.fixed(fraction, decimals: 12),
                    String(count),
                    // The last line has none, as HdrHistogram's have.
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
