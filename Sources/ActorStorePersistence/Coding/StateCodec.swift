public import Foundation

/// Makes bytes of actions and states, and the other way round.
///
/// It is called on threads of the log's own, several at a time.
public protocol StateCodec: Sendable {
    /// The bytes of a value. It must not throw for any value that can occur: a store refuses an action that cannot be
    /// encoded.
    func encode(_ value: some Encodable) throws -> Data

    /// The value of bytes.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

/// JSON, with keys in order, which can be read with the shells of SQLite and Redis.
///
/// An optional within an optional does not survive it: `.some(nil)` becomes `null`, which is decoded as nil, as with
/// every use of `Codable` and JSON. Give an action that sets something to nil a case of its own.
public struct JSONStateCodec: StateCodec {
    // Both are set up once and never changed.
    private let encoder: JSONEncoder
    private let decoder: JSONDecoder

    /// Creates one.
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

    /// The JSON of a value.
    ///
    /// - Throws: An `EncodingError`, also for a `Decimal` that is not a number, which JSON has no form for.
    public func encode(_ value: some Encodable) throws -> Data {
        let data = try encoder.encode(value)
        // Foundation writes such a `Decimal` as `NaN`, which nothing can read. Numbers have no other N.
        guard data.range(of: Self.notANumber) != nil else { return data }
        do { _ = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) } catch {
            let reason = "It has a Decimal that is not a number, for which JSON has no form."
            throw EncodingError.invalidValue(value, EncodingError.Context(codingPath: [], debugDescription: reason))
        }
        return data
    }

    private static let notANumber = Data("NaN".utf8)

    /// The value of JSON.
    public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try decoder.decode(type, from: data)
    }
}
