/// A page with every suite's figures as plots and tables, which needs no network.
struct HTMLFormat {
    let report: Report

    var text: String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>Benchmarks</title>
        <style>\(style)</style>
        </head>
        <body>
        <h1>Benchmarks</h1>
        <p>\(SVG.escaped("Measured \(report.date) on \(report.machine.description). \(report.load.description)."))</p>
        <p>Bars are medians, their whiskers quartiles. A benchmark and its baselines ran interleaved in one process;
        ratios are of the same round. Absolute figures depend on the machine: compare ratios.</p>
        <nav>\(report.suites.map { "<a href=\"#\(anchor($0))\">\(SVG.escaped($0))</a>" }.joined(separator: " · "))</nav>
        \(report.suites.map(section(of:)).joined(separator: "\n"))
        </body>
        </html>

        """
    }

    private let style = """
        :root { color-scheme: light dark; }
        body { font: 15px/1.45 system-ui, sans-serif; max-width: 1080px; margin: 2rem auto; padding: 0 1rem; }
        svg { display: block; margin: 1.2rem 0; max-width: 100%; height: auto; font: 12px system-ui, sans-serif; }
        svg text { fill: currentColor; } svg .title { font-size: 14px; font-weight: 600; }
        svg .tick { font-size: 11px; opacity: .75; } svg .value { font-variant-numeric: tabular-nums; }
        svg .grid { stroke: currentColor; opacity: .15; } svg .whisker { stroke: currentColor; stroke-width: 1.4; }
        table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
        .wide { overflow-x: auto; }
        th, td { padding: .2rem .6rem; text-align: right; border-bottom: 1px solid #8884; white-space: nowrap; }
        th:first-child, td:first-child { text-align: left; }
        """

    private func anchor(_ suite: String) -> String { suite.replacing(" ", with: "-") }

    private func section(of suite: String) -> String {
        let results = report.results.filter { $0.suite == suite }
        return """
            <h2 id="\(anchor(suite))">\(SVG.escaped(suite))</h2>
            \(Plots(results: results).all.joined(separator: "\n"))
            <details><summary>All figures of this suite</summary><div class="wide">
            \(table(of: results))
            </div></details>
            \(refusals(of: results))
            """
    }

    private func refusals(of results: [BenchmarkResult]) -> String {
        results.compactMap { result in
            result.refusal.map { "<p>\(SVG.escaped("\(result.title) \(result.parameters.text): refused, \($0)"))</p>" }
        }
        .joined(separator: "\n")
    }

    private func table(of results: [BenchmarkResult]) -> String {
        let metrics = results.filter { $0.refusal == nil }.flatMap { result in
            result.metrics.sorted { $0.key.rawValue < $1.key.rawValue }.map { (result, $0.key, $0.value) }
        }
        let heads = [
            "benchmark", "metric", "unit", "p0", "p25", "p50", "p75", "p90", "p99", "p99.9", "p100", "samples",
        ]
        let rows = metrics.map { result, name, metric in
            [result.title + " " + result.parameters.text, name.rawValue, metric.unit]
                + NumberText.percentiles(metric).map { $0.value.map(NumberText.short) ?? "" } + [
                    NumberText.grouped(metric.samples)
                ]
        }
        let head = heads.map { "<th>\($0)</th>" }.joined()
        let body = rows.map { row in "<tr>" + row.map { "<td>\(SVG.escaped($0))</td>" }.joined() + "</tr>" }
        return "<table><thead><tr>\(head)</tr></thead><tbody>\(body.joined(separator: "\n"))</tbody></table>"
    }
}
