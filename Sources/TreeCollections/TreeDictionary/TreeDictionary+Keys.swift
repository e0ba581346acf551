extension TreeDictionary {
    /// The keys, without copying them. O(1).
    @inlinable
    public var keys: Keys { Keys(self) }

    /// A view of the keys of a dictionary, each of which is in it once.
    public struct Keys: Collection, Equatable {
        @usableFromInline let dictionary: TreeDictionary

        @inlinable
        init(_ dictionary: TreeDictionary) { self.dictionary = dictionary }

        /// The position of the first key.
        @inlinable
        public var startIndex: Index { dictionary.startIndex }
        /// The position behind the last key.
        @inlinable
        public var endIndex: Index { dictionary.endIndex }
        /// The number of keys. O(1).
        @inlinable
        public var count: Int { dictionary.count }
        /// Whether there are no keys. O(1).
        @inlinable
        public var isEmpty: Bool { dictionary.isEmpty }

        /// The position behind another one. O(log *n*).
        @inlinable
        public func index(after index: Index) -> Index { dictionary.index(after: index) }

        /// The key at a position. O(log *n*).
        @inlinable
        public subscript(index: Index) -> Key { dictionary[index].key }

        /// Whether a key is among them. O(log *n*), unlike in other collections.
        @inlinable
        public func contains(_ key: Key) -> Bool { dictionary.containsKey(key) }

        /// The same for generic code, which asks a collection in this way.
        @inlinable
        public func _customContainsEquatableElement(_ key: Key) -> Bool? { contains(key) }

        /// The position of a key. O(log *n*), unlike in other collections.
        @inlinable
        public func firstIndex(of key: Key) -> Index? { dictionary.index(forKey: key) }

        /// The same for generic code, which asks a collection in this way.
        @inlinable
        public func _customIndexOfEquatableElement(_ key: Key) -> Index?? { .some(firstIndex(of: key)) }

        /// The keys, in the order of the dictionary.
        @inlinable
        public func makeIterator() -> Iterator { Iterator(entries: dictionary.makeIterator()) }

        /// Whether both have the same keys, whatever the values. O(*n*), or less where the dictionaries share nodes.
        @inlinable
        public static func == (left: Keys, right: Keys) -> Bool {
            left.dictionary.isEqual(to: right.dictionary) { _, _ in true }
        }

        /// Goes through the keys of a dictionary.
        public struct Iterator: IteratorProtocol {
            @usableFromInline var entries: TreeDictionary.Iterator

            @inlinable
            init(entries: TreeDictionary.Iterator) { self.entries = entries }

            /// The next key, or nil if there are no more.
            @inlinable
            public mutating func next() -> Key? { entries.next()?.key }
        }
    }
}

extension TreeDictionary.Keys: Sendable where Key: Sendable, Value: Sendable {}
extension TreeDictionary.Keys.Iterator: Sendable where Key: Sendable, Value: Sendable {}

extension TreeDictionary.Keys: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The keys as those of an array.
    public var description: String { Array(self).description }
    /// The keys as those of an array.
    public var debugDescription: String { Array(self).debugDescription }
    /// A mirror that shows the keys, as that of an array does.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: Array(self), displayStyle: .collection) }
}
