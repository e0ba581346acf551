import ActorStore

extension StackState: Equatable where Element: Equatable {
    /// Returns whether both stacks have equal children with the same identities.
    ///
    /// - Complexity: O(*n*)
    public static func == (left: StackState, right: StackState) -> Bool { left.entries == right.entries }
}

extension StackState: Hashable where Element: Hashable {
    /// Hashes the children and their identities.
    ///
    /// - Complexity: O(*n*)
    public func hash(into hasher: inout Hasher) { hasher.combine(entries) }
}

private enum StackKey: String, CodingKey { case entries, nextNumber }

extension StackState: Encodable where Element: Encodable {
    /// Encodes the children with their identities, and the next identity.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: StackKey.self)
        try container.encode(entries, forKey: .entries)
        try container.encode(nextNumber, forKey: .nextNumber)
    }
}

extension StackState: Decodable where Element: Decodable {
    /// Decodes a stack. The identities must increase from the bottom to the top.
    ///
    /// - Throws: A `DecodingError` if they do not, or if they are too large.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: StackKey.self)
        entries = try container.decode([StackEntry<Element>].self, forKey: .entries)
        let numbers = entries.map(\.id.number) + [try container.decode(UInt64.self, forKey: .nextNumber)]
        // No stack has ever counted this far; one that had would soon overflow.
        guard numbers.allSatisfy({ $0 <= UInt64.max / 2 }) else {
            throw DecodingError.dataCorruptedError(
                forKey: .nextNumber,
                in: container,
                debugDescription: "The identities of the stack's children are larger than any that a stack assigns."
            )
        }
        guard zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 }), let next = numbers.last else {
            throw DecodingError.dataCorruptedError(
                forKey: .entries,
                in: container,
                debugDescription: "The identities of the stack's children do not increase from the bottom to the top."
            )
        }
        nextNumber = next
    }
}

extension StackState: ExpressibleByArrayLiteral {
    /// Creates a stack of children, the last of them at the top.
    ///
    /// - Complexity: O(*n*)
    public init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension StackState: CustomReflectable {
    /// A mirror of the children by their identities.
    public var customMirror: Mirror {
        Mirror(
            self,
            unlabeledChildren: entries.map { (key: $0.id, value: $0.element) },
            displayStyle: .dictionary
        )
    }
}
