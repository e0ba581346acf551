/// Tables for a terminal: one table for each suite, with the ratios to the baselines below each benchmark.
struct TextFormat {
    let report: Report
    var options = FormatOptions()

    private static let percentiles = ["p0", "p25", "p50", "p75", "p90", "p99", "p99.9", "p100"]

    var text: String {
        var head = [report.machine.description, report.load.description]
        if report.isPartial { head.append("The run was interrupted: the report is partial.") }
        if options.isScaled { head.append("* Figures of 1,000 operations.") }
        return ([head.joined(separator: "\n")] + report.suites.flatMap(tables(of:))).joined(separator: "\n\n") + "\n"
    }

    private func tables(of suite: String) -> [String] {
        let results = report.results.filter { $0.suite == suite }
        if options.metrics.isEmpty { return [table(of: suite, results)] }
        return options.metrics.compactMap { table(of: $0, suite, results) }
    }

    /// The table without `--metric`: the time or the bytes, with the allocations of an operation.
    private func table(of suite: String, _ results: [BenchmarkResult]) -> String {
        var table = TextTable()
        let unit = results.contains { $0.time != nil } ? timeSymbol : "bytes"
        table.append(["\(suite) (\(unit))\(mark)"] + Self.percentiles + ["samples", "allocations"])
        for result in results {
            let name = Self.name(of: result)
            if let refusal = result.refusal {
                table.append(["\(name): refused, \(refusal)"])
                continue
            }
            guard let (metricName, metric) = result.mainMetric else {
                table.append(["\(name): not measured, the allocator cannot count"])
                continue
            }
            let allocations = result.metrics[.mallocCountTotal].map(NumberText.count) ?? "-"
            table.append([name] + cells(of: metricName, metric) + [NumberText.grouped(metric.samples), allocations])
            for line in Self.ratioLines(of: result) { table.append([line]) }
        }
        return table.lines.joined(separator: "\n")
    }

    /// The table of one metric; nil if no benchmark of the suite has it.
    private func table(of name: MetricName, _ suite: String, _ results: [BenchmarkResult]) -> String? {
        let measured = results.filter { $0.metrics[name] != nil && $0.refusal == nil }
        guard let unit = measured.first?.metrics[name]?.unit else { return nil }
        var table = TextTable()
        let isTime = unit == "ns"
        table.append(
            ["\(suite), \(name.rawValue) (\(isTime ? timeSymbol : unit))\(mark)"] + Self.percentiles + ["samples"]
        )
        for result in measured {
            guard let metric = result.metrics[name] else { continue }
            table.append([Self.name(of: result)] + cells(of: name, metric) + [NumberText.grouped(metric.samples)])
        }
        return table.lines.joined(separator: "\n")
    }

    private func cells(of name: MetricName, _ metric: Metric) -> [String] {
        let divisor = metric.unit == "ns" ? (options.timeUnit ?? .nanoseconds).nanoseconds : 1
        return NumberText.percentiles(metric).map { percentile in
            percentile.value.map { NumberText.short($0 * options.scale(of: name) / divisor) } ?? "-"
        }
    }

    private var timeSymbol: String { (options.timeUnit ?? .nanoseconds).symbol }
    private var mark: String { options.isScaled ? " *" : "" }

    private static func name(of result: BenchmarkResult) -> String {
        result.parameters.isEmpty ? result.title : "\(result.title) \(result.parameters.text)"
    }

    private static func ratioLines(of result: BenchmarkResult) -> [String] {
        result.sortedRatios.map { baseline, ratio in
            let spread = "\(NumberText.short(ratio.p25)) to \(NumberText.short(ratio.p75))"
            return "    \(NumberText.short(ratio.p50)) x \(baseline) (\(spread))"
        }
    }
}

/// Cells in columns: the first one aligned left, the others right.
struct TextTable {
    private var rows: [[String]] = []

    /// Adds a row. A row with a single cell spans all columns.
    mutating func append(_ cells: [String]) { rows.append(cells) }

    /// The rows, in columns as wide as their widest cell and two spaces apart.
    var lines: [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.filter { $0.count > 1 && column < $0.count }.map { $0[column].count }.max() ?? 0
        }
        return rows.map { cells in
            guard cells.count > 1 else { return cells.first ?? "" }
            let padded = cells.enumerated().map { column, cell in
                let blanks = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + blanks : blanks + cell
            }
            return String(padded.joined(separator: "  ").reversed().drop { $0 == " " }.reversed())
        }
    }
}
