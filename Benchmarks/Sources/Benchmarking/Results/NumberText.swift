/// A unit of time in a report.
enum TimeUnit: String, CaseIterable, Sendable {
    case nanoseconds, microseconds, milliseconds, seconds

    /// The symbol of the unit: `ns`, `µs`, `ms` or `s`.
    var symbol: String {
        switch self {
        case .nanoseconds: "ns"
        case .microseconds: "µs"
        case .milliseconds: "ms"
        case .seconds: "s"
        }
    }

    /// The number of nanoseconds in the unit.
    var nanoseconds: Double {
        switch self {
        case .nanoseconds: 1
        case .microseconds: 1_000
        case .milliseconds: 1_000_000
        case .seconds: 1_000_000_000
        }
    }

    /// The largest unit in which a time is at least 1.
    init(fitting nanoseconds: Double) {
        let magnitude = nanoseconds.magnitude
        self = Self.allCases.last { magnitude >= $0.nanoseconds * 0.9995 } ?? .nanoseconds
    }
}

/// Formats numbers for readers.
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

    /// A time in a suitable unit: `29.5 ns`, `1.24 µs`, `19.5 ms`.
    static func time(_ nanoseconds: Double, in unit: TimeUnit? = nil) -> String {
        guard nanoseconds.isFinite else { return "-" }
        let unit = unit ?? TimeUnit(fitting: nanoseconds)
        return "\(short(nanoseconds / unit.nanoseconds)) \(unit.symbol)"
    }

    /// The quartiles of a time, in the unit of the smaller one: `28.5 to 30.7 ns`.
    static func times(_ lower: Double, _ upper: Double, in unit: TimeUnit? = nil) -> String {
        guard lower.isFinite, upper.isFinite else { return "-" }
        let unit = unit ?? TimeUnit(fitting: max(lower.magnitude, upper.magnitude / 1_000))
        return "\(short(lower / unit.nanoseconds)) to \(short(upper / unit.nanoseconds)) \(unit.symbol)"
    }

    /// Operations per second: `850`, `12.3 k`, `34.5 M`.
    static func rate(_ perSecond: Double) -> String {
        switch perSecond.magnitude {
        case 999_500...: "\(short(perSecond / 1_000_000)) M"
        case 999.5...: "\(short(perSecond / 1_000)) k"
        default: short(perSecond)
        }
    }

    /// A count measured several times: the median, at least 0, and its noise if there is any: `0 ± 0.01`.
    static func count(_ metric: Metric) -> String {
        let noise = max(metric.p75 - metric.p50, metric.p50 - metric.p25)
        let median = max(0, metric.p50)
        let isWhole = (median - median.rounded()).magnitude < 0.005
        let text = isWhole ? grouped(Int(median.rounded())) : short(median)
        guard noise >= 0.0005 else { return text }
        return "\(text) ± \(noise < 0.01 ? "0.01" : short(noise))"
    }

    /// The percentiles of a metric with enough samples: p99 from 200 on, and p99.9 from 10,000 on. The others are nil.
    static func percentiles(_ metric: Metric) -> [(name: String, value: Double?)] {
        metric.percentiles.map { name, value in
            let needed = name == "p99" ? 200 : name == "p99.9" ? 10_000 : 0
            return (name, metric.samples >= needed ? value : nil)
        }
    }

    /// A round number without needless zeros, for an axis: `0.5`, `20`, `1,000`.
    static func plain(_ value: Double) -> String {
        if value.rounded() == value && value.magnitude < 1e15 { return grouped(Int(value)) }
        var text = short(value)
        while text.contains("."), text.last == "0" { text.removeLast() }
        return text
    }

    /// A round time for an axis, in a suitable unit: `50 ns`, `2 ms`.
    static func plainTime(_ nanoseconds: Double) -> String {
        guard nanoseconds != 0 else { return "0" }
        let unit = TimeUnit(fitting: nanoseconds)
        return "\(plain(nanoseconds / unit.nanoseconds)) \(unit.symbol)"
    }

    /// A round rate for an axis: `500`, `2 M`.
    static func plainRate(_ perSecond: Double) -> String {
        switch perSecond {
        case 1_000_000...: "\(plain(perSecond / 1_000_000)) M"
        case 1_000...: "\(plain(perSecond / 1_000)) k"
        default: plain(perSecond)
        }
    }

    /// Returns a number with a fixed number of digits after the point.
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
