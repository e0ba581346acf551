extension TreeDictionary {
    /// Creates a dictionary of keys that are all different. Traps if a key occurs twice.
    ///
    /// - Complexity: O(*n*)
    @inlinable
    public init(uniqueKeysWithValues keysAndValues: some Sequence<(Key, Value)>) {
        self.init()
        for (key, value) in keysAndValues { insertUnique(value, for: key) }
    }

    /// Creates a dictionary of keys that may repeat.
    ///
    /// - Parameters:
    ///   - keysAndValues: The entries.
    ///   - combine: Combines the value so far with another value of the same key.
    /// - Complexity: O(*n*)
    @inlinable
    public init(
        _ keysAndValues: some Sequence<(Key, Value)>,
        uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        self.init()
        try merge(keysAndValues, uniquingKeysWith: combine)
    }

    /// Creates a dictionary of arrays that group elements by key, in their original order.
    ///
    /// - Parameters:
    ///   - values: The elements.
    ///   - keyForValue: Returns the key of an element.
    /// - Complexity: O(*n*)
    @inlinable
    public init<Values: Sequence>(
        grouping values: Values,
        by keyForValue: (Values.Element) throws -> Key
    ) rethrows where Value == [Values.Element] {
        self.init()
        for value in values { self[try keyForValue(value), default: []].append(value) }
    }

    /// Creates a dictionary with the entries of a `Dictionary`.
    ///
    /// - Complexity: O(*n*)
    @inlinable
    public init(_ dictionary: [Key: Value]) {
        self.init()
        for (key, value) in dictionary { insertUnique(value, for: key) }
    }

    @inlinable
    mutating func insertUnique(_ value: Value, for key: Key) {
        let isNew = ownEntry(for: key, HashPath(key)) { value }.isNew
        guard isNew else {
            fatalError(
                """
                TreeDictionary(uniqueKeysWithValues:) got a key of type \(Key.self) twice. Use init(_:uniquingKeysWith:) to \
                combine the values of equal keys.
                """
            )
        }
    }
}

extension TreeDictionary: ExpressibleByDictionaryLiteral {
    /// Creates a dictionary of the keys and values of a literal. Traps if a key occurs twice.
    ///
    /// - Complexity: O(*n*)
    @inlinable
    public init(dictionaryLiteral elements: (Key, Value)...) {
        self.init()
        for (key, value) in elements {
            let isNew = ownEntry(for: key, HashPath(key)) { value }.isNew
            guard isNew else {
                fatalError("A TreeDictionary literal has a key of type \(Key.self) twice. Remove one entry.")
            }
        }
    }
}
