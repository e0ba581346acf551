import Foundation
import TreeCollections

/// A digest of a state. Equal states have equal digests; different states rarely do.
///
/// It detects reducers that produce different states from the same actions. It does not protect against deliberate
/// collisions.
struct StateDigest: Sendable, Hashable, Codable {
    let value: UInt64

    /// Creates the digest of a state from its encoding.
    ///
    /// - Throws: The error of the state's encoding.
    init(of state: some Encodable) throws {
        let content = DigestContent()
        // The state itself can be a set, too.
        try DigestEncoder.encode(state, into: content)
        value = content.digest
    }

    init(value: UInt64) { self.value = value }
}

/// The encoded content of one container: the digests of its parts.
///
/// Parts of a keyed container and elements of a set are added, so that their order does not matter. Elements of an
/// array are numbered.
private final class DigestContent {
    private var sum: UInt64 = 0x9E37_79B9_7F4A_7C15
    /// The sum of the finished parts, which are not kept: a state can have millions of them.
    private var wholeParts: UInt64 = 0
    private var parts: [(key: UInt64, content: DigestContent)] = []

    /// Adds a part that is complete when the closure returns.
    func addPart(_ key: UInt64, _ body: (DigestContent) throws -> Void) rethrows {
        let content = DigestContent()
        try body(content)
        wholeParts &+= Self.share(of: key, content.digest)
    }

    /// Adds a part that is encoded later.
    func part(_ key: UInt64) -> DigestContent {
        let content = DigestContent()
        parts.append((key, content))
        return content
    }

    /// Adds bytes with the same result as an unkeyed container, which would take a hundred times as long.
    func add(_ bytes: Data) {
        var count: UInt64 = 0
        for byte in bytes {
            count += 1
            wholeParts &+= Self.share(of: Self.mix(count), Self.digestsOfBytes[Int(byte)])
        }
    }

    private static let digestsOfBytes: [UInt64] = (0...UInt8.max).map { byte in
        let content = DigestContent()
        DigestSingleValueContainer(content: content).add(byte)
        return content.digest
    }

    /// Adds a value.
    func add(_ bits: UInt64) { sum = Self.mix(sum ^ bits) }

    func add(_ text: String) {
        add(UInt64(text.utf8.count))
        add(Self.hash(text))
    }

    var digest: UInt64 {
        parts.reduce(sum &+ wholeParts) { $0 &+ Self.share(of: $1.key, $1.content.digest) }
    }

    private static func share(of key: UInt64, _ digest: UInt64) -> UInt64 { mix(key ^ mix(digest)) }

    /// The finalizer of MurmurHash3 (Appleby, 2011): each bit of the input affects each bit of the output.
    static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        mixed = (mixed ^ (mixed >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        return mixed ^ (mixed >> 33)
    }

    static func hash(_ text: String) -> UInt64 {
        var hash = FowlerNollVoHash()
        hash.add(text.utf8)
        return hash.value
    }
}

/// Encodes into a ``DigestContent``.
private struct DigestEncoder: Encoder {
    let content: DigestContent
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ content: DigestContent) { self.content = content }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(DigestKeyedContainer(content: content))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { DigestUnkeyedContainer(content: content) }

    func singleValueContainer() -> any SingleValueEncodingContainer { DigestSingleValueContainer(content: content) }

    /// Encodes a value; elements of unordered collections may come in any order.
    static func encode(_ value: some Encodable, into content: DigestContent) throws {
        if let collection = value as? any UnorderedElements {
            try collection.forEachElement { element in
                try content.addPart(0) { try element.encode(to: DigestEncoder($0)) }
            }
        } else if let data = value as? Data {
            content.add(data)
        } else {
            try value.encode(to: DigestEncoder(content))
        }
    }
}

/// A collection without an order, or whose order differs between processes. A collection that a type encodes by calling
/// `encode(to:)` directly, instead of passing it to a container, is not detected, and has the order of the process.
private protocol UnorderedElements {
    func forEachElement(_ body: (any Encodable) throws -> Void) throws
}

