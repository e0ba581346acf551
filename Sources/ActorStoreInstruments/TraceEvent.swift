/// An event of a trace in Chrome's format: a JSON object.
struct TraceEvent {
    /// The value of an additional argument of an event.
    enum Argument {
        case text(String)
        case number(UInt64)
    }

    private var members: [String]

    /// - Parameter row: The row in which the event is shown.
    init(row: Int) {
        members = ["\"pid\":1", "\"tid\":\(row)"]
    }

    /// Returns the event that names a row.
    static func row(_ row: Int, named name: String) -> TraceEvent {
        var event = TraceEvent(row: row)
        event.add("ph", text: "M")
        event.add("name", text: "thread_name")
        event.add("args", [("name", .text(name))])
        return event
    }

    var text: String { "{\(members.joined(separator: ","))}" }

    /// Adds the members that all events of the timeline have.
    mutating func describe(_ kind: String, _ name: String, _ category: String, at time: Duration) {
        add("ph", text: kind)
        add("name", text: name)
        add("cat", text: category)
        add("ts", time)
    }

    mutating func add(_ key: String, text: String) { members.append("\"\(key)\":\(Self.quoted(text))") }

    /// Adds a time in microseconds.
    mutating func add(_ key: String, _ duration: Duration) {
        members.append("\"\(key)\":\(Self.microseconds(duration))")
    }

    mutating func add(_ key: String, _ arguments: [(name: String, value: Argument)]) {
        let pairs = arguments.map { name, value in
            switch value {
            case .text(let text): "\"\(name)\":\(Self.quoted(text))"
            case .number(let number): "\"\(name)\":\(number)"
            }
        }
        members.append("\"\(key)\":{\(pairs.joined(separator: ","))}")
    }

    /// Returns the duration in microseconds with three decimals, exact to the nanosecond.
    static func microseconds(_ duration: Duration) -> String {
        let nanoseconds = duration.attoseconds / 1_000_000_000
        let fraction = String(nanoseconds.magnitude % 1_000)
        let padding = String(repeating: "0", count: 3 - fraction.count)
        return "\(nanoseconds < 0 ? "-" : "")\(nanoseconds.magnitude / 1_000).\(padding)\(fraction)"
    }

    /// Returns a JSON string literal.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
