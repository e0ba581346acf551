import Foundation

/// Reads and writes the JSON of reports: a ``Report`` with a list of ``BenchmarkResult``.
public enum JSONFormat {
    /// Returns a value as JSON text with sorted keys, and innermost lists and objects on one line.
    public static func text(of value: some Encodable) throws -> String { try encode(value) }

    /// Returns a report as JSON text. Rounds have six significant digits, more than the resolution of a clock.
    public static func text(of report: Report) throws -> String {
        var report = report
        for index in report.results.indices {
            report.results[index].rounds = report.results[index].rounds.map(shortened)
        }
        return try encode(report)
    }

    private static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // A ratio of zero to zero is NaN, which JSON cannot represent.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity",
            negativeInfinity: "-Infinity",
            nan: "NaN"
        )
        return joiningLines(of: String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Reads what `text(of:)` wrote.
    public static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "Infinity",
            negativeInfinity: "-Infinity",
            nan: "NaN"
        )
        return try decoder.decode(type, from: data)
    }

    private static func shortened(_ value: Double) -> Double {
        guard value.isFinite, value != 0 else { return value }
        let decimals = 5 - Int(log10(value.magnitude).rounded(.down))
        guard (0...12).contains(decimals) else { return value.rounded() }
        let scale = pow(10, Double(decimals))
        return (value * scale).rounded() / scale
    }

    /// Returns the text with each list and each object without nested ones on one line.
    private static func joiningLines(of text: String) -> String {
        let bytes = Array(text.utf8)
        var joined: [UInt8] = []
        joined.reserveCapacity(bytes.count)
        var copied = 0
        // The beginning of the innermost open list or object; nil if it contains others.
        var start: Int?
        var isInText = false
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            // An escaped character does not end a text.
            case UInt8(ascii: "\\") where isInText: index += 1
            case UInt8(ascii: "\""): isInText.toggle()
            case UInt8(ascii: "["), UInt8(ascii: "{"): if !isInText { start = index }
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                guard !isInText, let first = start else { break }
                joined += bytes[copied..<first] + inOneLine(bytes[first...index])
                copied = index + 1
                start = nil
            default: break
            }
            index += 1
        }
        return String(decoding: joined + bytes[copied...], as: UTF8.self)
    }

    /// Texts have no line breaks, because JSON escapes them.
    private static func inOneLine(_ lines: ArraySlice<UInt8>) -> [UInt8] {
        let parts = lines.split(separator: UInt8(ascii: "\n")).map { $0.drop { $0 == UInt8(ascii: " ") } }
        guard parts.count > 2, let first = parts.first, let last = parts.last else { return Array(lines) }
        return Array(first) + parts.dropFirst().dropLast().joined(separator: [UInt8(ascii: " ")]) + last
    }
}
