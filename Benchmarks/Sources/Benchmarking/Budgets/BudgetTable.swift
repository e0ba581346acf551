/// Limits beside what was measured.
struct BudgetTable {
    struct Row {
        let what: String
        let limit: Double
        /// nil if it could not be measured.
        let figure: Double?

        var isMet: Bool { figure.map { $0 <= limit } ?? false }
    }

    private(set) var rows: [Row]

    init(_ budgets: [Budget], in report: Report) {
        rows = budgets.map { Row(what: $0.what, limit: $0.atMost, figure: $0.figure(in: report)) }
    }

    mutating func append(_ row: Row) { rows.append(row) }

    var areAllMet: Bool { rows.allSatisfy(\.isMet) }

    var text: String {
        var table = TextTable()
        table.append(["", "at most", "measured", ""])
        for row in rows { table.append(cells(of: row, met: "", missed: "BROKEN")) }
        return table.lines.joined(separator: "\n")
    }

    /// As a table for a page.
    var markdown: String {
        let lines = rows.map { "| " + cells(of: $0, met: "yes", missed: "**no**").joined(separator: " | ") + " |" }
        return (["| goal | at most | measured | met |", "|---|---:|---:|---|"] + lines).joined(separator: "\n")
    }

    private func cells(of row: Row, met: String, missed: String) -> [String] {
        let verdict = row.figure == nil ? "not measured" : row.isMet ? met : missed
        return [row.what, NumberText.short(row.limit), row.figure.map(NumberText.short) ?? "-", verdict]
    }
}
