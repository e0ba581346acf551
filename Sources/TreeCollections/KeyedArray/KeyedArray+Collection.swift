extension KeyedArray: RandomAccessCollection {
    /// The position of the first element, 0.
    @inlinable public var startIndex: Int { 0 }
    /// The number of elements.
    @inlinable public var endIndex: Int { storage.count }

    /// Accesses the element at a position. It can be changed in place, and must keep its identity; otherwise this
    /// traps.
    @inlinable
    public subscript(position: Int) -> Element {
        get { storage[position] }
        _modify {
            let id = storage[position].id
            defer { checkIdentity(at: position, id) }
            yield &storage[position]
        }
    }

    /// Returns an iterator over the elements in their order.
    @inlinable
    public func makeIterator() -> IndexingIterator<[Element]> { storage.makeIterator() }

    /// Calls `body` with the elements, which are contiguous in memory.
    @inlinable
    public func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<Element>) throws -> Result
    ) rethrows -> Result? {
        try storage.withContiguousStorageIfAvailable(body)
    }
}

extension KeyedArray: Equatable where Element: Equatable {
    /// Returns whether both arrays have the same elements in the same order.
    ///
    /// - Complexity: O(*n*); O(1) for copies that have not changed.
    @inlinable
    public static func == (left: KeyedArray, right: KeyedArray) -> Bool { left.storage == right.storage }
}

extension KeyedArray: Hashable where Element: Hashable {
    /// Hashes the elements in their order.
    ///
    /// - Complexity: O(*n*)
    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(storage) }
}

extension KeyedArray: Encodable where Element: Encodable {
    /// Encodes the elements as an array does.
    public func encode(to encoder: any Encoder) throws { try storage.encode(to: encoder) }
}

extension KeyedArray: Decodable where Element: Decodable {
    /// Decodes the encoding of an array.
    ///
    /// - Throws: A `DecodingError` if two elements have the same identity.
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
    /// A mirror of the elements, like that of an array.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: storage, displayStyle: .collection) }
}
