extension CasePath {
    /// Creates a path from a case alone: `CasePath(AppAction.counter)`.
    ///
    /// Whether a root is of the case is found out by reflection, without unsafe casts: the candidate's value is
    /// embedded again, and both roots must then be of the same case. Several values, labels, values of the same type in
    /// other cases, optionals and indirect cases are told apart correctly. The value of a case with several values is a
    /// tuple, whose labels, if it has any, are those of the case.
    ///
    /// That is slow: about 1.6 µs and 11 allocations, once the case has been seen, for each action that comes by,
    /// whether it is of this case or another one with values (suite `composition` of the benchmarks). Where that
    /// matters, give ``init(embed:extract:)`` both ways, or have them generated: <doc:CasePaths>.
    ///
    /// `embed` can be more than a bare case, `{ .list(.row(id: 7, $0)) }`, as long as the value stands in cases and
    /// tuples only, not in a structure. A root is of the path then if it is equal to what the value is embedded in, or
    /// looks the same where it is not `Equatable`; that is slower still.
    ///
    /// Traps where reflection does not tell the truth: if the root describes itself by a mirror of its own
    /// (`CustomReflectable`), and if a value is a function, which the standard library shows wrongly.
    ///
    /// - Parameter embed: A case with values, or cases within one another. It does nothing but embed the value as it
    ///   is, since it is asked to embed what it may not have made.
    public init(_ embed: @escaping @Sendable (_ value: Value) -> Root) {
        if let obstacle = Reflection.obstacle(Root.self, Value.self) { fatalError(obstacle) }
        let reflection = CaseReflection(embed: embed)
        self.init(embed: embed) { reflection.value(of: $0) }
    }
}

extension CasePath where Value == Void, Root: Sendable {
    /// Creates a path from a case without values: `CasePath(case: AppAction.reset)`.
    ///
    /// Roots are compared by their names, which is slow, like ``init(_:)-(_)``; and which a root that describes itself
    /// (`CustomStringConvertible`, `CustomDebugStringConvertible`) does not tell: it traps, unless the root is
    /// `Equatable`. Then another initializer is chosen, which compares the roots themselves. Traps also if `root` has
    /// values, or is not of an enum, and for an optional, which has no name of its own.
    ///
    /// - Parameter root: The case.
    public init(case root: Root) {
        guard !Reflection.isOptional(Root.self) else {
            fatalError(
                """
                CasePath(case:) cannot tell the cases of \(Root.self), an optional whose values are not Equatable. Create the \
                path with CasePath(embed:extract:).
                """
            )
        }
        guard Reflection.isFaithful(Root.self), Reflection.isPlainlyNamed(Root.self) else {
            fatalError(Reflection.explanation(Root.self))
        }
        guard let name = Reflection.name(ofCaseWithoutValues: root) else {
            fatalError(
                """
                CasePath(case:) got a value of \(Root.self) that is not a case without values, so that other values cannot be \
                compared with it by name. Create the path with CasePath(_:) for a case with values, or with \
                CasePath(embed:extract:).
                """
            )
        }
        self.init(embed: { root }) { Reflection.name(ofCaseWithoutValues: $0) == name ? () : nil }
    }
}

extension CasePath where Value == Void, Root: Sendable & Equatable {
    /// Creates a path from a case without values: `CasePath(case: AppAction.reset)`. It matches what is equal to
    /// `root`.
    ///
    /// - Parameter root: The case.
    @inlinable
    public init(case root: Root) {
        self.init(embed: { root }) { $0 == root ? () : nil }
    }
}
