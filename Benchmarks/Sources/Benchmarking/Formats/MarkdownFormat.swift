/// Tables for a README: a table for each suite.
struct MarkdownFormat {
    let report: Report

    var text: String {
        let head = "Measured \(report.date.prefix(10)) on \(report.machine.description)."
        return ([head] + report.suites.map(section(of:))).joined(separator: "\n\n") + "\n"
    }

    private func section(of suite: String) -> String {
        let results = report.results.filter { $0.suite == suite }
        let unit = results.contains { $0.time != nil } ? "ns" : "bytes"
        var lines = [
            "## \(suite)", "",
            "| benchmark | parameters | \(unit) p50 | p25 to p75 | p99 | allocations | times baseline, p50 (p25 to p75) |",
            "|---|---|---:|---:|---:|---:|---|",
        ]
        for result in results {
            lines.append(row(of: result))
        }
        return lines.joined(separator: "\n")
    }

    private func row(of result: BenchmarkResult) -> String {
        var cells = [result.title, result.parameters.text]
        if let metric = result.time ?? result.metrics[.liveBytes] {
            cells.append(NumberText.short(metric.p50))
            cells.append("\(NumberText.short(metric.p25)) to \(NumberText.short(metric.p75))")
            cells.append(NumberText.short(metric.p99))
        } else {
            cells += ["-", "-", "-"]
        }
        cells.append(result.metrics[.mallocCountTotal].map { NumberText.short($0.p50) } ?? "-")
        cells.append(ratios(of: result))
        return "| " + cells.joined(separator: " | ") + " |"
    }

    private func ratios(of result: BenchmarkResult) -> String {
        (result.ratios ?? [:]).sorted { $0.key < $1.key }
            .map { baseline, ratio in
                let spread = "\(NumberText.short(ratio.p25)) to \(NumberText.short(ratio.p75))"
                return "\(NumberText.short(ratio.p50)) x \(baseline) (\(spread))"
            }
            .joined(separator: "; ")
    }
}
