import Foundation

/// Adjacent bars with their quartiles: a benchmark and its baselines.
struct BarPlot {
    struct Bar {
        let name: String
        let metric: Metric
        /// The comparison, in words.
        let note: String
    }

    let title: String
    let unit: String
    let bars: [Bar]

    /// A value with its unit if it is a time.
    private func text(_ value: Double, isPlain: Bool) -> String {
        if unit == "ns" { return isPlain ? NumberText.plainTime(value) : NumberText.time(value) }
        return isPlain ? NumberText.plain(value) : NumberText.short(value)
    }

    var svg: String {
        let left = 270.0
        let right = 230.0
        let width = 1_020.0
        let row = 24.0
        let top = 34.0
        let height = top + Double(bars.count) * row + 30
        let axis = Axis(linearOrLogarithmic: bars.flatMap { [$0.metric.p25, $0.metric.p50, $0.metric.p75] })
        let span = width - left - right
        let x = { left + axis.place(of: $0) * span }
        var shapes = [SVG.text(title, 8, 16, anchor: "start", "class=\"title\"")]
        for tick in axis.ticks {
            shapes.append(SVG.line(x(tick), top - 6, x(tick), height - 24, "class=\"grid\""))
            shapes.append(SVG.text(text(tick, isPlain: true), x(tick), height - 10, anchor: "middle", "class=\"tick\""))
        }
        let scale = axis.isLogarithmic ? "logarithmic" : unit == "ns" ? "" : unit
        shapes.append(SVG.text(scale, width - 8, height - 10, anchor: "end", "class=\"tick\""))
        for (index, bar) in bars.enumerated() {
            let y = top + Double(index) * row
            let middle = y + row / 2 - 2
            shapes.append(SVG.text(SVG.shortened(bar.name, to: 38), left - 8, middle + 4, anchor: "end"))
            let colour = SVG.colour(index == 0 ? 0 : 7)
            shapes.append(
                SVG.rectangle(left, y, max(1, x(bar.metric.p50) - left), row - 6, "fill=\"\(colour)\" opacity=\"0.75\"")
            )
            shapes.append(SVG.line(x(bar.metric.p25), middle, x(bar.metric.p75), middle, "class=\"whisker\""))
            for end in [bar.metric.p25, bar.metric.p75] {
                shapes.append(SVG.line(x(end), middle - 4, x(end), middle + 4, "class=\"whisker\""))
            }
            let value = text(bar.metric.p50, isPlain: false) + bar.note
            shapes.append(SVG.text(value, width - right + 12, middle + 4, anchor: "start", "class=\"value\""))
        }
        return SVG.picture(width: width, height: height, label: title, shapes)
    }
}

/// Lines over a numeric axis.
struct LinePlot {
    struct Line {
        let name: String
        let points: [(x: Double, y: Double)]
        /// Whether the line is drawn thicker than others.
        var isEmphasized = false
    }

    let title: String
    let xLabel: String
    let yLabel: String
    let lines: [Line]
    let xAxis: Axis
    let yAxis: Axis
    /// The label at a position of the horizontal axis if it is not the number; also determines where labels are.
    var xTicks: [(place: Double, text: String)]?
    /// Returns the label at a position of the vertical axis.
    var yText: (Double) -> String = { NumberText.plainTime($0) }
    /// A line of text below the plot.
    var note: String?
    /// The size of the picture, with the column of names at its right.
    var width = 980.0
    var nameColumn = 320.0
    var lowestPlotHeight = 220.0
    /// Whether names stand beside the ends of their lines, instead of below each other from the top.
    var placesNamesAtEnds = false

