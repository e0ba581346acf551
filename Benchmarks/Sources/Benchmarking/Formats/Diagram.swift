import Foundation

/// A drawing of boxes, arrows and texts whose places are given in a file.
struct Diagram: Codable, Sendable {
    /// A description of the drawing, for screen readers.
    var title: String
    var width: Double
    var height: Double
    var boxes: [Box]
    var arrows: [Arrow]
    var texts: [Text]?

    /// A rectangle with a title and lines of text in its middle, or, if it is a group, with the title at its top.
    struct Box: Codable, Sendable {
        var x: Double
        var y: Double
        var width: Double
        var height: Double
        var title: String?
        var lines: [String]?
        var colour: Colour?
        var isGroup: Bool?
    }

    /// A line through points, with a head at its end.
    struct Arrow: Codable, Sendable {
        /// The points, each as its x and its y.
        var points: [[Double]]
        var isDashed: Bool?
    }

    /// A line of text by itself.
    struct Text: Codable, Sendable {
        var text: String
        var x: Double
        var y: Double
        /// `start`, `middle` or `end`; the middle by default.
        var anchor: String?
        var isTitle: Bool?
    }

    /// The colours of boxes, light enough for black text.
    enum Colour: String, Codable, Sendable {
        case grey, blue, orange, green

        var fill: String {
            switch self {
            case .grey: "#f2f4f6"
            case .blue: "#dcecf7"
            case .orange: "#fdebd7"
            case .green: "#dcf2ea"
            }
        }

        var stroke: String {
            switch self {
            case .grey: "#6e7781"
            case .blue: "#0072B2"
            case .orange: "#C25700"
            case .green: "#00805D"
            }
        }
    }

    private static let titleSize = 15.0
    private static let textSize = 13.0
    private static let lineHeight = 17.0

    /// The drawing as a file.
    ///
    /// - Throws: An error if a text does not fit into its box or the drawing, in the widest of the common fonts.
    var file: String {
        get throws(ArgumentsError) {
            for box in boxes { try check(box) }
            for text in texts ?? [] { try check(text) }
            let shapes =
                boxes.flatMap(Self.shapes(of:)) + arrows.map(Self.shape(of:)) + (texts ?? []).map(Self.shape(of:))
            return SVG.file(
                SVG.picture(width: width, height: height, label: title, [Self.head] + shapes),
                SVG.TextSizes(title: Self.titleSize, text: Self.textSize, tick: Self.textSize)
            )
        }
    }

    /// The head of an arrow.
    private static let head = """
        <defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" \
        markerUnits="userSpaceOnUse" orient="auto"><path d="M 0 0.5 L 10 5 L 0 9.5 z" fill="#333"/></marker></defs>
        """

    // MARK: Shapes

    private static func shapes(of box: Box) -> [String] {
        let colour = box.colour ?? .grey
        let isGroup = box.isGroup == true
        let middle = box.x + box.width / 2
        let lines = box.lines ?? []
        var shapes = [
            SVG.rectangle(
                box.x,
                box.y,
                box.width,
                box.height,
                "rx=\"7\" fill=\"\(isGroup ? "#fff" : colour.fill)\" stroke=\"\(colour.stroke)\" stroke-width=\"1.5\""
            )
        ]
        let count = Double(lines.count + (box.title == nil ? 0 : 1))
        // The base of the first line of text.
        var y = isGroup ? box.y + 21 : box.y + (box.height - count * lineHeight) / 2 + 13
        if let title = box.title {
            shapes.append(SVG.text(title, middle, y, anchor: "middle", "class=\"title\""))
            y += lineHeight
        }
        for line in lines {
            shapes.append(SVG.text(line, middle, y, anchor: "middle"))
            y += lineHeight
        }
        return shapes
    }

    private static func shape(of arrow: Arrow) -> String {
        let points = arrow.points.compactMap { $0.count == 2 ? (x: $0[0], y: $0[1]) : nil }
        let dashes = arrow.isDashed == true ? " stroke-dasharray=\"6 4\"" : ""
        return "<polyline points=\"\(SVG.list(points))\" fill=\"none\" stroke=\"#333\" stroke-width=\"1.6\"\(dashes) "
            + "stroke-linejoin=\"round\" marker-end=\"url(#head)\"/>"
    }

    private static func shape(of text: Text) -> String {
        let style = text.isTitle == true ? "class=\"title\"" : "class=\"tick\""
        return SVG.text(text.text, text.x, text.y, anchor: text.anchor ?? "middle", style)
    }

    // MARK: Room

    private func check(_ box: Box) throws(ArgumentsError) {
        let texts = [(box.title ?? "", true)] + (box.lines ?? []).map { ($0, false) }
        for (text, isTitle) in texts where Self.width(of: text, isTitle: isTitle) > box.width - 8 {
            throw ArgumentsError("'\(text)' is too long for its box in '\(title)'.")
        }
        guard box.x >= 0, box.y >= 0, box.x + box.width <= width, box.y + box.height <= height else {
            throw ArgumentsError("The box '\(box.title ?? "")' is not within '\(title)'.")
        }
    }

    private func check(_ text: Text) throws(ArgumentsError) {
        let length = Self.width(of: text.text, isTitle: text.isTitle == true)
        let before: Double
        switch text.anchor ?? "middle" {
        case "start": before = 0
        case "middle": before = length / 2
        case "end": before = length
        case let anchor: throw ArgumentsError("'\(anchor)' is no anchor of a text; there are start, middle and end.")
        }
        guard text.x >= before, text.x - before + length <= width, text.y >= 0, text.y <= height else {
            throw ArgumentsError("'\(text.text)' is not within '\(title)'.")
        }
    }

    /// The width of a text in DejaVu Sans, which is wider than the fonts of most systems.
    private static func width(of text: String, isTitle: Bool) -> Double {
        Double(text.count) * (isTitle ? titleSize * 0.66 : textSize * 0.58)
    }
}
