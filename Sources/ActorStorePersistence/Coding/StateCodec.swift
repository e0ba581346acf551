public import Foundation

/// Encodes and decodes actions and states.
///
/// Actions are encoded on the thread that sends or dispatches them, in the turn of a durable store, so encoding must
/// not block. Everything else is encoded and decoded on threads of the store. Several threads call a codec at a time.
public protocol StateCodec: Sendable {
    /// Returns the encoding of a value.
    ///
    /// It must succeed for all values that can occur: a store refuses an action that cannot be encoded, and of a state
    /// that cannot be encoded, it writes neither snapshots nor digests.
    ///
    /// - Parameter value: The action, the state, or a part of the store's own entries.
    /// - Returns: The data.
    func encode(_ value: some Encodable) throws -> Data

    /// Returns the value that is decoded from data.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - data: The result of ``encode(_:)``, which an earlier version of the program may have written.
    /// - Returns: The value.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

/// A codec for JSON with sorted keys, which the shells of SQLite and Redis can show.
///
/// An optional within an optional is lost: `.some(nil)` becomes `null`, which is decoded as nil, as always with
/// `Codable` and JSON. Use a separate case for an action that sets a value to nil.
public struct JSONStateCodec: StateCodec {
    // Both are configured once and never changed.
    private let encoder: JSONEncoder
    private let decoder: JSONDecoder

    /// Creates a codec.
    public init() {
        encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf",
            negativeInfinity: "-inf",
            nan: "nan"
        )
        decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf",
            negativeInfinity: "-inf",
            nan: "nan"
        )
    }

    /// Returns the JSON encoding of a value.
    ///
    /// - Parameter value: The value.
    /// - Returns: The JSON.
    /// - Throws: An `EncodingError`, in particular for a `Decimal` that is not a number, which JSON cannot represent.
    public func encode(_ value: some Encodable) throws -> Data {
        let data = try encoder.encode(value)
        // Foundation writes such a `Decimal` as `NaN`, which no decoder can read. Numbers contain no other N. Most
        // encodings contain none at all, and a search for one byte is fast.
        let hasN = data.withUnsafeBytes { $0.contains(UInt8(ascii: "N")) }
        guard hasN, data.range(of: Self.notANumber) != nil else { return data }
        do { _ = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) } catch {
            let reason = "The value contains a Decimal that is not a number, which JSON cannot represent."
            throw EncodingError.invalidValue(value, EncodingError.Context(codingPath: [], debugDescription: reason))
        }
        return data
    }

    private static let notANumber = Data("NaN".utf8)

    /// Returns the value that is decoded from JSON.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - data: The JSON.
    /// - Returns: The value.
    /// - Throws: A `DecodingError` if the data has another form.
    public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try decoder.decode(type, from: data)
    }
}