    var svg: String {
        let left = 80.0
        let right = nameColumn
        let top = 46.0
        let plotHeight = max(lowestPlotHeight, Double(lines.count) * Self.row)
        let height = top + plotHeight + (note == nil ? 44 : 66)
        let bottom = top + plotHeight
        let x = { left + xAxis.place(of: $0) * (width - left - right) }
        let y = { bottom - yAxis.place(of: $0) * plotHeight }
        var shapes = [SVG.text(title, 8, 16, anchor: "start", "class=\"title\"")]
        for tick in yAxis.ticks {
            shapes.append(SVG.line(left, y(tick), width - right, y(tick), "class=\"grid\""))
            shapes.append(SVG.text(yText(tick), left - 6, y(tick) + 4, anchor: "end", "class=\"tick\""))
        }
        for tick in xTicks ?? xAxis.ticks.map({ ($0, NumberText.plain($0)) }) {
            shapes.append(SVG.line(x(tick.place), top, x(tick.place), bottom, "class=\"grid\""))
            shapes.append(SVG.text(tick.text, x(tick.place), bottom + 16, anchor: "middle", "class=\"tick\""))
        }
        shapes.append(SVG.text(xLabel, (left + width - right) / 2, bottom + 34, anchor: "middle", "class=\"tick\""))
        shapes.append(SVG.text(yLabel, left, top - 6, anchor: "start", "class=\"tick\""))
        if let note { shapes.append(SVG.text(note, 8, height - 10, "class=\"tick\"")) }
        for (index, line) in lines.enumerated() {
            let colour = SVG.colour(index)
            let points = line.points.map { (x($0.x), y($0.y)) }
            let thickness = line.isEmphasized ? 3.2 : 1.8
            shapes.append(
                SVG.path(points, style: SVG.stroke(index), colour: colour, hint: line.name, thickness: thickness)
            )
        }
        // The legend has the order of the lines' ends, so that it is easy to match.
        let legend = lines.enumerated().sorted { ($0.element.points.last?.y ?? 0) > ($1.element.points.last?.y ?? 0) }
        let ends = placesNamesAtEnds ? legend.map { y($0.element.points.last?.y ?? 0) + 4 } : []
        for (row, line) in legend.enumerated() {
            let place = placesNamesAtEnds ? Self.spread(ends, to: bottom)[row] : top + 10 + Double(row) * Self.row
            shapes.append(
                SVG.line(
                    width - right + 14,
                    place - 4,
                    width - right + 32,
                    place - 4,
                    "\(SVG.stroke(line.offset)) stroke-width=\"\(line.element.isEmphasized ? 5 : 3)\""
                )
            )
            shapes.append(SVG.text(SVG.shortened(line.element.name, to: 48), width - right + 38, place))
        }
        return SVG.picture(width: width, height: height, label: title, shapes)
    }

    /// The height of a row of names.
    private static let row = 17.0

    /// Returns places from top to bottom, moved apart so that a row fits between them, and none of them below `bottom`.
    static func spread(_ places: [Double], to bottom: Double) -> [Double] {
        var spread = places
        for index in spread.indices.dropFirst() { spread[index] = max(spread[index], spread[index - 1] + row) }
        var limit = bottom
        for index in spread.indices.reversed() {
            spread[index] = min(spread[index], limit)
            limit = spread[index] - row
        }
        return spread
    }
}

/// The position of a value on an axis, and the labelled values.
struct Axis {
    let isLogarithmic: Bool
    let lower: Double
    let upper: Double

    /// An axis for all values. It begins at zero if the values are close together, and otherwise is logarithmic.
    init(linearOrLogarithmic values: [Double]) {
        let positive = values.filter { $0 > 0 && $0.isFinite }
        let spread = (positive.max() ?? 1) / (positive.min() ?? 1)
        if spread > 30 {
            self.init(logarithmic: values)
        } else {
            self.init(isLogarithmic: false, lower: 0, upper: max((positive.max() ?? 1) * 1.05, .leastNormalMagnitude))
        }
    }

    /// A logarithmic axis that begins and ends at half a step beside the values.
    init(logarithmic values: [Double]) {
        let positive = values.filter { $0 > 0 && $0.isFinite }
        self.init(isLogarithmic: true, lower: (positive.min() ?? 1) / 1.3, upper: (positive.max() ?? 10) * 1.3)
    }

    private init(isLogarithmic: Bool, lower: Double, upper: Double) {
        self.isLogarithmic = isLogarithmic
        self.lower = lower
        self.upper = upper
    }

    /// From 0 at the lower end to 1 at the upper one.
    func place(of value: Double) -> Double {
        guard isLogarithmic else { return (value - lower) / (upper - lower) }
        return (log(max(value, lower)) - log(lower)) / (log(upper) - log(lower))
    }

    /// Round values in the range: on a logarithmic axis powers of ten, and 2 and 5 times these if there are few.
    var ticks: [Double] {
        guard isLogarithmic else {
            let rough = upper / 5
            let power = pow(10, floor(log10(rough)))
            let step = [1, 2, 5, 10].map { $0 * power }.first { $0 >= rough } ?? rough
            return stride(from: 0, through: upper, by: step).map { $0 }
        }
        let powers = Int(floor(log10(lower)))...Int(ceil(log10(upper)))
        let coarse = powers.map { pow(10, Double($0)) }.filter { $0 >= lower && $0 <= upper }
        guard coarse.count < 3 else { return coarse }
        return powers.flatMap { power in [1, 2, 5].map { $0 * pow(10, Double(power)) } }
            .filter { $0 >= lower && $0 <= upper }
    }
}

