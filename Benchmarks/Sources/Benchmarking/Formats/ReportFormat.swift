/// A form in which results are written.
public enum ReportFormat: String, Sendable, CaseIterable {
    /// Columns for a terminal.
    case table
    /// A list of objects, the contract for programs.
    case json
    /// Tables for a README.
    case markdown
    /// The JSON form of the Java Microbenchmark Harness, which several viewers read.
    case jmh
    /// The percentile distributions that the plotter of HdrHistogram reads.
    case hdr
    /// A page with plots that needs nothing else.
    case html

    /// The report as text.
    public func text(of report: Report) throws -> String {
        switch self {
        case .table: TableFormat(report: report).text
        case .json: try JSONFormat.text(of: report.results)
        case .markdown: MarkdownFormat(report: report).text
        case .jmh: try JMHFormat.text(of: report)
        case .hdr: HDRFormat.text(of: report)
        case .html: HTMLFormat(report: report).text
        }
    }
}
