extension TreeDictionary {
    /// A view of the values, which are not copied.
    ///
    /// - Complexity: O(1)
    @inlinable
    public var values: Values { Values(self) }

    /// A view of the values of a dictionary, in the order of its keys.
    public struct Values: Collection {
        @usableFromInline let dictionary: TreeDictionary

        @inlinable
        init(_ dictionary: TreeDictionary) { self.dictionary = dictionary }

        /// The position of the first value.
        @inlinable
        public var startIndex: Index { dictionary.startIndex }
        /// The position after the last value.
        @inlinable
        public var endIndex: Index { dictionary.endIndex }
        /// The number of values.
        ///
        /// - Complexity: O(1)
        @inlinable
        public var count: Int { dictionary.count }
        /// Whether there are no values.
        ///
        /// - Complexity: O(1)
        @inlinable
        public var isEmpty: Bool { dictionary.isEmpty }

        /// Returns the position after another one.
        ///
        /// - Returns: The next position.
        /// - Complexity: O(log *n*)
        @inlinable
        public func index(after index: Index) -> Index { dictionary.index(after: index) }

        /// The value at a position.
        ///
        /// - Complexity: O(log *n*)
        @inlinable
        public subscript(index: Index) -> Value { dictionary[index].value }

        /// Returns an iterator over the values, in the order of the dictionary.
        @inlinable
        public func makeIterator() -> Iterator { Iterator(entries: dictionary.makeIterator()) }

        /// An iterator over the values of a dictionary.
        public struct Iterator: IteratorProtocol {
            @usableFromInline var entries: TreeDictionary.Iterator

            @inlinable
            init(entries: TreeDictionary.Iterator) { self.entries = entries }

            /// Returns the next value, or nil if there are no more.
            @inlinable
            public mutating func next() -> Value? { entries.next()?.value }
        }
    }
}

extension TreeDictionary.Values: Sendable where Key: Sendable, Value: Sendable {}
extension TreeDictionary.Values.Iterator: Sendable where Key: Sendable, Value: Sendable {}

extension TreeDictionary.Values: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The values, as an array shows them.
    public var description: String { Array(self).description }
    /// The values, as an array shows them.
    public var debugDescription: String { Array(self).debugDescription }
    /// A mirror of the values, like that of an array.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: Array(self), displayStyle: .collection) }
}
