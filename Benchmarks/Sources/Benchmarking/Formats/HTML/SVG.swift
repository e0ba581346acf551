/// The few shapes that plots are made of.
enum SVG {
    /// Colours that remain distinct to those who see fewer (Okabe and Ito, 2008).
    static let colours = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D31", "#7F7F7F"]

    static func colour(_ index: Int) -> String { colours[index % colours.count] }

    static func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ style: String) -> String {
        "<line x1=\"\(n(x1))\" y1=\"\(n(y1))\" x2=\"\(n(x2))\" y2=\"\(n(y2))\" \(style)/>"
    }

    static func text(_ text: String, _ x: Double, _ y: Double, anchor: String = "start", _ style: String = "") -> String
    {
        "<text x=\"\(n(x))\" y=\"\(n(y))\" text-anchor=\"\(anchor)\" \(style)>\(escaped(text))</text>"
    }

    static func rectangle(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ style: String) -> String {
        "<rect x=\"\(n(x))\" y=\"\(n(y))\" width=\"\(n(width))\" height=\"\(n(height))\" \(style)/>"
    }

    /// A path through points, with a dot at each, and a text that a pointer brings up.
    static func path(_ points: [(x: Double, y: Double)], colour: String, hint: String) -> String {
        let list = points.map { "\(n($0.x)),\(n($0.y))" }.joined(separator: " ")
        let dots = points.map { "<circle cx=\"\(n($0.x))\" cy=\"\(n($0.y))\" r=\"2.5\" fill=\"\(colour)\"/>" }.joined()
        return "<g><title>\(escaped(hint))</title>"
            + "<polyline points=\"\(list)\" fill=\"none\" stroke=\"\(colour)\" stroke-width=\"1.8\"/>\(dots)</g>"
    }

    static func picture(width: Double, height: Double, label: String, _ shapes: [String]) -> String {
        "<svg viewBox=\"0 0 \(n(width)) \(n(height))\" width=\"\(n(width))\" height=\"\(n(height))\" role=\"img\" "
            + "aria-label=\"\(escaped(label))\">\n" + shapes.joined(separator: "\n") + "\n</svg>"
    }

    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }

    private static func n(_ value: Double) -> String { NumberText.fixed(value, decimals: 1) }
}
