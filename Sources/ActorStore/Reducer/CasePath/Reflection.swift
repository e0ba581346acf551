/// What of an enum the standard library tells, and where that is not the truth.
@usableFromInline
enum Reflection {
    /// Finds what `embed` has made, where that can be found out by reflection; elsewhere nothing.
    @usableFromInline
    static func extraction<Root, Value>(
        of embed: @escaping @Sendable (Value) -> Root
    ) -> @Sendable (Root) -> Value? {
        let reflection = obstacle(Root.self, Value.self) == nil ? CaseReflection(embed: embed) : nil
        guard Root.self == Value.self else { return { reflection?.value(of: $0) } }
        // What is embedded in its own type can be the root itself: `{ $0 }`.
        return { root in
            if let value = root as? Value, ValueComparison(maximumElements: .max).areSame(embed(value), root) {
                return value
            }
            return reflection?.value(of: root)
        }
    }

    /// Finds the key and the action of which `embed` has made one, where that can be found out by reflection; elsewhere
    /// nothing.
    @usableFromInline
    static func entryExtraction<Root, Key, Value>(
        of embed: @escaping @Sendable (Key, Value) -> Root
    ) -> @Sendable (Root) -> (id: Key, action: Value)? {
        // Without labels, so that the case may have any.
        let extract = extraction { (entry: (Key, Value)) in embed(entry.0, entry.1) }
        return { root in extract(root).map { (id: $0.0, action: $0.1) } }
    }

    /// Why nothing can be found that is made of values of this type; nil if it can be.
    @usableFromInline
    static func obstacle<Root, Value>(_ root: Root.Type, _ value: Value.Type) -> String? {
        if !isFaithful(root) { return explanation(root) }
        if !isShownCorrectly(value) { return explanation(root, value) }
        return nil
    }

    /// The name of a case without values; nil for other cases, and for what is no enum.
    static func name<Root>(ofCaseWithoutValues root: Root) -> String? {
        let mirror = Mirror(reflecting: root)
        guard mirror.displayStyle == .enum, mirror.children.isEmpty else { return nil }
        return String(describing: root)
    }

    /// Whether a mirror shows the cases themselves. That of an optional is the standard library's own, and does.
    static func isFaithful(_ root: Any.Type) -> Bool {
        !(root is any CustomReflectable.Type) || isOptional(root)
    }

    static func isOptional(_ root: Any.Type) -> Bool { root is any OptionalValue.Type }

    /// Whether a description of a case without values is its name.
    static func isPlainlyNamed<Root>(_ root: Root.Type) -> Bool {
        !(root is any CustomStringConvertible.Type) && !(root is any CustomDebugStringConvertible.Type)
            && !(root is any TextOutputStreamable.Type)
    }

    /// Whether a mirror shows values of this type as they are. A function that is a case's value, or part of it, it
    /// shows with a calling convention that is not the function's, so that calling it is undefined. (Swift 6.3.)
    static func isShownCorrectly<Value>(_ value: Value.Type) -> Bool { !String(reflecting: value).contains("->") }

    private static func explanation<Root, Value>(_ root: Root.Type, _ value: Value.Type) -> String {
        """
        Reflection cannot extract a function, as in \(value), from a case of \(root). Create the path with \
        CasePath(embed:extract:).
        """
    }

    static func explanation<Root>(_ root: Root.Type) -> String {
        """
        Reflection cannot find the cases of \(root), because the type describes itself. Create the path with \
        CasePath(embed:extract:).
        """
    }
}

/// Tells optionals from other enums.
private protocol OptionalValue {}
extension Optional: OptionalValue {}
