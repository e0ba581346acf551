/// Lines over a numeric axis.
struct LinePlot {
    struct Line {
        let name: String
        let points: [(x: Double, y: Double)]
    }

    let title: String
    let xLabel: String
    let yLabel: String
    let lines: [Line]
    let xAxis: Axis
    let yAxis: Axis
    /// What is written at a place of the horizontal axis, if it is not the number; also says where.
    var xTicks: [(place: Double, text: String)]?

    var svg: String {
        let width = 980.0
        let left = 80.0
        let right = 320.0
        let top = 46.0
        let plotHeight = max(220, Double(lines.count) * 17)
        let height = top + plotHeight + 44
        let bottom = top + plotHeight
        let x = { left + xAxis.place(of: $0) * (width - left - right) }
        let y = { bottom - yAxis.place(of: $0) * plotHeight }
        var shapes = [SVG.text(title, 0, 16, anchor: "start", "class=\"title\"")]
        for tick in yAxis.ticks {
            shapes.append(SVG.line(left, y(tick), width - right, y(tick), "class=\"grid\""))
            shapes.append(SVG.text(NumberText.plain(tick), left - 6, y(tick) + 4, anchor: "end", "class=\"tick\""))
        }
        for tick in xTicks ?? xAxis.ticks.map({ ($0, NumberText.plain($0)) }) {
            shapes.append(SVG.line(x(tick.place), top, x(tick.place), bottom, "class=\"grid\""))
            shapes.append(SVG.text(tick.text, x(tick.place), bottom + 16, anchor: "middle", "class=\"tick\""))
        }
        shapes.append(SVG.text(xLabel, (left + width - right) / 2, bottom + 34, anchor: "middle", "class=\"tick\""))
        shapes.append(SVG.text(yLabel, left, top - 6, anchor: "start", "class=\"tick\""))
        for (index, line) in lines.enumerated() {
            let colour = SVG.colour(index)
            shapes.append(SVG.path(line.points.map { (x($0.x), y($0.y)) }, colour: colour, hint: line.name))
        }
        // The legend is in the order of the lines' ends, so that the eye finds them.
        let legend = lines.enumerated().sorted { ($0.element.points.last?.y ?? 0) > ($1.element.points.last?.y ?? 0) }
        for (row, line) in legend.enumerated() {
            let place = top + 10 + Double(row) * 17
            let colour = SVG.colour(line.offset)
            shapes.append(
                SVG.line(
                    width - right + 14,
                    place - 4,
                    width - right + 32,
                    place - 4,
                    "stroke=\"\(colour)\" stroke-width=\"3\""
                )
            )
            shapes.append(SVG.text(line.element.name, width - right + 38, place))
        }
        return SVG.picture(width: width, height: height, label: title, shapes)
    }
}
