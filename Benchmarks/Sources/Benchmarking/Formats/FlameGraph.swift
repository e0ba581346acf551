/// The time spent by a program, drawn as frames that stand on their callers. (Gregg, "The Flame Graph", 2016.) The
/// picture is self-contained; a pointer shows a frame's full name and share.
struct FlameGraph {
    fileprivate final class Frame {
        var samples = 0
        var callees: [String: Frame] = [:]
    }

    private let root = Frame()

    /// - Parameter perfScript: The output of `perf script` for a recording with call graphs.
    init(perfScript: String) {
        var stack: [String] = []
        for line in perfScript.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.first == " " || line.first == "\t" {
                if let name = Self.function(in: line) { stack.append(name) }
            } else if !stack.isEmpty {
                root.add(stack.reversed())
                stack = []
            }
        }
        if !stack.isEmpty { root.add(stack.reversed()) }
    }

    /// The function of a line such as `  7f3a12 swift_retain+0x12 (/usr/lib/libswiftCore.so)`.
    private static func function(in line: Substring) -> String? {
        let words = line.split(whereSeparator: \.isWhitespace)
        guard words.count >= 2 else { return nil }
        let name = words.dropFirst().dropLast().joined(separator: " ")
        return String(name.prefix { $0 != "+" })
    }

    var svg: String {
        let row = 17.0
        let width = 1_200.0
        let height = Double(levels(of: root, width: width)) * row + 50
        var shapes: [String] = [SVG.text("\(root.samples) samples", 4, 16)]
        draw(root, named: "all", left: 0, width: width, level: 0, bottom: height - row, row: row, &shapes)
        let picture = SVG.picture(width: width, height: height, label: "Flame graph", shapes)
        return picture.replacing(
            "<svg ",
            with: "<svg xmlns=\"http://www.w3.org/2000/svg\" font-family=\"monospace\" font-size=\"11\" "
        )
    }

    /// Frames narrower than half a pixel are invisible.
    private static let narrowest = 0.5

    /// The number of stacked frames that are wide enough to be drawn.
    private func levels(of frame: Frame, width: Double) -> Int {
        guard width > Self.narrowest else { return 0 }
        let parts = frame.callees.values.map { callee in
            levels(of: callee, width: width * Double(callee.samples) / Double(max(frame.samples, 1)))
        }
        return 1 + (parts.max() ?? 0)
    }

    private func draw(
        _ frame: Frame,
        named name: String,
        left: Double,
        width: Double,
        level: Int,
        bottom: Double,
        row: Double,
        _ shapes: inout [String]
    ) {
        guard width > Self.narrowest else { return }
        let top = bottom - Double(level) * row
        let share = NumberText.fixed(100 * Double(frame.samples) / Double(max(root.samples, 1)), decimals: 1)
        let hue = 20 + name.unicodeScalars.reduce(0) { ($0 &* 31 &+ Int($1.value)) & 0xFFFF } % 40
        let letters = Int(width / 6.8) - 1
        let label = letters > 2 ? String(name.prefix(letters)) : ""
        shapes.append(
            "<g><title>\(SVG.escaped(name)) \(share) %</title>"
                + SVG.rectangle(left, top - row + 1, max(width - 0.5, 0.5), row - 1, "fill=\"hsl(\(hue) 85% 62%)\"")
                + (label.isEmpty ? "" : SVG.text(label, left + 3, top - 4)) + "</g>"
        )
        var place = left
        for (name, callee) in frame.callees.sorted(by: { $0.key < $1.key }) {
            let part = width * Double(callee.samples) / Double(max(frame.samples, 1))
            draw(callee, named: name, left: place, width: part, level: level + 1, bottom: bottom, row: row, &shapes)
            place += part
        }
    }
}

extension FlameGraph.Frame {
    /// Counts a stack, from the outermost function inwards.
    fileprivate func add(_ stack: some Sequence<String>) {
        samples += 1
        var frame = self
        for name in stack {
            let callee = frame.callees[name] ?? FlameGraph.Frame()
            frame.callees[name] = callee
            callee.samples += 1
            frame = callee
        }
    }
}
