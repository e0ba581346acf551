extension TreeDictionary {
    /// A view of the keys, which are not copied.
    ///
    /// - Complexity: O(1)
    @inlinable
    public var keys: Keys { Keys(self) }

    /// A view of the keys of a dictionary, each of which occurs once.
    public struct Keys: Collection, Equatable {
        @usableFromInline let dictionary: TreeDictionary

        @inlinable
        init(_ dictionary: TreeDictionary) { self.dictionary = dictionary }

        /// The position of the first key.
        @inlinable
        public var startIndex: Index { dictionary.startIndex }
        /// The position after the last key.
        @inlinable
        public var endIndex: Index { dictionary.endIndex }
        /// The number of keys.
        ///
        /// - Complexity: O(1)
        @inlinable
        public var count: Int { dictionary.count }
        /// Whether there are no keys.
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

        /// The key at a position.
        ///
        /// - Complexity: O(log *n*)
        @inlinable
        public subscript(index: Index) -> Key { dictionary[index].key }

        /// Returns whether the view contains a key.
        ///
        /// - Returns: Whether the view contains the key.
        /// - Complexity: O(log *n*)
        @inlinable
        public func contains(_ key: Key) -> Bool { dictionary.containsKey(key) }

        /// Returns whether the view contains a key; called by generic code.
        @inlinable
        public func _customContainsEquatableElement(_ key: Key) -> Bool? { contains(key) }

        /// Returns the position of a key.
        ///
        /// - Returns: The position, or nil if the view does not contain the key.
        /// - Complexity: O(log *n*)
        @inlinable
        public func firstIndex(of key: Key) -> Index? { dictionary.index(forKey: key) }

        /// Returns the position of a key; called by generic code.
        @inlinable
        public func _customIndexOfEquatableElement(_ key: Key) -> Index?? { .some(firstIndex(of: key)) }

        /// Returns an iterator over the keys, in the order of the dictionary.
        @inlinable
        public func makeIterator() -> Iterator { Iterator(entries: dictionary.makeIterator()) }

        /// Returns whether both dictionaries have the same keys, regardless of the values.
        ///
        /// - Complexity: O(*n*), or less if the dictionaries share nodes.
        @inlinable
        public static func == (left: Keys, right: Keys) -> Bool {
            left.dictionary.isEqual(to: right.dictionary) { _, _ in true }
        }

        /// An iterator over the keys of a dictionary.
        public struct Iterator: IteratorProtocol {
            @usableFromInline var entries: TreeDictionary.Iterator

            @inlinable
            init(entries: TreeDictionary.Iterator) { self.entries = entries }

            /// Returns the next key, or nil if there are no more.
            @inlinable
            public mutating func next() -> Key? { entries.next()?.key }
        }
    }
}

extension TreeDictionary.Keys: Sendable where Key: Sendable, Value: Sendable {}
extension TreeDictionary.Keys.Iterator: Sendable where Key: Sendable, Value: Sendable {}

extension TreeDictionary.Keys: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The keys, as an array shows them.
    public var description: String { Array(self).description }
    /// The keys, as an array shows them.
    public var debugDescription: String { Array(self).debugDescription }
    /// A mirror of the keys, like that of an array.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: Array(self), displayStyle: .collection) }
}
