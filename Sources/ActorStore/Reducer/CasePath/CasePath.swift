/// A path to a case of an enum, like a key path to a property: it embeds a value in a root, and extracts the value from
/// a root of its case.
///
/// Composed reducers use case paths to find the actions and the states of their children:
///
/// ```swift
/// enum AppAction: Sendable {
///     case counter(Counter.Action)
///     case row(id: Int, action: Row.Action)
/// }
///
/// extension CasePath where Root == AppAction, Value == Counter.Action {
///     static let counter = CasePath(embed: AppAction.counter) {
///         if case .counter(let action) = $0 { action } else { nil }
///     }
/// }
///
/// let app = Scope(state: \AppState.counter, action: .counter) { Counter() }
/// ```
///
/// The package's command plug-in `GenerateCasePaths` writes such extensions for all cases of an enum; see
/// <doc:CasePaths>. `CasePath(AppAction.counter)` is sufficient where speed does not matter; ``init(_:)-(_)`` describes
/// its cost.
///
/// Extracting an embedded value must return the same value, and embedding an extracted value the same root. Both
/// closures are called at any time and on any thread, so they must depend only on their argument.
public struct CasePath<Root, Value>: Sendable {
    @usableFromInline package let embedding: @Sendable (Value) -> Root
    @usableFromInline package let extraction: @Sendable (Root) -> Value?

    /// Creates a path from two closures.
    ///
    /// This is the fast way: neither closure allocates or inspects types, so a level of composition costs about 10 ns
    /// more than a `switch` (suite `composition` of the benchmarks).
    ///
    /// - Parameters:
    ///   - embed: A closure that embeds a value in a root: the case itself, such as `AppAction.counter`.
    ///   - extract: A closure that returns the value of a root of the case; nil for any other root.
    @inlinable
    public init(
        embed: @escaping @Sendable (_ value: Value) -> Root,
        extract: @escaping @Sendable (_ root: Root) -> Value?
    ) {
        embedding = embed
        extraction = extract
    }

    /// Embeds a value in a root.
    ///
    /// - Parameter value: The value.
    /// - Returns: The root.
    @inlinable
    public func embed(_ value: Value) -> Root { embedding(value) }

    /// Extracts the value from a root.
    ///
    /// - Parameter root: The root.
    /// - Returns: The value; nil if the root is another case.
    @inlinable
    public func extract(from root: Root) -> Value? { extraction(root) }

    /// Changes the value in a root of the case. The value's contents have no second reference during the change, so
    /// nothing in them is copied on write.
    ///
    /// - Parameters:
    ///   - root: The root to change.
    ///   - body: A closure that changes the value.
    /// - Returns: The result of `body`; nil if the root is another case and has not changed.
    /// - Throws: The error of `body`.
    @inlinable
    @discardableResult
    public func modify<Result>(_ root: inout Root, _ body: (inout Value) throws -> Result) rethrows -> Result? {
        guard var value = extraction(root) else { return nil }
        // Consumed during the change, so that the value is the only reference to its contents.
        _ = consume root
        defer { root = embedding(value) }
        return try body(&value)
    }
}

extension CasePath {
    /// Creates a path from a case alone: `CasePath(AppAction.counter)`.
    ///
    /// Reflection, without unsafe casts, determines whether a root is of the case: the candidate value is embedded
    /// again, and both roots must then be of the same case. Several values, labels, values of the same type in other
    /// cases, optionals and indirect cases are distinguished correctly. The value of a case with several values is a
    /// tuple, with the labels of the case, if there are any.
    ///
    /// This is slow: after the case has been seen once, it costs about 1.6 µs and 11 allocations for each action,
    /// whether the action is of this case or of another case with values (suite `composition` of the benchmarks). Where
    /// speed matters, use ``init(embed:extract:)``, or generate the paths: <doc:CasePaths>.
    ///
    /// `embed` can be more than a bare case, such as `{ .list(.row(id: 7, $0)) }`, as long as the value is in cases and
    /// tuples only, and not in a structure or in an enum with its own mirror. A root then matches if everything else in
    /// it equals what `embed` returns; this is slower still. An object equals itself and objects that are equal by
    /// `==`; the contents of objects are not inspected. Elements of sets, keys of dictionaries, and values of types
    /// that hide their contents are compared by `==`. A function beside the value never matches, so the path finds
    /// nothing. The search is limited to the first 128 parts, from the outside in.
    ///
    /// Traps where reflection is not reliable: if the root has its own mirror (`CustomReflectable`), and if a value is
    /// a function, which the standard library does not reflect correctly. Finds nothing in a root of a protocol type
    /// with its own mirror.
    ///
    /// - Parameter embed: A case with values, or nested cases. It must do nothing but embed the value unchanged, since
    ///   it is also called with values from other roots.
    public init(_ embed: @escaping @Sendable (_ value: Value) -> Root) {
        if let obstacle = Reflection.obstacle(Root.self, Value.self) { fatalError(obstacle) }
        self.init(embed: embed, extract: Reflection.extraction(of: embed))
    }
}

extension CasePath where Value == Void, Root: Sendable {
    /// Creates a path from a case without values: `CasePath(case: AppAction.reset)`.
    ///
    /// Roots are compared by their names, which is slow, like ``init(_:)-(_)``. An `Equatable` root uses another
    /// initializer, which compares the roots themselves.
    ///
    /// Traps if the root has its own description (`CustomStringConvertible`, `CustomDebugStringConvertible`), which
    /// hides the name. Also traps if `root` has values or is not an enum, and for an optional, which has no name of its
    /// own.
    ///
    /// - Parameter root: The case.
    public init(case root: Root) {
        guard !Reflection.isOptional(Root.self) else {
            fatalError(
                """
                CasePath(case:) cannot tell the cases of \(Root.self), an optional whose values are not Equatable. \
                Create the path with CasePath(embed:extract:).
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
                CasePath(case:) got a value of \(Root.self) that is not a case without values, so other values cannot be \
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
    /// Creates a path from a case without values: `CasePath(case: AppAction.reset)`. It matches roots that equal
    /// `root`.
    ///
    /// - Parameter root: The case.
    @inlinable
    public init(case root: Root) {
        self.init(embed: { root }) { $0 == root ? () : nil }
    }
}

extension CasePath {
    /// Returns a path to a case of this path's value.
    ///
    /// ```swift
    /// let step = CasePath(AppAction.counter).appending(path: CasePath(Counter.Action.step))
    /// ```
    ///
    /// - Parameter path: The path from this path's value to the nested value.
    /// - Returns: The combined path.
    @inlinable
    public func appending<NestedValue>(path: CasePath<Value, NestedValue>) -> CasePath<Root, NestedValue> {
        CasePath<Root, NestedValue>(
            embed: { embed(path.embed($0)) },
            extract: { extract(from: $0).flatMap(path.extract) }
        )
    }
}

extension CasePath where Root == Value {
    /// A path from a root to itself, which always matches.
    @inlinable public static var identity: CasePath { CasePath(embed: { $0 }, extract: { $0 }) }
}

extension CasePath where Root == Value? {
    /// A path to the wrapped value of an optional.
    @inlinable public static var some: CasePath { CasePath(embed: { $0 }, extract: { $0 }) }
}
