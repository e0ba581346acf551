/// A picture of a program's terminal output.
///
/// Draws the recording's escape sequences for bold and dim text and for red, green and yellow, and skips others.
struct TerminalPicture {
    /// The title of the window.
    let title: String
    private let lines: [[Cell]]

    private struct Cell {
        let character: Character
        let style: Style
    }

    /// How a character looks; the raw value is its class in the picture.
    private enum Style: String {
        case plain, bold, dim, red, green, yellow

        init(codes: Substring) {
            self = .plain
            for code in codes.split(separator: ";") {
                switch code {
                case "1": if self == .plain { self = .bold }
                case "2": self = .dim
                case "31": self = .red
                case "32": self = .green
                case "33": self = .yellow
                default: break
                }
            }
        }

        var colour: String {
            switch self {
            case .plain: "#d0d7de"
            case .bold: "#ffffff"
            case .dim: "#9aa4ae"
            case .red: "#ff8f87"
            case .green: "#56c46a"
            case .yellow: "#e3b341"
            }
        }
    }

    init(recording: String, title: String) {
        self.title = title
        var lines: [[Cell]] = [[]]
        var style = Style.plain
        var rest = recording.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\r": break
            case "\n": lines.append([])
            case "\u{1B}":
                // ESC [ parameters, and a letter for the kind.
                guard rest.first == "[" else { break }
                let parameters = rest.dropFirst().prefix { $0.properties.isAlphabetic == false }
                let letter = rest[parameters.endIndex...].first
                rest = rest[parameters.endIndex...].dropFirst()
                if letter == "m" { style = Style(codes: Substring(parameters)) }
            default: lines[lines.count - 1].append(Cell(character: Character(scalar), style: style))
            }
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        self.lines = lines
    }

    // The width of a character is that of most monospaced fonts, as a fraction of their size.
    private static let fontSize = 12.5
    private static let cellWidth = fontSize * 0.6
    private static let lineHeight = 17.0
    private static let margin = 12.0
    private static let bar = 30.0

    /// The picture as a file.
    var file: String {
        let columns = lines.map(\.count).max() ?? 0
        let width = Double(columns) * Self.cellWidth + 2 * Self.margin
        let height = Self.bar + Double(lines.count) * Self.lineHeight + 2 * Self.margin
        var shapes = [
            SVG.rectangle(0, 0, width, Self.bar, "fill=\"#30363d\""),
            SVG.text(title, width / 2, 20, anchor: "middle", "class=\"bar\""),
        ]
        for (row, line) in lines.enumerated() {
            let top = Self.bar + Self.margin + Double(row) * Self.lineHeight
            shapes += Self.runs(of: line).map { Self.shape(of: line[$0], column: $0.lowerBound, top: top) }
        }
        let styles: [Style] = [.plain, .bold, .dim, .red, .green, .yellow]
        let rules =
            styles.map { ".\($0.rawValue) { fill: \($0.colour); }" }
            + [".bold, .red { font-weight: 700; }", ".bar { fill: #d0d7de; }"]
        return SVG.file(
            SVG.picture(width: width, height: height, label: title, shapes),
            font: "font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" "
                + "font-size=\"\(NumberText.plain(Self.fontSize))\" xml:space=\"preserve\"",
            style: "<style>\(rules.joined(separator: " "))</style>",
            background: "#0d1117"
        )
    }

    /// Returns the parts of a line that are drawn as one text: of one style, and without two adjacent spaces, so that
    /// the columns of a table stay aligned in fonts of another width.
    private static func runs(of line: [Cell]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start: Int?
        for index in line.indices {
            let isBlank = line[index].character == " "
            let next = index + 1 < line.count ? line[index + 1] : nil
            if start == nil, !isBlank { start = index }
            guard let first = start else { continue }
            let isSame = next.map { $0.style == line[index].style && isBlock($0) == isBlock(line[index]) } ?? false
            let endsWithBlank = next?.character == " " && (index + 2 >= line.count || line[index + 2].character == " ")
            if !isSame || endsWithBlank {
                runs.append(first..<index + 1)
                start = nil
            }
        }
        return runs
    }

    private static func isBlock(_ cell: Cell) -> Bool { cell.character == "█" || cell.character == "░" }

    /// Blocks are drawn as rectangles, because fonts leave gaps between them.
    private static func shape(of run: ArraySlice<Cell>, column: Int, top: Double) -> String {
        guard let first = run.first else { return "" }
        let x = margin + Double(column) * cellWidth
        let width = Double(run.count) * cellWidth
        guard isBlock(first) else {
            return SVG.text(
                String(run.map(\.character)),
                x,
                top + 13,
                "class=\"\(first.style.rawValue)\" textLength=\"\(NumberText.fixed(width, decimals: 1))\" "
                    + "lengthAdjust=\"spacingAndGlyphs\""
            )
        }
        let opacity = first.character == "█" ? "1" : "0.3"
        return SVG.rectangle(
            x,
            top + 2,
            width,
            lineHeight - 5,
            "class=\"\(first.style.rawValue)\" opacity=\"\(opacity)\""
        )
    }
}
