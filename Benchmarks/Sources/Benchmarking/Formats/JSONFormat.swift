import Foundation

/// The form for programs: a list of ``BenchmarkResult``.
public enum JSONFormat {
    /// The results as JSON text, with keys in a fixed order.
    public static func text(of results: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // A ratio of nothing to nothing is not a number, which JSON has no word for.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity",
            negativeInfinity: "-Infinity",
            nan: "NaN"
        )
        return String(decoding: try encoder.encode(results), as: UTF8.self)
    }

    /// Reads what ``text(of:)`` wrote.
    public static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "Infinity",
            negativeInfinity: "-Infinity",
            nan: "NaN"
        )
        return try decoder.decode(type, from: data)
    }
}
