/// Cells in columns: the first one to the left, the others to the right.
struct TextTable {
    private var rows: [[String]] = []

    /// Adds a row. A row of one cell stands across all columns.
    mutating func append(_ cells: [String]) { rows.append(cells) }

    /// Columns as wide as their widest cell, two blanks apart.
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
