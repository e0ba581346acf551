/// Columns for a terminal: a table for each suite, and under each benchmark its ratios to its baselines.
struct TableFormat {
    let report: Report

    var text: String {
        (["\(report.machine.description)"] + report.suites.map(table(of:))).joined(separator: "\n\n")
    }

    private func table(of suite: String) -> String {
        let results = report.results.filter { $0.suite == suite }
        var table = TextTable()
        let unit = results.contains { $0.time != nil } ? "ns" : "bytes"
        table.append(
            ["\(suite) (\(unit))", "p0", "p25", "p50", "p75", "p90", "p99", "p99.9", "p100", "samples", "allocations"]
        )
        for result in results {
            guard let metric = result.time ?? result.metrics[.liveBytes] else {
                table.append(["\(result.title) \(result.parameters.text): not measured, the allocator cannot count"])
                continue
            }
            let name = "\(result.title) \(result.parameters.text)"
            let allocations = result.metrics[.mallocCountTotal].map { NumberText.short($0.p50) } ?? "-"
            let values = metric.percentiles.map { NumberText.short($0.value) }
            table.append([name] + values + [NumberText.grouped(metric.samples), allocations])
            for line in ratioLines(of: result) { table.append([line]) }
        }
        return table.lines.joined(separator: "\n")
    }

    private func ratioLines(of result: BenchmarkResult) -> [String] {
        (result.ratios ?? [:]).sorted { $0.key < $1.key }.map { baseline, ratio in
            let spread = "\(NumberText.short(ratio.p25)) to \(NumberText.short(ratio.p75))"
            return "    \(NumberText.short(ratio.p50)) x \(baseline) (\(spread))"
        }
    }
}
