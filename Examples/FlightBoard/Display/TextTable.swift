/// Rows of text in aligned columns: the first one left, the others right.
struct TextTable {
    private var rows: [[String]]
    private let gap: String

    /// A table with that number of spaces between its columns.
    init(header: [String], spacing: Int = 3) {
        gap = String(repeating: " ", count: spacing)
        rows = [header]
    }

    /// Adds a row with as many cells as the header.
    mutating func append(_ row: [String]) {
        rows.append(row)
    }

    /// The header and the rows, each column as wide as its widest cell.
    var lines: [String] {
        var widths: [Int] = []
        for row in rows {
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], cell.count)
            }
        }
        return rows.map { row in
            row.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + padding : padding + cell
            }
            .joined(separator: gap)
        }
    }
}
