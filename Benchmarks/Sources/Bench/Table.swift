/// A comparison as text.
struct Table: CustomStringConvertible {
    let comparison: Comparison

    var description: String {
        var lines = ["", comparison.title]
        lines.append(line(["", "ns p25", "p50", "p75", "subject / it", "p25", "p75"]))
        for (index, row) in comparison.rows.enumerated() {
            var cells = [row.name] + [0.25, 0.5, 0.75].map { number(row.samples.quantile($0), digits: 1) }
            if index > 0 {
                let ratios = comparison.ratios(toBaselineAt: index)
                cells += [0.5, 0.25, 0.75].map { number(ratios.quantile($0), digits: 3) }
            }
            lines.append(line(cells))
        }
        return lines.joined(separator: "\n")
    }

    private func line(_ cells: [String]) -> String {
        let widths = [24, 10, 10, 10, 14, 10, 10]
        return zip(cells, widths).enumerated()
            .map { index, cell in index == 0 ? padded(cell.0, cell.1, left: true) : padded(cell.0, cell.1, left: false)
            }
            .joined()
    }

    private func padded(_ text: String, _ width: Int, left: Bool) -> String {
        let padding = String(repeating: " ", count: max(0, width - text.count))
        return left ? text + padding : padding + text
    }

    /// A number with a fixed count of digits after the point.
    private func number(_ value: Double, digits: Int) -> String {
        guard value.isFinite else { return "-" }
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let scaled = Int((value * scale).rounded())
        let fraction = String(scaled % Int(scale))
        return "\(scaled / Int(scale))." + String(repeating: "0", count: digits - fraction.count) + fraction
    }
}