/// The shapes of plots.
enum SVG {
    /// Colours that remain distinct for readers with a colour vision deficiency (Okabe and Ito, 2008).
    static let colours = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D31", "#7F7F7F"]

    static func colour(_ index: Int) -> String { colours[index % colours.count] }

    /// The stroke of a line; dashed if an earlier line has the colour.
    static func stroke(_ index: Int) -> String {
        let dash = index < colours.count ? "" : " stroke-dasharray=\"6 3\""
        return "stroke=\"\(colour(index))\"\(dash)"
    }

    static func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ style: String) -> String {
        "<line x1=\"\(n(x1))\" y1=\"\(n(y1))\" x2=\"\(n(x2))\" y2=\"\(n(y2))\" \(style)/>"
    }

    static func text(_ text: String, _ x: Double, _ y: Double, anchor: String = "start", _ style: String = "") -> String
    {
        "<text x=\"\(n(x))\" y=\"\(n(y))\" text-anchor=\"\(anchor)\" \(style)>\(escaped(text))</text>"
    }

    /// A text limited to the available number of characters, without its middle.
    static func shortened(_ text: String, to count: Int) -> String {
        guard text.count > count else { return text }
        return "\(text.prefix(count / 2))…\(text.suffix(count - count / 2 - 1))"
    }

    static func rectangle(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ style: String) -> String {
        "<rect x=\"\(n(x))\" y=\"\(n(y))\" width=\"\(n(width))\" height=\"\(n(height))\" \(style)/>"
    }

    /// A path through points, with a dot at each, and a text shown by a pointer.
    static func path(
        _ points: [(x: Double, y: Double)],
        style: String,
        colour: String,
        hint: String,
        thickness: Double = 1.8
    ) -> String {
        let radius = n(thickness + 0.7)
        let dots = points.map { "<circle cx=\"\(n($0.x))\" cy=\"\(n($0.y))\" r=\"\(radius)\" fill=\"\(colour)\"/>" }
        return "<g><title>\(escaped(hint))</title>"
            + "<polyline points=\"\(list(points))\" fill=\"none\" \(style) stroke-width=\"\(n(thickness))\"/>"
            + dots.joined() + "</g>"
    }

    /// Points as an attribute.
    static func list(_ points: [(x: Double, y: Double)]) -> String {
        points.map { "\(n($0.x)),\(n($0.y))" }.joined(separator: " ")
    }

    static func picture(width: Double, height: Double, label: String, _ shapes: [String]) -> String {
        "<svg viewBox=\"0 0 \(n(width)) \(n(height))\" width=\"\(n(width))\" height=\"\(n(height))\" role=\"img\" "
            + "aria-label=\"\(escaped(label))\">\n" + shapes.joined(separator: "\n") + "\n</svg>"
    }

    /// The sizes of texts in pixels.
    struct TextSizes {
        var title: Double
        var text: Double
        var tick: Double

        /// The sizes in pages of results.
        static let page = TextSizes(title: 14, text: 12, tick: 11)
    }

    /// Returns a picture as a separate file: with a white background for dark pages, and with the styles of the page.
    static func file(_ picture: String, _ sizes: TextSizes = .page) -> String {
        let style = """
            <style>.title { font-size: \(px(sizes.title)); font-weight: 600; } \
            .tick { font-size: \(px(sizes.tick)); fill: #444; } \
            .grid { stroke: #000; opacity: .15; } .whisker { stroke: #000; stroke-width: 1.4; }</style>
            """
        let font = "font-family=\"system-ui, sans-serif\" font-size=\"\(NumberText.plain(sizes.text))\""
        return file(picture, font: font, style: style, background: "#fff")
    }

    /// Returns a picture as a separate file.
    ///
    /// - Parameter font: The attributes of the font.
    static func file(_ picture: String, font: String, style: String, background: String) -> String {
        guard let head = picture.firstRange(of: ">\n") else { return picture }
        let opened = picture[..<head.upperBound]
            .replacing("<svg ", with: "<svg xmlns=\"http://www.w3.org/2000/svg\" \(font) ", maxReplacements: 1)
        let ground = "<rect width=\"100%\" height=\"100%\" fill=\"\(background)\"/>"
        return "\(opened)\(style)\n\(ground)\n\(picture[head.upperBound...])\n"
    }

    static func px(_ size: Double) -> String { "\(NumberText.plain(size))px" }

    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }

    private static func n(_ value: Double) -> String { NumberText.fixed(value, decimals: 1) }
}
