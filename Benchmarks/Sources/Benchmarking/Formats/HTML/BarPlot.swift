/// Bars beside each other, each with its quartiles: a benchmark and its baselines.
struct BarPlot {
    struct Bar {
        let name: String
        let metric: Metric
        /// How it compares, in words.
        let note: String
    }

    let title: String
    let unit: String
    let bars: [Bar]

    var svg: String {
        let left = 270.0
        let right = 190.0
        let width = 980.0
        let row = 24.0
        let top = 34.0
        let height = top + Double(bars.count) * row + 30
        let axis = Axis(linearOrLogarithmic: bars.flatMap { [$0.metric.p25, $0.metric.p50, $0.metric.p75] })
        let span = width - left - right
        let x = { left + axis.place(of: $0) * span }
        var shapes = [SVG.text(title, 0, 16, anchor: "start", "class=\"title\"")]
        for tick in axis.ticks {
            shapes.append(SVG.line(x(tick), top - 6, x(tick), height - 24, "class=\"grid\""))
            shapes.append(SVG.text(NumberText.plain(tick), x(tick), height - 10, anchor: "middle", "class=\"tick\""))
        }
        let scale = axis.isLogarithmic ? "\(unit), log" : unit
        shapes.append(SVG.text(scale, width, height - 10, anchor: "end", "class=\"tick\""))
        for (index, bar) in bars.enumerated() {
            let y = top + Double(index) * row
            let middle = y + row / 2 - 2
            shapes.append(SVG.text(bar.name, left - 8, middle + 4, anchor: "end"))
            let colour = SVG.colour(index == 0 ? 0 : 7)
            shapes.append(
                SVG.rectangle(left, y, max(1, x(bar.metric.p50) - left), row - 6, "fill=\"\(colour)\" opacity=\"0.75\"")
            )
            shapes.append(SVG.line(x(bar.metric.p25), middle, x(bar.metric.p75), middle, "class=\"whisker\""))
            for end in [bar.metric.p25, bar.metric.p75] {
                shapes.append(SVG.line(x(end), middle - 4, x(end), middle + 4, "class=\"whisker\""))
            }
            let value = NumberText.short(bar.metric.p50) + bar.note
            shapes.append(SVG.text(value, width - right + 12, middle + 4, anchor: "start", "class=\"value\""))
        }
        return SVG.picture(width: width, height: height, label: title, shapes)
    }
}
