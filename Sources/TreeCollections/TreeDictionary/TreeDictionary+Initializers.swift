extension TreeDictionary {
    /// A dictionary of keys that are all different. Traps if one comes twice. O(*n*).
    @inlinable
    public init(uniqueKeysWithValues keysAndValues: some Sequence<(Key, Value)>) {
        self.init()
        for (key, value) in keysAndValues { insertUnique(value, for: key) }
    }

    /// A dictionary of keys of which some may come several times.
    ///
    /// - Parameters:
    ///   - keysAndValues: the entries.
    ///   - combine: makes one value of the value so far and another one of the same key.
    @inlinable
    public init(
        _ keysAndValues: some Sequence<(Key, Value)>,
        uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        self.init()
        try merge(keysAndValues, uniquingKeysWith: combine)
    }

    /// A dictionary of arrays, in each of which the elements have the same key, in the order in which they came.
    @inlinable
    public init<Values: Sequence>(
        grouping values: Values,
        by keyForValue: (Values.Element) throws -> Key
    ) rethrows where Value == [Values.Element] {
        self.init()
        for value in values { self[try keyForValue(value), default: []].append(value) }
    }

    /// A dictionary with the same entries. O(*n*).
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
    /// A dictionary of the keys and values of a literal. Traps if a key comes twice.
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
