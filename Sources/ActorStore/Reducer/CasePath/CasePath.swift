/// What a key path is to a property, for a case of an enum: it makes a root of a value, and finds the value in a root
/// that is of its case.
///
/// Composed reducers take the actions, and the states, of their children by case paths:
///
/// ```swift
/// enum AppAction: Sendable {
///     case counter(Counter.Action)
///     case row(id: Int, action: Row.Action)
/// }
///
/// extension CasePath where Root == AppAction, Value == Counter.Action {
///     static let counter = CasePath(embed: AppAction.counter) { if case .counter(let action) = $0 { action } else { nil } }
/// }
///
/// let app = Scope(state: \AppState.counter, action: .counter) { Counter() }
/// ```
///
/// The package's command plug-in `GenerateCasePaths` writes such extensions for all cases of an enum: see
/// <doc:CasePaths>. `CasePath(AppAction.counter)` is enough where speed does not matter; see ``init(_:)-(_)`` for what
/// it costs.
///
/// Extracting what was embedded gives the same value, and embedding what was extracted the same root. Both are called
/// at any time and on any thread, so they must depend on nothing but their argument.
public struct CasePath<Root, Value>: Sendable {
    @usableFromInline package let embedding: @Sendable (Value) -> Root
    @usableFromInline package let extraction: @Sendable (Root) -> Value?

    /// Creates a path of the two ways.
    ///
    /// This is the fast one: neither way allocates or looks at types, so that a level of composition costs about 10 ns
    /// more than a `switch` (suite `composition` of the benchmarks).
    ///
    /// - Parameters:
    ///   - embed: Makes a root of a value; the case itself, such as `AppAction.counter`.
    ///   - extract: The value of a root that is of the case; nil for any other.
    @inlinable
    public init(
        embed: @escaping @Sendable (_ value: Value) -> Root,
        extract: @escaping @Sendable (_ root: Root) -> Value?
    ) {
        embedding = embed
        extraction = extract
    }

    /// Makes a root of a value.
    @inlinable
    public func embed(_ value: Value) -> Root { embedding(value) }

    /// The value of a root that is of the case; nil for any other.
    @inlinable
    public func extract(from root: Root) -> Value? { extraction(root) }

    /// Changes the value of a root that is of the case, without a second reference to what it holds, so that nothing in
    /// it is copied on write.
    ///
    /// - Returns: what `body` returned, or nil if the root is of another case; then it is left alone.
    @inlinable
    @discardableResult
    public func modify<Result>(_ root: inout Root, _ body: (inout Value) throws -> Result) rethrows -> Result? {
        guard var value = extraction(root) else { return nil }
        // Gone while the value is being changed, so that the value is the only one to refer to its content.
        _ = consume root
        defer { root = embedding(value) }
        return try body(&value)
    }
}

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
    /// tuples only, not in a structure, nor in an enum with a mirror of its own. A root is of the path then if all else
    /// in it is the same as in what the value is embedded in; that is slower still. An object is the same as itself and
    /// as those that equal it: what is in objects is not looked at. Elements of sets and keys of dictionaries are the
    /// same if they are equal, and so are values of types that show nothing of themselves. A function beside the value
    /// is never the same, and makes the path find nothing. The value is looked for in the first 128 parts, from the
    /// outside in.
    ///
    /// Traps where reflection does not tell the truth: if the root describes itself by a mirror of its own
    /// (`CustomReflectable`), and if a value is a function, which the standard library shows wrongly. Finds nothing in
    /// a root of a protocol type that describes itself so.
    ///
    /// - Parameter embed: A case with values, or cases within one another. It does nothing but embed the value as it
    ///   is, since it is asked to embed what it may not have made.
    public init(_ embed: @escaping @Sendable (_ value: Value) -> Root) {
        if let obstacle = Reflection.obstacle(Root.self, Value.self) { fatalError(obstacle) }
        self.init(embed: embed, extract: Reflection.extraction(of: embed))
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
        // The root can be of a protocol type.
        let type = type(of: root as Any)
        guard Reflection.isFaithful(type), Reflection.isPlainlyNamed(type) else {
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
        let isOfOneType = type == Root.self
        self.init(embed: { root }) { candidate in
            guard isOfOneType || Swift.type(of: candidate as Any) == type else { return nil }
            return Reflection.name(ofCaseWithoutValues: candidate) == name ? () : nil
        }
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

extension CasePath {
    /// The path to a case of the value of this path's case.
    ///
    /// ```swift
    /// let step = CasePath(AppAction.counter).appending(path: CasePath(Counter.Action.step))
    /// ```
    @inlinable
    public func appending<NestedValue>(path: CasePath<Value, NestedValue>) -> CasePath<Root, NestedValue> {
        CasePath<Root, NestedValue>(
            embed: { embed(path.embed($0)) },
            extract: { extract(from: $0).flatMap(path.extract) }
        )
    }
}

extension CasePath where Root == Value {
    /// The path from a root to itself, which always matches.
    @inlinable public static var identity: CasePath { CasePath(embed: { $0 }, extract: { $0 }) }
}

extension CasePath where Root == Value? {
    /// The path to what an optional wraps.
    @inlinable public static var some: CasePath { CasePath(embed: { $0 }, extract: { $0 }) }
}
