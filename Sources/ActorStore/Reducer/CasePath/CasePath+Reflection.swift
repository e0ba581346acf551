extension CasePath {
    /// Creates a path from a case alone: `CasePath(AppAction.counter)`.
    ///
    /// Whether a root is of the case is found out by reflection, without unsafe casts: the candidate's value is embedded
    /// again, and both roots must then be of the same case. Several values, labels, values of the same type in other
    /// cases, optionals and indirect cases are told apart correctly. The value of a case with several values is a tuple,
    /// whose labels, if it has any, are those of the case.
    ///
    /// That is slow: about 2 µs for a root of another case, 4 µs and 30 allocations for one of this case (suite
    /// `case paths` of the benchmarks), for each action that comes by. Give ``init(embed:extract:)`` both ways where
    /// that matters.
    ///
    /// Traps where reflection does not tell the truth: if the root describes itself by a mirror of its own
    /// (`CustomReflectable`), and if a value is a function, which the standard library shows wrongly.
    ///
    /// - Parameter embed: A case with values; nothing but a case, since it is asked to embed what it may not have made.
    public init(_ embed: @escaping @Sendable (_ value: Value) -> Root) {
        precondition(CaseReflection.isFaithful(Root.self), CaseReflection.explanation(Root.self))
        precondition(
            CaseReflection.isShownCorrectly(Value.self),
            "A function, as in \(Value.self), cannot be found by reflection. Give CasePath both ways: CasePath(embed:extract:)."
        )
        self.init(embed: embed) { CaseReflection.value(of: $0, embeddedBy: embed) }
    }
}

extension CasePath where Value == Void, Root: Sendable {
    /// Creates a path from a case without values: `CasePath(case: AppAction.reset)`.
    ///
    /// Roots are compared by their names, which is slow, like ``init(_:)-(_)``; and which a root that describes itself
    /// (`CustomStringConvertible`, `CustomDebugStringConvertible`) does not tell: it traps, unless the root is
    /// `Equatable`. Then another initializer is chosen, which compares the roots themselves.
    ///
    /// - Parameter root: The case.
    public init(case root: Root) {
        precondition(CaseReflection.isFaithful(Root.self), CaseReflection.explanation(Root.self))
        precondition(CaseReflection.isPlainlyNamed(Root.self), CaseReflection.explanation(Root.self))
        let name = String(describing: root)
        self.init(embed: { root }) { CaseReflection.name(ofCaseWithoutValues: $0) == name ? () : nil }
    }
}

extension CasePath where Value == Void, Root: Sendable & Equatable {
    /// Creates a path from a case without values: `CasePath(case: AppAction.reset)`. It matches what is equal to `root`.
    ///
    /// - Parameter root: The case.
    @inlinable
    public init(case root: Root) {
        self.init(embed: { root }) { $0 == root ? () : nil }
    }
}

extension CaseReflection {
    /// Finds what `embed` has made, where that can be found out by reflection; elsewhere nothing.
    @usableFromInline
    static func extraction<Root, Value>(
        of embed: @escaping @Sendable (Value) -> Root
    ) -> @Sendable (Root) -> Value? {
        guard isFaithful(Root.self), isShownCorrectly(Value.self) else { return { _ in nil } }
        return { root in value(of: root, embeddedBy: embed) }
    }
}

/// Finds out of which case a value of an enum is, from what the standard library tells.
@usableFromInline
enum CaseReflection {
    /// The value of a root that is of the case which `embed` makes.
    static func value<Root, Value>(of root: Root, embeddedBy embed: (Value) -> Root) -> Value? {
        guard let candidate = Case(root), let value = candidate.value(as: Value.self) else { return nil }
        // Any case with values of this type would have come so far. Only this one is what the value is embedded in.
        guard let again = Case(embed(value)), again.name == candidate.name, again.type == candidate.type else {
            return nil
        }
        return value
    }

    /// The name of a case without values; nil for other cases, and for what is no enum.
    static func name<Root>(ofCaseWithoutValues root: Root) -> String? {
        let mirror = Mirror(reflecting: root)
        guard mirror.displayStyle == .enum, mirror.children.isEmpty else { return nil }
        return String(describing: root)
    }

    /// Whether a mirror shows the cases themselves. That of an optional is the standard library's own, and does.
    static func isFaithful<Root>(_ root: Root.Type) -> Bool {
        !(root is any CustomReflectable.Type) || root is any OptionalValue.Type
    }

    /// Whether a description of a case without values is its name.
    static func isPlainlyNamed<Root>(_ root: Root.Type) -> Bool {
        !(root is any CustomStringConvertible.Type) && !(root is any CustomDebugStringConvertible.Type)
            && !(root is any TextOutputStreamable.Type)
    }

    /// Whether a mirror shows values of this type as they are. A function that is a case's value, or part of it, it shows
    /// with a calling convention that is not the function's, so that calling it is undefined. (Swift 6.3.)
    static func isShownCorrectly<Value>(_ value: Value.Type) -> Bool { !String(reflecting: value).contains("->") }

    static func explanation<Root>(_ root: Root.Type) -> String {
        """
        The cases of \(root) cannot be found out by reflection, because it describes itself. Give CasePath both ways: \
        CasePath(embed:extract:).
        """
    }
}

/// A case with its values, as a mirror shows them.
private struct Case {
    let name: String?
    /// The values: one, or a tuple.
    private let content: Any

    init?<Root>(_ root: Root) {
        let mirror = Mirror(reflecting: root)
        guard mirror.displayStyle == .enum || mirror.displayStyle == .optional else { return nil }
        let children = mirror.children
        guard !children.isEmpty else { return nil }
        (name, content) = children[children.startIndex]
    }

    /// The type of the values, labels included, which are part of a case's name.
    var type: Any.Type { Swift.type(of: content) }

    func value<Value>(as type: Value.Type) -> Value? {
        if self.type == type { return content as? Value }
        // A single value with a label is shown as a tuple of one, of which there are none in the language.
        let tuple = Mirror(reflecting: content)
        guard tuple.displayStyle == .tuple, tuple.children.count == 1 else { return content as? Value }
        return tuple.children[tuple.children.startIndex].value as? Value
    }
}

/// Tells optionals from other enums.
private protocol OptionalValue {}
extension Optional: OptionalValue {}
