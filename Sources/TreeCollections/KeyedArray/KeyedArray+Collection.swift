extension KeyedArray: RandomAccessCollection {
    /// 0.
    @inlinable public var startIndex: Int { 0 }
    /// The number of elements.
    @inlinable public var endIndex: Int { storage.count }

    /// The element at a position. It can be changed in place, and must keep its identity.
    @inlinable
    public subscript(position: Int) -> Element {
        get { storage[position] }
        _modify {
            let id = storage[position].id
            defer { checkIdentity(at: position, id) }
            yield &storage[position]
        }
    }

    /// Goes through the elements in their order.
    @inlinable
    public func makeIterator() -> IndexingIterator<[Element]> { storage.makeIterator() }

    /// The elements, which lie side by side in memory.
    @inlinable
    public func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<Element>) throws -> Result
    ) rethrows -> Result? {
        try storage.withContiguousStorageIfAvailable(body)
    }
}

extension KeyedArray: Equatable where Element: Equatable {
    /// Whether both have the same elements in the same order. O(*n*), or O(1) for copies that have not changed.
    @inlinable
    public static func == (left: KeyedArray, right: KeyedArray) -> Bool { left.storage == right.storage }
}

extension KeyedArray: Hashable where Element: Hashable {
    /// Hashes the elements in their order.
    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(storage) }
}

extension KeyedArray: Encodable where Element: Encodable {
    /// Encodes the elements as an array does.
    public func encode(to encoder: any Encoder) throws { try storage.encode(to: encoder) }
}

extension KeyedArray: Decodable where Element: Decodable {
    /// Decodes what an array encoded. Throws a `DecodingError` if two elements have the same identity.
    public init(from decoder: any Decoder) throws {
        let elements = try [Element](from: decoder)
        self.init(elements)
        guard count == elements.count else {
            let context = DecodingError.Context(
                codingPath: decoder.codingPath,
                debugDescription: "Two elements of a KeyedArray have the same identity."
            )
            throw DecodingError.dataCorrupted(context)
        }
    }
}

extension KeyedArray: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The elements, as an array shows them.
    public var description: String { storage.description }
    /// The elements, as an array shows them.
    public var debugDescription: String { storage.debugDescription }
    /// A mirror that shows the elements, as that of an array does.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: storage, displayStyle: .collection) }
}
