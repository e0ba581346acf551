// Both directions go by way of `Dictionary`, which is the one way to have its encoding in all cases: a keyed container
// for keys that are strings or integers or can be represented as such, otherwise keys and values in turn.

extension TreeDictionary: Encodable where Key: Encodable, Value: Encodable {
    /// Encodes the entries as `Dictionary` does. O(*n*), with a temporary copy.
    public func encode(to encoder: any Encoder) throws {
        try Dictionary(uniqueKeysWithValues: lazy.map { ($0.key, $0.value) }).encode(to: encoder)
    }
}

extension TreeDictionary: Decodable where Key: Decodable, Value: Decodable {
    /// Decodes what a `Dictionary` or a `TreeDictionary` encoded. Throws what `Dictionary` throws.
    public init(from decoder: any Decoder) throws {
        self.init(try [Key: Value](from: decoder))
    }
}
