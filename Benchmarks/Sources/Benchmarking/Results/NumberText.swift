/// Numbers as text that a reader takes in at a glance.
enum NumberText {
    /// A whole number with separators: `1,000,000`.
    static func grouped(_ value: Int) -> String {
        let digits = String(value.magnitude)
        var text = ""
        for (offset, digit) in digits.enumerated() {
            if offset > 0 && (digits.count - offset).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return value < 0 ? "-" + text : text
    }

    /// Three significant digits, without an exponent: `0.0213`, `4.56`, `123`, `4,560`.
    static func short(_ value: Double) -> String {
        guard value.isFinite else { return "-" }
        guard value != 0 else { return "0" }
        let magnitude = value.magnitude
        if magnitude >= 99.95 { return grouped(Int(value.rounded())) }
        var decimals = 1
        var limit = 9.995
        while magnitude < limit && decimals < 6 {
            decimals += 1
            limit /= 10
        }
        return fixed(value, decimals: decimals)
    }

    /// A round number without needless zeros, for an axis: `0.5`, `20`, `1,000`.
    static func plain(_ value: Double) -> String {
        if value.rounded() == value && value.magnitude < 1e15 { return grouped(Int(value)) }
        var text = short(value)
        while text.contains("."), text.last == "0" { text.removeLast() }
        return text
    }

    /// A fixed number of digits after the point, without trailing zeros where there are none to the left.
    static func fixed(_ value: Double, decimals: Int) -> String {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        let scaled = Int((value.magnitude * scale).rounded())
        let fraction = String(scaled % Int(scale))
        let sign = value < 0 && scaled != 0 ? "-" : ""
        let padding = String(repeating: "0", count: decimals - fraction.count)
        return "\(sign)\(scaled / Int(scale)).\(padding)\(fraction)"
    }
}
