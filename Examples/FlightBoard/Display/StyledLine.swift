/// A line of text in parts with a style each.
///
/// Lines are cut to the terminal's width by characters, before styles add invisible bytes.
struct StyledLine: Sendable {
    /// The style of a part; the raw value selects it in the terminal's language.
    enum Style: String, Sendable {
        case plain = "0"
        case bold = "1"
        case dim = "2"
        case red = "1;31"
        case green = "32"
        case yellow = "33"
    }

    private var parts: [(text: String, style: Style)] = []

    init() {}

    init(_ text: String, _ style: Style = .plain) {
        parts = [(text, style)]
    }

    /// Adds a part at the end.
    mutating func append(_ text: String, _ style: Style = .plain) {
        parts.append((text, style))
    }

    /// The line without styles.
    var text: String { parts.map(\.text).joined() }

    /// The output for a terminal of that number of columns.
    func rendered(columns: Int, usesColour: Bool) -> String {
        var room = columns
        var result = ""
        for part in parts where room > 0 {
            let text = part.text.prefix(room)
            room -= text.count
            if usesColour, part.style != .plain {
                result += "\u{1B}[\(part.style.rawValue)m\(text)\u{1B}[0m"
            } else {
                result += text
            }
        }
        return result
    }
}
