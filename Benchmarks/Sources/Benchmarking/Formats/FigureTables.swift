import Foundation

/// The tables of figures in Markdown pages, such as a README, that are generated from a report.
///
/// A page has a table between two comments. The first one names a table of the file of tables:
///
/// ```
/// <!-- figures: README -->
/// | … |
/// <!-- end of figures -->
/// ```
struct FigureTables: Codable, Sendable {
    /// The tables by their names.
    var tables: [String: Table]

    struct Table: Codable, Sendable {
        /// The heading of the first column.
        var title: String
        var columns: [Column]
        var rows: [Row]
    }

    /// A column. It has one of `ratioTo`, `addedTo` and `metric`.
    struct Column: Codable, Sendable {
        var title: String
        /// The baseline of the column's ratio.
        var ratioTo: String?
        /// The baseline whose time is subtracted, round by round.
        var addedTo: String?
        /// The metric of the column's median.
        var metric: MetricName?
    }

    struct Row: Codable, Sendable {
        var label: String
        /// The name of the benchmark, with its suite.
        var benchmark: String
        var parameters: Parameters?
    }

    private static let end = "<!-- end of figures -->"

    /// Returns a page with its tables generated from a report.
    ///
    /// - Throws: An error if the page has no table, an unknown one, or an unterminated one, or if a table names a
    ///   benchmark that is not in the report.
    func page(_ text: String, from report: Report, named page: String) throws(ArgumentsError) -> String {
        var updated = ""
        var rest = text[...]
        var count = 0
        while let start = rest.firstMatch(of: /<!-- figures: ([^\n>]+?) -->[^\n]*\n/) {
            let name = String(start.1)
            guard let table = tables[name] else {
                let known = tables.keys.sorted().joined(separator: ", ")
                throw ArgumentsError("'\(page)' has figures '\(name)', and there is no such table; there are \(known).")
            }
            guard let end = rest[start.range.upperBound...].firstRange(of: Self.end) else {
                throw ArgumentsError("The figures '\(name)' in '\(page)' have no '\(Self.end)'.")
            }
            updated += rest[..<start.range.upperBound] + (try Self.markdown(of: table, from: report)) + "\n"
            rest = rest[end.lowerBound...]
            count += 1
        }
        guard count > 0 else { throw ArgumentsError("'\(page)' has no '<!-- figures: NAME -->'.") }
        return updated + rest
    }

    private static func markdown(of table: Table, from report: Report) throws(ArgumentsError) -> String {
        var rows: [[String]] = []
        for row in table.rows {
            guard let result = report.find(row.benchmark, row.parameters ?? [:]) else {
                throw ArgumentsError("The report has no '\(row.benchmark) \((row.parameters ?? [:]).text)'.")
            }
            rows.append([row.label] + table.columns.map { cell($0, of: result, in: report) })
        }
        return SuiteTables.markdown(
            heads: [table.title] + table.columns.map(\.title),
            alignments: ["---"] + table.columns.map { _ in "---:" },
            rows: rows
        )
    }

    /// A cell; empty if the benchmark has no such figure.
    private static func cell(_ column: Column, of result: BenchmarkResult, in report: Report) -> String {
        guard result.refusal == nil else { return "refused" }
        if let baseline = column.ratioTo { return result.ratios?[baseline].map(SuiteTables.text(of:)) ?? "" }
        if let baseline = column.addedTo {
            guard let other = report.find("\(result.suite)/\(baseline)", result.parameters), other.refusal == nil,
                let pairs = result.pairedRounds(with: other)
            else { return "" }
            let added = Quantiles(pairs.map { $0.own - $0.other })
            let unit = TimeUnit(fitting: added[0.5])
            let sign = added[0.5] < 0 ? "" : "+"
            return
                "\(sign)\(NumberText.time(added[0.5], in: unit)) (\(NumberText.times(added[0.25], added[0.75], in: unit)))"
        }
        let name = column.metric ?? result.mainMetric?.name
        guard let name, let metric = result.metrics[name] else { return "" }
        return metric.unit == "ns" ? NumberText.time(metric.p50) : NumberText.count(metric)
    }
}