extension Set: UnorderedElements where Element: Encodable {
    fileprivate func forEachElement(_ body: (any Encodable) throws -> Void) throws {
        for element in self { try body(element) }
    }
}

extension Dictionary: UnorderedElements where Key: Encodable, Value: Encodable {
    fileprivate func forEachElement(_ body: (any Encodable) throws -> Void) throws {
        for (key, value) in self { try body(DigestPair(key: key, value: value)) }
    }
}

extension TreeDictionary: UnorderedElements where Key: Encodable, Value: Encodable {
    fileprivate func forEachElement(_ body: (any Encodable) throws -> Void) throws {
        for (key, value) in self { try body(DigestPair(key: key, value: value)) }
    }
}

private struct DigestPair<Key: Encodable, Value: Encodable>: Encodable {
    let key: Key
    let value: Value

    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(key)
        try container.encode(value)
    }
}

private struct DigestKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let content: DigestContent
    var codingPath: [any CodingKey] { [] }

    private func hash(_ key: some CodingKey) -> UInt64 { DigestContent.hash(key.stringValue) }

    private func part(_ key: some CodingKey) -> DigestContent { content.part(hash(key)) }

    mutating func encodeNil(forKey key: Key) throws { content.addPart(hash(key)) { $0.add(0) } }

    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try content.addPart(hash(key)) { try DigestEncoder.encode(value, into: $0) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { DigestEncoder(part(key)).container(keyedBy: type) }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        DigestUnkeyedContainer(content: part(key))
    }

    mutating func superEncoder() -> any Encoder { DigestEncoder(content.part(1)) }

    mutating func superEncoder(forKey key: Key) -> any Encoder { DigestEncoder(part(key)) }
}

private struct DigestUnkeyedContainer: UnkeyedEncodingContainer {
    let content: DigestContent
    var count = 0
    var codingPath: [any CodingKey] { [] }

    init(content: DigestContent) { self.content = content }

    private mutating func nextKey() -> UInt64 {
        count += 1
        return DigestContent.mix(UInt64(count))
    }

    private mutating func part() -> DigestContent { content.part(nextKey()) }

    mutating func encodeNil() throws { content.addPart(nextKey()) { $0.add(0) } }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        try content.addPart(nextKey()) { try DigestEncoder.encode(value, into: $0) }
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        DigestEncoder(part()).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        DigestUnkeyedContainer(content: part())
    }

    mutating func superEncoder() -> any Encoder { DigestEncoder(part()) }
}

private struct DigestSingleValueContainer: SingleValueEncodingContainer {
    let content: DigestContent
    var codingPath: [any CodingKey] { [] }

    mutating func encodeNil() throws { content.add(0) }
    mutating func encode(_ value: Bool) throws { content.add(value ? 2 : 1) }
    mutating func encode(_ value: String) throws { content.add(value) }
    // Zero equals minus zero.
    mutating func encode(_ value: Double) throws { content.add(value == 0 ? 0 : value.bitPattern) }
    mutating func encode(_ value: Float) throws { content.add(value == 0 ? 0 : UInt64(value.bitPattern)) }
    mutating func encode(_ value: Int) throws { add(value) }
    mutating func encode(_ value: Int8) throws { add(value) }
    mutating func encode(_ value: Int16) throws { add(value) }
    mutating func encode(_ value: Int32) throws { add(value) }
    mutating func encode(_ value: Int64) throws { add(value) }
    mutating func encode(_ value: Int128) throws { add(value) }
    mutating func encode(_ value: UInt) throws { add(value) }
    mutating func encode(_ value: UInt8) throws { add(value) }
    mutating func encode(_ value: UInt16) throws { add(value) }
    mutating func encode(_ value: UInt32) throws { add(value) }
    mutating func encode(_ value: UInt64) throws { add(value) }
    mutating func encode(_ value: UInt128) throws { add(value) }

    mutating func encode<Value: Encodable>(_ value: Value) throws { try DigestEncoder.encode(value, into: content) }

    func add(_ value: some FixedWidthInteger) {
        content.add(UInt64(truncatingIfNeeded: value))
        content.add(UInt64(truncatingIfNeeded: value >> 64))
    }
}
