/// Rows of text in aligned columns: the first one left, the others right.
struct TextTable {
    private var rows: [[String]]

    init(header: [String]) { rows = [header] }

    mutating func append(_ row: [String]) { rows.append(row) }

    /// The header and the rows, each column as wide as its widest cell.
    var lines: [String] {
        let widths = rows.reduce(into: [Int]()) { widths, row in
            widths = row.indices.map { max(widths.indices.contains($0) ? widths[$0] : 0, row[$0].count) }
        }
        return rows.map { row in
            row.indices.map { column in
                let padding = String(repeating: " ", count: widths[column] - row[column].count)
                return column == 0 ? row[column] + padding : padding + row[column]
            }
            .joined(separator: "   ")
        }
    }
}
